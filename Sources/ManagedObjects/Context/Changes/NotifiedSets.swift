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
    case once(ObjectSet)
    /// Notifications named objects in several events, or only some of them.
    case partly

    mutating func record(_ set: ObjectSet) {
      guard !set.objects.isEmpty else { return }
      if case .never = self { self = .once(set) } else { self = .partly }
    }

    /// The objects as a set: the notified one, if it contains exactly these objects.
    func set(of objects: ContiguousArray<NSManagedObject>) -> ObjectSet {
      if case .once(let notified) = self, notified.objects.count == objects.count {
        return notified
      }
      return ObjectSet(objects)
    }
  }

  /// Records the sets of an event's notification.
  mutating func record(_ sets: ChangedSets) {
    inserted.record(sets.inserted)
    deleted.record(sets.deleted)
  }

  /// Records an event whose notification named more than the unsaved objects.
  mutating func recordPartialNotification() { (inserted, deleted) = (.partly, .partly) }

  /// Records that an object that a notification named as inserted will not be saved.
  mutating func recordDroppedInsertion() { inserted = .partly }

  /// Records that an object was deleted without an event, or that its deletion was reverted.
  mutating func recordUnnotifiedDeletion() { deleted = .partly }

  /// Records the end of a save.
  ///
  /// Objects that were notified but not saved belong to a later save.
  mutating func recordSave(leavesChanges: Bool) {
    inserted = leavesChanges ? .partly : .never
    deleted = inserted
  }

  func insertedSet(_ objects: ContiguousArray<NSManagedObject>) -> ObjectSet {
    inserted.set(of: objects)
  }

  func deletedSet(_ objects: ContiguousArray<NSManagedObject>) -> ObjectSet {
    deleted.set(of: objects)
  }
}
