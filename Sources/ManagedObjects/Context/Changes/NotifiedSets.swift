import Foundation

/// The inserted and deleted objects that notifications have named since the last save.
///
/// Most programs change objects in one event and then save. The save's notification then reuses the
/// same sets.
struct NotifiedSets {
  private var inserted = Coverage.never
  private var deleted = Coverage.never

  /// The objects that notifications have named, for one kind of change.
  private enum Coverage {
    case never
    case once(Set<NSManagedObject>)
    /// Notifications named objects in several events, or only some of them.
    case partly

    mutating func record(_ set: Set<NSManagedObject>?) {
      guard let set else { return }
      if case .never = self { self = .once(set) } else { self = .partly }
    }

    /// The objects as a set: the announced set, if that contains exactly these objects.
    func set(of objects: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
      if case .once(let notified) = self, notified.count == objects.count { return notified }
      return objects.heldSet()
    }
  }

  /// Records the sets of an event's notification.
  mutating func record(_ notification: Notification) {
    inserted.record(notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)
    deleted.record(notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)
  }

  /// Records an event whose notification named more than the unsaved objects.
  mutating func recordPartialNotification() { (inserted, deleted) = (.partly, .partly) }

  /// Records that an object that was announced as inserted will not be saved.
  mutating func recordDroppedInsertion() { inserted = .partly }

  /// Records that an object was deleted without an event, or that its deletion was reverted.
  mutating func recordUnnotifiedDeletion() { deleted = .partly }

  /// Records the end of a save.
  ///
  /// Objects that were announced but not saved belong to a later save.
  mutating func recordSave(leavesChanges: Bool) {
    inserted = leavesChanges ? .partly : .never
    deleted = inserted
  }

  func insertedSet(_ objects: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
    inserted.set(of: objects)
  }

  func deletedSet(_ objects: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
    deleted.set(of: objects)
  }
}
