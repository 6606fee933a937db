package import Foundation
package import ObjectRows

/// The notifications that a context posts, as values.
///
/// Their sets are Swift's own: a set that would be built only when somebody looks at it must be a subclass of `NSSet`, which
/// Foundation outside Apple's platforms turns into an empty set where it is cast to `Set<NSManagedObject>`.
package enum ContextNotification {
  /// A context is about to save.
  package static func willSave(_ context: NSManagedObjectContext) -> Notification {
    Notification(name: .NSManagedObjectContextWillSave, object: context)
  }

  /// A context saved.
  ///
  /// All three sets are there, empty or not.
  package static func didSave(
    _ context: NSManagedObjectContext, inserted: Set<NSManagedObject>, updated: [NSManagedObject],
    deleted: [NSManagedObject], queryGeneration: Any? = nil
  ) -> Notification {
    var userInfo: [AnyHashable: Any] = [
      NSInsertedObjectsKey: inserted, NSUpdatedObjectsKey: Set(updated), NSDeletedObjectsKey: Set(deleted),
    ]
    userInfo[NSManagedObjectContextQueryGenerationKey] = queryGeneration
    return notification(.NSManagedObjectContextDidSave, context, userInfo)
  }

  /// A context saved, told by identifiers.
  ///
  /// All three sets are there, empty or not.
  package static func didSaveObjectIDs(
    _ context: NSManagedObjectContext, inserted: [NSManagedObjectID], updated: [NSManagedObjectID],
    deleted: [NSManagedObjectID]
  ) -> Notification {
    let userInfo: [AnyHashable: Any] = [
      NSInsertedObjectIDsKey: Set(inserted), NSUpdatedObjectIDsKey: Set(updated), NSDeletedObjectIDsKey: Set(deleted),
    ]
    return notification(.NSManagedObjectContextDidSaveObjectIDs, context, userInfo)
  }

  /// What happened to the objects of a context.
  package struct Changes<Element: Hashable> {
    package var inserted: [Element] = []
    package var updated: [Element] = []
    package var deleted: [Element] = []
    package var refreshed: [Element] = []
    package var invalidated: [Element] = []

    package init() {}
  }

  /// Objects of a context changed.
  ///
  /// Only the sets that are not empty are there.
  package static func objectsDidChange(
    _ context: NSManagedObjectContext, _ changes: Changes<NSManagedObject>
  ) -> Notification {
    let sets = [
      NSInsertedObjectsKey: changes.inserted, NSUpdatedObjectsKey: changes.updated,
      NSDeletedObjectsKey: changes.deleted, NSRefreshedObjectsKey: changes.refreshed,
      NSInvalidatedObjectsKey: changes.invalidated,
    ]
    return notification(.NSManagedObjectContextObjectsDidChange, context, nonemptySets(sets))
  }

  /// A context was reset.
  package static func allObjectsInvalidated(_ context: NSManagedObjectContext, _ objectIDs: [NSManagedObjectID])
    -> Notification
  {
    notification(.NSManagedObjectContextObjectsDidChange, context, [NSInvalidatedAllObjectsKey: objectIDs])
  }

  /// A context took over changes that were saved elsewhere.
  ///
  /// Only the sets that are not empty are there.
  package static func didMergeChanges(
    _ context: NSManagedObjectContext, _ changes: Changes<NSManagedObjectID>
  ) -> Notification {
    let sets = [
      NSInsertedObjectIDsKey: changes.inserted, NSUpdatedObjectIDsKey: changes.updated,
      NSDeletedObjectIDsKey: changes.deleted, NSRefreshedObjectIDsKey: changes.refreshed,
      NSInvalidatedObjectIDsKey: changes.invalidated,
    ]
    return notification(.NSManagedObjectContextDidMergeChangesObjectIDs, context, nonemptySets(sets))
  }

  private static func nonemptySets<Element: Hashable>(_ sets: [String: [Element]]) -> [AnyHashable: Any] {
    var userInfo: [AnyHashable: Any] = [:]
    for (key, elements) in sets where !elements.isEmpty { userInfo[key] = Set(elements) }
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
