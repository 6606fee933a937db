package import Foundation
package import ObjectRows

/// Creates the notifications that a context posts.
///
/// Their sets are native Swift sets. A lazily built set would have to be a subclass of `NSSet`, and
/// swift-corelibs-foundation casts that to an empty `Set<NSManagedObject>`.
package enum ContextNotification {
  /// A context is about to save.
  package static func willSave(_ context: NSManagedObjectContext) -> Notification {
    Notification(name: .NSManagedObjectContextWillSave, object: context)
  }

  /// A context saved.
  ///
  /// The notification has all three sets, even if they are empty.
  package static func didSave(
    _ context: NSManagedObjectContext, inserted: Set<NSManagedObject>,
    updated: Set<NSManagedObject>,
    deleted: Set<NSManagedObject>, queryGeneration: Any? = nil
  ) -> Notification {
    var userInfo: [AnyHashable: Any] = [
      NSInsertedObjectsKey: inserted, NSUpdatedObjectsKey: updated, NSDeletedObjectsKey: deleted,
    ]
    userInfo[NSManagedObjectContextQueryGenerationKey] = queryGeneration
    return notification(.NSManagedObjectContextDidSave, context, userInfo)
  }

  /// A context saved; with object identifiers.
  ///
  /// The notification has all three sets, even if they are empty.
  package static func didSaveObjectIDs(
    _ context: NSManagedObjectContext, inserted: Set<NSManagedObjectID>,
    updated: Set<NSManagedObjectID>,
    deleted: Set<NSManagedObjectID>
  ) -> Notification {
    let userInfo: [AnyHashable: Any] = [
      NSInsertedObjectIDsKey: inserted, NSUpdatedObjectIDsKey: updated,
      NSDeletedObjectIDsKey: deleted,
    ]
    return notification(.NSManagedObjectContextDidSaveObjectIDs, context, userInfo)
  }

  /// The changes of a context's objects.
  package struct Changes<Element: Hashable> {
    package var inserted: ContiguousArray<Element> = []
    package var updated: ContiguousArray<Element> = []
    package var deleted: ContiguousArray<Element> = []
    package var refreshed: ContiguousArray<Element> = []
    package var invalidated: ContiguousArray<Element> = []

    package init() {}
  }

  /// Objects of a context changed.
  ///
  /// Empty sets are omitted.
  package static func objectsDidChange(
    _ context: NSManagedObjectContext, _ changes: Changes<NSManagedObject>
  ) -> Notification {
    let sets = [
      NSInsertedObjectsKey: changes.inserted, NSUpdatedObjectsKey: changes.updated,
      NSDeletedObjectsKey: changes.deleted, NSRefreshedObjectsKey: changes.refreshed,
      NSInvalidatedObjectsKey: changes.invalidated,
    ]
    let userInfo = nonempty(sets) { $0.heldSet() }
    return notification(.NSManagedObjectContextObjectsDidChange, context, userInfo)
  }

  /// A context was reset.
  package static func allObjectsInvalidated(
    _ context: NSManagedObjectContext, _ objectIDs: [NSManagedObjectID]
  )
    -> Notification
  {
    notification(
      .NSManagedObjectContextObjectsDidChange, context, [NSInvalidatedAllObjectsKey: objectIDs])
  }

  /// A context merged changes that were saved elsewhere.
  ///
  /// Empty sets are omitted.
  package static func didMergeChanges(
    _ context: NSManagedObjectContext, _ changes: Changes<NSManagedObjectID>
  ) -> Notification {
    let sets = [
      NSInsertedObjectIDsKey: changes.inserted, NSUpdatedObjectIDsKey: changes.updated,
      NSDeletedObjectIDsKey: changes.deleted, NSRefreshedObjectIDsKey: changes.refreshed,
      NSInvalidatedObjectIDsKey: changes.invalidated,
    ]
    let userInfo = nonempty(sets) { Set($0) }
    return notification(.NSManagedObjectContextDidMergeChangesObjectIDs, context, userInfo)
  }

  private static func nonempty<Element>(
    _ lists: [String: ContiguousArray<Element>], set: (ContiguousArray<Element>) -> Set<Element>
  ) -> [AnyHashable: Any] {
    var userInfo: [AnyHashable: Any] = [:]
    for (key, elements) in lists where !elements.isEmpty { userInfo[key] = set(elements) }
    return userInfo
  }

  private static func notification(
    _ name: Notification.Name, _ context: NSManagedObjectContext, _ userInfo: [AnyHashable: Any]
  ) -> Notification {
    var userInfo = userInfo
    userInfo[NSManagedObjectContext.NotificationKey.sourceContext.rawValue] = context
    return Notification(name: name, object: context, userInfo: userInfo)
  }
}
