public import Foundation

extension NSManagedObjectContext {
  /// A notification that a context is about to save.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave

  /// A notification that a context saved, with the inserted, updated and deleted objects.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave

  /// A notification that objects of a context changed, with the objects.
  public static let didChangeObjectsNotification = Notification.Name
    .NSManagedObjectContextObjectsDidChange

  /// A notification that a context saved, with the identifiers of the inserted, updated and deleted
  /// objects.
  public static let didSaveObjectIDsNotification = Notification.Name
    .NSManagedObjectContextDidSaveObjectIDs

  /// A notification that a context merged another context's changes, with the identifiers of the
  /// objects.
  public static let didMergeChangesObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

  /// The keys in the `userInfo` of context notifications.
  public enum NotificationKey: String, Sendable {
    /// The context that was changed or saved.
    case sourceContext = "managedObjectContext"
    /// The query generation that the context reads.
    case queryGeneration
    /// The identifiers of the objects of a context that was reset.
    case invalidatedAllObjects = "invalidatedAll"
    /// The objects that were inserted.
    case insertedObjects = "inserted"
    /// The objects that were updated.
    case updatedObjects = "updated"
    /// The objects that were deleted.
    case deletedObjects = "deleted"
    /// The objects that took newer values from the store without being changed.
    case refreshedObjects = "refreshed"
    /// The objects whose values were discarded.
    case invalidatedObjects = "invalidated"
    /// The identifiers of the objects that were inserted.
    case insertedObjectIDs = "inserted_objectIDs"
    /// The identifiers of the objects that were updated.
    case updatedObjectIDs = "updated_objectIDs"
    /// The identifiers of the objects that were deleted.
    case deletedObjectIDs = "deleted_objectIDs"
    /// The identifiers of the objects that took newer values from the store.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// The identifiers of the objects whose values were discarded.
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }
}
