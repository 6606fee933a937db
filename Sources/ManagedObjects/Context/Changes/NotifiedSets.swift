import Foundation

/// The inserted and deleted objects that notifications have named since the last save.
///
/// Most programs change objects in one event and then save. The save's notification then reuses the
/// same sets.
struct NotifiedSets {
  private var inserted = Announced.never
  private var deleted = Announced.never

  /// What notifications have named of one kind of change.
  private enum Announced {
    case never
    case once(Set<NSManagedObject>)
    /// In several events, or only partly.
    case variously

    mutating func note(_ set: Set<NSManagedObject>?) {
      guard let set else { return }
      if case .never = self { self = .once(set) } else { self = .variously }
    }

    /// The objects as a set: the announced set, if that contains exactly these objects.
    func set(of objects: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
      if case .once(let announced) = self, announced.count == objects.count { return announced }
      return objects.heldSet()
    }
  }

  /// Records the sets of an event's notification.
  mutating func note(_ notification: Notification) {
    inserted.note(notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)
    deleted.note(notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)
  }

  /// Records an event whose notification named more than the unsaved objects.
  mutating func noteMixture() { (inserted, deleted) = (.variously, .variously) }

  /// Records that an object that was announced as inserted will not be saved.
  mutating func noteLostInsertion() { inserted = .variously }

  /// Records that an object was deleted without an event, or that its deletion was reverted.
  mutating func noteUnannouncedDeletion() { deleted = .variously }

  /// Records the end of a save.
  ///
  /// Objects that were announced but not saved belong to a later save.
  mutating func noteSave(leavesChanges: Bool) {
    inserted = leavesChanges ? .variously : .never
    deleted = inserted
  }

  func insertedSet(_ objects: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
    inserted.set(of: objects)
  }

  func deletedSet(_ objects: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
    deleted.set(of: objects)
  }
}
