import Foundation
import ManagedObjectModel
import ObjectRows

/// What undoes and redoes the changes of events, and what drops all changes.
extension NSManagedObjectContext {
  func setUndoManager(_ undoManager: UndoManager?) {
    guard undoManager !== storedUndoManager else { return }
    if changes.hasPending { processPendingChanges() }
    if let undoCheckpoint { NotificationCenter.default.removeObserver(undoCheckpoint) }
    storedUndoManager?.removeAllActions(withTarget: self)
    departed.letGo()
    storedUndoManager = undoManager
    undoCheckpoint = undoManager.map { manager in
      NotificationCenter.default.addObserver(
        forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
      ) {
        [weak self] _ in self?.endEventForUndo()
      }
    }
  }

  func undoEvent() {
    requireAccess("undo() was called")
    processPendingChanges()
    storedUndoManager?.undo()
  }

  func redoEvent() {
    requireAccess("redo() was called")
    processPendingChanges()
    storedUndoManager?.redo()
  }

  /// What was changed until the undo manager asks belongs to the group that it is about to close.
  private func endEventForUndo() {
    if changes.hasPending, !activity.isEndingEvent { processPendingChanges() }
  }

  /// Makes an event undoable.
  func registerUndo(of event: PendingEvent) {
    guard let storedUndoManager, storedUndoManager.isUndoRegistrationEnabled, !event.objects.isEmpty
    else { return }
    let record = UndoRecord(event)
    storedUndoManager.registerUndo(withTarget: self) { $0.apply(record) }
  }

  /// Puts everything back that an event changed, as an event of its own: undoing it redoes the
  /// first one.
  private func apply(_ record: UndoRecord) {
    for entry in record.entries.reversed() {
      if entry.wasDeleted { bringBack(entry.object) }
      if entry.wasInserted { takeAway(entry.object) }
    }
    for entry in record.entries { entry.restoreValues(in: self) }
    processPendingChanges()
    if record.entries.contains(where: \.wasDeleted) { noteReturns() }
  }

  /// Lets members be brought in anew.
  ///
  /// Those that were brought in after a deletion lack what was deleted, also among what counts as
  /// saved. Deleted objects keep theirs, which no store may have soon.
  private func noteReturns() {
    for object in registry.objects where !object.flags.contains(.deleted) {
      guard let members = object.state?.members else { continue }
      for (ordinal, members) in members where !object.isOrdered(ordinal) { members.unload() }
    }
  }

  /// Makes a deleted object one of the context again.
  private func bringBack(_ object: NSManagedObject) {
    var flags = object.flags.subtracting([.deleted, .pendingDelete, .propagated]).union(
      .pendingInsert)
    if object.context == nil {
      object.context = self
      object.becomeRowOfItsOwn()
      registry.register(object)
      flags = object.flags.subtracting([.deleted, .pendingDelete, .propagated, .listed, .pending])
        .union([.pendingInsert, .inserted, .unsaved])
    }
    changes.setFlags(flags, of: object)
    changes.notePending(object)
    object.awake(fromSnapshotEvents: .undoDeletion)
  }

  /// Deletes an object that an event inserted; its relationships are put back with the others.
  private func takeAway(_ object: NSManagedObject) {
    guard object.context === self else { return }
    changes.setFlags(object.flags.union([.deleted, .pendingDelete, .propagated]), of: object)
    changes.notePending(object)
    object.awake(fromSnapshotEvents: .undoInsertion)
  }

  // MARK: Rollback

  func dropChanges() {
    requireAccess("rollback() was called")
    endEvent()
    storedUndoManager?.removeAllActions()
    let objects = changes.listed
    var summary = ContextNotification.Changes<NSManagedObject>()
    for object in objects { drop(object, &summary) }
    changes.removeAll()
    locked = []
    if !summary.inserted.isEmpty { forgetMembers() }
    for object in summary.refreshed { object.awake(fromSnapshotEvents: .rollback) }
    guard !objects.isEmpty else { return }
    post(ContextNotification.objectsDidChange(self, summary))
  }

  /// Lets relationships be brought in anew: those that were brought in after a deletion lack what
  /// was deleted.
  private func forgetMembers() {
    for object in registry.objects {
      guard let members = object.state?.members else { continue }
      for (_, members) in members where !members.isChanged { members.unload() }
    }
  }

  /// Puts one object back to what was saved, or out of the context where it never was.
  private func drop(
    _ object: NSManagedObject, _ summary: inout ContextNotification.Changes<NSManagedObject>
  ) {
    let change = object.flags.change
    object.flags.subtract(.listed)
    object.endEvent()
    if object.flags.contains(.unsaved) {
      assignedStores[object.key] = nil
      registry.remove(object)
      object.context = nil
      object.flags.subtract([.registered, .inserted, .updated, .deleted, .propagated])
      object.forgetRelated()
      if change == .insertion { summary.deleted.append(object) }
      return
    }
    if object.flags.contains(.inaccessible) { return }
    object.flags.subtract([.inserted, .updated, .deleted, .propagated])
    object.revertToCommitted()
    if change == .deletion { summary.inserted.append(object) }
    if change == .update { summary.refreshed.append(object) }
  }
}
