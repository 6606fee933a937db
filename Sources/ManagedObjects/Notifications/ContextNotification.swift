import Foundation
import ObjectRows

/// Creates the notifications that a context posts.
///
/// Their sets are made when an observer first reads them.
enum ContextNotification {
  /// A context is about to save.
  static func willSave(_ context: NSManagedObjectContext) -> Notification {
    Notification(name: .NSManagedObjectContextWillSave, object: context)
  }

  /// A context saved.
  ///
  /// The notification has all three sets, even if they are empty.
  static func didSave(
    _ context: NSManagedObjectContext, inserted: ObjectSet, updated: ObjectSet, deleted: ObjectSet,
    queryGeneration: Any?
  ) -> Notification {
    notification(.NSManagedObjectContextDidSave, context) {
      var userInfo: [AnyHashable: Any] = [
        NSInsertedObjectsKey: inserted.set, NSUpdatedObjectsKey: updated.set,
        NSDeletedObjectsKey: deleted.set,
      ]
      userInfo[NSManagedObjectContextQueryGenerationKey] = queryGeneration
      return userInfo
    }
  }

  /// A context saved: the counterpart of `didSave` with identifiers instead of objects.
  ///
  /// The notification has all three sets, even if they are empty.
  static func didSaveObjectIDs(
    _ context: NSManagedObjectContext,
    inserted: SetOnDemand<NSManagedObjectID>, updated: SetOnDemand<NSManagedObjectID>,
    deleted: SetOnDemand<NSManagedObjectID>
  ) -> Notification {
    notification(.NSManagedObjectContextDidSaveObjectIDs, context) {
      [
        NSInsertedObjectIDsKey: inserted, NSUpdatedObjectIDsKey: updated,
        NSDeletedObjectIDsKey: deleted,
      ]
    }
  }

  /// The changes of a context's objects.
  struct Changes<Element: Hashable> {
    var inserted: ContiguousArray<Element> = []
    var updated: ContiguousArray<Element> = []
    var deleted: ContiguousArray<Element> = []
    var refreshed: ContiguousArray<Element> = []
    var invalidated: ContiguousArray<Element> = []
  }

  /// Objects of a context changed.
  ///
  /// Empty sets are omitted.
  static func objectsDidChange(_ context: NSManagedObjectContext, _ changes: ChangedSets)
    -> Notification
  {
    notification(.NSManagedObjectContextObjectsDidChange, context) {
      let sets = [
        NSInsertedObjectsKey: changes.inserted, NSUpdatedObjectsKey: changes.updated,
        NSDeletedObjectsKey: changes.deleted, NSRefreshedObjectsKey: changes.refreshed,
        NSInvalidatedObjectsKey: changes.invalidated,
      ]
      var userInfo: [AnyHashable: Any] = [:]
      for (key, set) in sets where !set.objects.isEmpty { userInfo[key] = set.set }
      return userInfo
    }
  }

  /// A context was reset.
  static func allObjectsInvalidated(
    _ context: NSManagedObjectContext, _ objectIDs: [NSManagedObjectID]
  ) -> Notification {
    notification(.NSManagedObjectContextObjectsDidChange, context) {
      [NSInvalidatedAllObjectsKey: objectIDs]
    }
  }

  /// A context merged changes that were saved elsewhere.
  ///
  /// Empty sets are omitted.
  static func didMergeChanges(
    _ context: NSManagedObjectContext, _ changes: Changes<NSManagedObjectID>
  ) -> Notification {
    notification(.NSManagedObjectContextDidMergeChangesObjectIDs, context) {
      let sets = [
        NSInsertedObjectIDsKey: changes.inserted, NSUpdatedObjectIDsKey: changes.updated,
        NSDeletedObjectIDsKey: changes.deleted, NSRefreshedObjectIDsKey: changes.refreshed,
        NSInvalidatedObjectIDsKey: changes.invalidated,
      ]
      var userInfo: [AnyHashable: Any] = [:]
      for (key, elements) in sets where !elements.isEmpty {
        userInfo[key] = SetOnDemand(making: { Set(elements) })
      }
      return userInfo
    }
  }

  private static func notification(
    _ name: Notification.Name, _ context: NSManagedObjectContext,
    _ contents: () -> [AnyHashable: Any]
  ) -> Notification {
    var userInfo = contents()
    userInfo[NSManagedObjectContext.NotificationKey.sourceContext.rawValue] = context
    return Notification(name: name, object: context, userInfo: userInfo)
  }
}

/// The sets of an event's notification.
struct ChangedSets {
  let inserted, updated, deleted, refreshed, invalidated: ObjectSet

  init(_ changes: ContextNotification.Changes<NSManagedObject>) {
    inserted = ObjectSet(changes.inserted)
    updated = ObjectSet(changes.updated)
    deleted = ObjectSet(changes.deleted)
    refreshed = ObjectSet(changes.refreshed)
    invalidated = ObjectSet(changes.invalidated)
  }
}
