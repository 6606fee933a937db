/// An option that makes a store read-only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"

/// An option that migrates a store if it was written with another version of the model.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"

/// An option that makes a migration infer the mapping between two versions of a model.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// An option that opens a store without comparing its version hashes with the model's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"

/// An option for the lock timeout of a store, in seconds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"

/// An option for a dictionary of SQLite pragmas and their values.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"

/// An option that makes SQLite analyze a store when it is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"

/// An option that vacuums a store when it is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"

/// An option that makes a store keep persistent history.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// An option that posts a notification whenever this or another process changes a store.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// An option for the manager of a staged migration, an ``NSStagedMigrationManager``.
///
/// It needs `NSMigratePersistentStoresAutomaticallyOption`, which a store description sets.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"

/// An option that defers parts of a lightweight migration, and a key of a store's metadata.
///
/// Tables and columns that are no longer needed stay in the file until
/// `finishDeferredLightweightMigration()`. The metadata has true for the key while there are any.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

/// An option for the data protection of a store's files on Apple's file systems.
///
/// It is accepted and has no effect.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

/// An option for the maximum number of simultaneous connections to a store's SQLite file.
///
/// With 1, reading contexts wait for the writing one and for each other, and query generations
/// cannot be pinned. Without the option, a store has a connection for each reading thread and one
/// for writing. A pinned query generation uses a separate connection. An in-memory store always has
/// one. Apple does not document the value of the key, so it equals its name.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"

/// An option that destroys or replaces a store even if another process has locked it.
///
/// That process continues with a file that no other process sees.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"

/// An option that validates XML stores against their document type.
///
/// It has no effect: an XML store is always read strictly, and the model decides what it may
/// contain.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"

/// An option for the classes that a binary store may decode.
///
/// It has no effect, because binary stores contain no archived classes.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"

/// An option that lets a binary store decode any class.
///
/// It has no effect, because binary stores contain no archived classes.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
