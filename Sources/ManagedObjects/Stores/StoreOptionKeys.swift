/// The option that opens a store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"

/// The option that migrates a store that was written with another version of the model.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"

/// The option that lets a migration find out by itself how two versions of a model correspond.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// The option that opens a store without comparing its versions with those of the model.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"

/// The option for the seconds after which an attempt to lock a store is given up.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"

/// The option for a dictionary of SQLite's pragmas and their values.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"

/// The option that lets SQLite analyse a store when it is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"

/// The option that defragments a store when it is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"

/// The option that lets a store keep a history of its changes.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// The option that posts a notification whenever a store changes, by whomever.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// The option for the manager of a migration in stages.
///
/// It has no effect: there are no such managers yet.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"

/// The option that leaves the slow parts of a migration for later.
///
/// It has no effect: a lightweight migration ends before the store opens.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

/// The option for the protection of a store's files, which Apple's file systems have.
///
/// It is accepted and has no effect.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

/// The option for the most connections that a store has to its SQLite file at once.
///
/// With 1, contexts that read wait for the one that writes, and for each other. Without it a store
/// has as many as threads read at once, and one that writes. A pinned query generation has a
/// connection of its own, and there is none with 1. A store in memory has one, whatever this says.
/// The text of the key is its name: no document of Apple's tells another.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"

/// The option that destroys or replaces a store even where that is unsafe: while somebody has
/// locked it.
///
/// Who has such a store open goes on with a file that nobody else sees.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
