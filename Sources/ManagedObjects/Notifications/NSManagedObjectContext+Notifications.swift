public import Foundation

extension NSManagedObjectContext {
  /// A context is about to save.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave

  /// A context saved: the notification holds the objects that were inserted, updated and deleted.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave

  /// Objects of a context changed: the notification holds them.
  public static let didChangeObjectsNotification = Notification.Name
    .NSManagedObjectContextObjectsDidChange

  /// A context saved: the notification holds the identifiers of the objects that were inserted,
  /// updated and deleted.
  public static let didSaveObjectIDsNotification = Notification.Name
    .NSManagedObjectContextDidSaveObjectIDs

  /// A context took over changes that another one saved: the notification holds the identifiers of
  /// the objects.
  public static let didMergeChangesObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

  /// The keys of contexts' notifications.
  public enum NotificationKey: String, Sendable {
    /// The context that was changed or saved.
    case sourceContext = "managedObjectContext"
    /// The version of the stores that the context reads.
    case queryGeneration
    /// The identifiers of the objects of a context that was reset.
    case invalidatedAllObjects = "invalidatedAll"
    /// The objects that were inserted.
    case insertedObjects = "inserted"
    /// The objects that were updated.
    case updatedObjects = "updated"
    /// The objects that were deleted.
    case deletedObjects = "deleted"
    /// The objects that took over values of the store without being changed.
    case refreshedObjects = "refreshed"
    /// The objects whose values were let go.
    case invalidatedObjects = "invalidated"
    /// The identifiers of the objects that were inserted.
    case insertedObjectIDs = "inserted_objectIDs"
    /// The identifiers of the objects that were updated.
    case updatedObjectIDs = "updated_objectIDs"
    /// The identifiers of the objects that were deleted.
    case deletedObjectIDs = "deleted_objectIDs"
    /// The identifiers of the objects that took over values of the store.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// The identifiers of the objects whose values were let go.
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }
}
