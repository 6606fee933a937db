public import Foundation
public import ManagedObjectModel

/// A request to a store to save the changes of a context.
///
/// A coordinator sends it to incremental stores: see ``NSIncrementalStore/execute(_:with:)``.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
  /// The new objects, which have permanent identifiers.
  public let insertedObjects: Set<NSManagedObject>?
  /// The changed objects.
  public let updatedObjects: Set<NSManagedObject>?
  /// The deleted objects.
  public let deletedObjects: Set<NSManagedObject>?
  /// The objects of `detectConflicts(for:)`: their rows must be unchanged.
  public let lockedObjects: Set<NSManagedObject>?

  /// Creates a request to save changes.
  public init(
    inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
    deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
  ) {
    self.insertedObjects = insertedObjects
    self.updatedObjects = updatedObjects
    self.deletedObjects = deletedObjects
    self.lockedObjects = lockedObjects
    super.init()
  }

  /// The type of the request: a save.
  open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

  /// Returns an equal request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSSaveChangesRequest(
      inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects,
      locked: lockedObjects)
    copy.affectedStores = affectedStores
    return copy
  }
}
