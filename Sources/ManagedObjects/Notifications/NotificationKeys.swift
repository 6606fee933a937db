// The keys of `userInfo` in notifications.

// MARK: - Objects

/// The objects that were inserted: a set of `NSManagedObject`.
public let NSInsertedObjectsKey = "inserted"

/// The objects that were updated: a set of `NSManagedObject`.
public let NSUpdatedObjectsKey = "updated"

/// The objects that were deleted: a set of `NSManagedObject`.
public let NSDeletedObjectsKey = "deleted"

/// The objects that took newer values from the store without being changed: a set of
/// `NSManagedObject`.
public let NSRefreshedObjectsKey = "refreshed"

/// The objects whose values were discarded: a set of `NSManagedObject`.
public let NSInvalidatedObjectsKey = "invalidated"

/// The identifiers of the objects of a context that was reset: an array of `NSManagedObjectID`.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"

/// The query generation that a context reads: an `NSQueryGenerationToken`.
public let NSManagedObjectContextQueryGenerationKey = "queryGeneration"

// MARK: - Identifiers

/// The identifiers of the objects that were inserted: a set of `NSManagedObjectID`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"

/// The identifiers of the objects that were updated: a set of `NSManagedObjectID`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"

/// The identifiers of the objects that were deleted: a set of `NSManagedObjectID`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"

/// The identifiers of the objects that took newer values from the store: a set of
/// `NSManagedObjectID`.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"

/// The identifiers of the objects whose values were discarded: a set of `NSManagedObjectID`.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

// MARK: - Stores

/// The stores that were added to a coordinator: an array of `NSPersistentStore`.
public let NSAddedPersistentStoresKey = "added"

/// The stores that were removed from a coordinator: an array of `NSPersistentStore`.
public let NSRemovedPersistentStoresKey = "removed"

/// A store whose UUID changed: an array of the former store, the new store, and the result of its
/// migration.
public let NSUUIDChangedPersistentStoresKey = "changedUUID"

/// The URL of the changed store.
public let NSPersistentStoreURLKey = "storeURL"

/// The history token after the change: an `NSPersistentHistoryToken`.
public let NSPersistentHistoryTokenKey = "historyToken"
