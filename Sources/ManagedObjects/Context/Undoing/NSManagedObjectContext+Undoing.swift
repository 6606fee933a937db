import Foundation
import ManagedObjectModel
import ObjectRows

/// Undo, redo and rollback.
extension NSManagedObjectContext {
  func setUndoManager(_ undoManager: UndoManager?) {
    guard undoManager !== storedUndoManager else { return }
    if changes.hasPending { processPendingChanges() }
    if let undoCheckpoint { NotificationCenter.default.removeObserver(undoCheckpoint) }
    storedUndoManager?.removeAllActions(withTarget: self)
    undoableObjects.releaseUnrestored()
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

  /// Ends the event when the undo manager posts a checkpoint.
  ///
  /// The event's changes belong to the group that the undo manager is about to close.
  private func endEventForUndo() {
    if changes.hasPending, !activity.isEndingEvent { processPendingChanges() }
  }

  /// Registers the undo action of an event.
  func registerUndo(of event: PendingEvent) {
    guard let storedUndoManager, storedUndoManager.isUndoRegistrationEnabled, !event.objects.isEmpty
    else { return }
    let record = UndoRecord(event)
    storedUndoManager.registerUndo(withTarget: self) { $0.apply(record) }
  }

  /// Reverts the changes of an event as a new event.
  ///
  /// Undoing the new event redoes the changes.
  private func apply(_ record: UndoRecord) {
    loadFormerValues(of: record)
    for entry in record.entries.reversed() {
      if entry.wasDeleted { restoreDeleted(entry.object) }
      if entry.wasInserted { removeInserted(entry.object) }
    }
    for entry in record.entries { entry.restoreValues(in: self) }
    processPendingChanges()
    if record.entries.contains(where: \.wasDeleted) { unloadUnorderedMembers() }
  }

  /// Loads the values that a later undo restores, before deletions hide them and a save removes
  /// them from the store.
  private func loadFormerValues(of record: UndoRecord) {
    for entry in record.entries { entry.loadMembers(in: self) }
    let deleted = record.entries.filter { $0.wasInserted && $0.object.context === self }
    do {
      try loadObjectsForDeletion(deleted.map(\.object), deletePlans)
    } catch {
      reads.failure = error
    }
  }

  /// Makes unordered to-many members reload.
  ///
  /// Member lists that were loaded after a deletion lack the deleted objects, even in their saved
  /// state. Deleted objects keep their lists, because a save may remove the memberships from the
  /// store.
  private func unloadUnorderedMembers() {
    for object in registry.objects where !object.flags.contains(.deleted) {
      guard let members = object.state?.members else { continue }
      for (ordinal, members) in members where !object.isOrdered(ordinal) { members.unload() }
    }
  }

  /// Restores a deleted object to the context.
  private func restoreDeleted(_ object: NSManagedObject) {
    var flags = object.flags.subtracting([.deleted, .pendingDelete, .propagated]).union(
      .pendingInsert)
    if object.context == nil {
      object.context = self
      object.flags.subtract([.listed, .pending, .inaccessible])
      object.becomeUnsaved()
      registry.register(object)
      retained?.insert(object)
      // The object may have been inaccessible before its deletion, because its row was gone.
      flags = object.flags.subtracting([.deleted, .pendingDelete, .propagated, .inaccessible])
        .union([.pendingInsert, .inserted, .unsaved])
    }
    changes.setFlags(flags, of: object)
    changes.recordPending(object)
    object.awakeSilently(from: .undoDeletion)
  }

  /// Deletes an object that an event inserted.
  ///
  /// `apply` restores its relationships with those of the other objects.
  private func removeInserted(_ object: NSManagedObject) {
    guard object.context === self else { return }
    changes.setFlags(object.flags.union([.deleted, .pendingDelete, .propagated]), of: object)
    changes.recordPending(object)
    object.awakeSilently(from: .undoInsertion)
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
    locked = LockedObjects()
    if !summary.inserted.isEmpty { unloadUnchangedMembers() }
    for object in summary.refreshed { object.awakeSilently(from: .rollback) }
    guard !objects.isEmpty else { return }
    publish(Array(objects)) {
      NotificationCenter.default.post(
        ContextNotification.objectsDidChange(self, ChangedSets(summary)))
    }
  }

  /// Makes unchanged to-many members reload.
  ///
  /// Member lists that were loaded after a deletion lack the deleted objects.
  private func unloadUnchangedMembers() {
    for object in registry.objects {
      guard let members = object.state?.members else { continue }
      for (_, members) in members where !members.isChanged { members.unload() }
    }
  }

  /// Reverts one object to its saved state, or removes it from the context if it was never saved.
  private func drop(
    _ object: NSManagedObject, _ summary: inout ContextNotification.Changes<NSManagedObject>
  ) {
    let change = object.flags.change
    // Observers of the event that the rollback ended may have changed the object again.
    object.flags.subtract([.listed, .pending, .pendingInsert, .pendingDelete])
    object.endEvent()
    if object.flags.contains(.unsaved) {
      assignedStores[object.key] = nil
      registry.remove(object)
      retained?.remove(object)
      object.context = nil
      object.flags.subtract([.registered, .inserted, .updated, .deleted, .propagated])
      object.releaseRelated()
      if change == .insertion { summary.deleted.append(object) }
      return
    }
    object.flags.subtract([.inserted, .updated, .deleted, .propagated])
    if object.flags.contains(.inaccessible) { return }
    if object.isUnread { object.turnIntoFault() } else { object.revertToCommitted() }
    if change == .deletion { summary.inserted.append(object) }
    if change == .update { summary.refreshed.append(object) }
  }
}
