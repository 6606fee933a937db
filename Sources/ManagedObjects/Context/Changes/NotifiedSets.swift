import Foundation

/// The sets of new and of deleted objects that observers were told of since the last save.
///
/// Most programs change objects in one event and save: the notification of the save then has the
/// same sets, which are not built twice.
struct NotifiedSets {
  private var inserted = Announced.never
  private var deleted = Announced.never

  /// What is known of one kind of change.
  private enum Announced {
    case never
    case once(Set<NSManagedObject>)
    /// In several events, or not all of what there is to save.
    case variously

    mutating func note(_ set: Set<NSManagedObject>?) {
      guard let set else { return }
      if case .never = self { self = .once(set) } else { self = .variously }
    }

    /// The objects as a set: all of them were announced, unless it was done variously.
    func set(of objects: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
      if case .once(let announced) = self, announced.count == objects.count { return announced }
      return objects.heldSet()
    }
  }

  /// Notes what an event's notification says.
  mutating func note(_ notification: Notification) {
    inserted.note(notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)
    deleted.note(notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)
  }

  /// Notes an event whose notification had more than there is to save.
  mutating func noteMixture() { (inserted, deleted) = (.variously, .variously) }

  /// Notes that an object that was announced as inserted will not be saved.
  mutating func noteLostInsertion() { inserted = .variously }

  /// Notes that an object is deleted without an event, or that one is not deleted any more.
  mutating func noteUnannouncedDeletion() { deleted = .variously }

  /// Notes the end of a save: what was announced and not saved will be part of another save.
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
