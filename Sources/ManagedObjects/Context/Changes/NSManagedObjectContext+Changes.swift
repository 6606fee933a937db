import Foundation
import ManagedObjectModel
import ObjectRows

/// The changes of an event, and the work at its end.
extension NSManagedObjectContext {
  /// Records an object's first change in the current event.
  func recordChange(of object: NSManagedObject) {
    changes.recordPending(object)
    if object.flags.isDisjoint(with: [.inserted, .updated, .unsaved]) {
      changes.setFlags(object.flags.union(.updated), of: object)
    }
    scheduleEndOfEvent()
  }

  /// Schedules the end of the event for the main queue's next turn.
  ///
  /// In a `perform` block, the event ends earlier: with the block.
  func scheduleEndOfEvent() {
    guard concurrencyType == .mainQueueConcurrencyType, !activity.isEndScheduled else { return }
    activity.isEndScheduled = true
    queue.perform { [weak self] in
      guard let self else { return }
      activity.isEndScheduled = false
      endEventAfterBlock()
    }
  }

  /// Ends the current event and returns the objects that were changed in it.
  ///
  /// Changes that observers make meanwhile belong to the next event.
  @discardableResult
  func endEvent() -> ContiguousArray<NSManagedObject> {
    requireAccess("processPendingChanges() was called")
    guard changes.hasPending || activity.isSaving, !activity.isEndingEvent else { return [] }
    activity.isEndingEvent = true
    if propagatesDeletesAtEndOfEvent || activity.isSaving { propagateDeletions() }
    let event = changes.takePending()
    let summary = ContextNotification.Changes(event)
    registerUndo(of: event)
    event.objects.forEachHeld { close($0) }
    changes.tidy()
    activity.isEndingEvent = false
    publish(event.touched) {
      guard !summary.isEmpty else { return }
      let sets = ChangedSets(summary)
      recordNotification(sets, of: event)
      NotificationCenter.default.post(ContextNotification.objectsDidChange(self, sets))
    }
    // Changes from before the save are no longer pending, so hooks or observers of the save made
    // these.
    if activity.isSaving, let hookListener {
      event.objects.filter { $0.flags.change != nil }.forEachHeld(hookListener)
    }
    return event.objects
  }

  /// Keeps the notification's sets for the next save's notification, unless they contain objects
  /// that other contexts saved.
  private func recordNotification(_ sets: ChangedSets, of event: PendingEvent) {
    if event.merged.isEmpty {
      changes.notified.record(sets)
    } else if !event.objects.isEmpty {
      changes.notified.recordPartialNotification()
    }
  }

  /// Ends the event for one object.
  @inline(__always)
  private func close(_ object: NSManagedObject) {
    object.flags.subtract([.pending, .pendingInsert, .pendingDelete])
    object.endEvent()
    if object.flags.isSuperset(of: [.deleted, .unsaved, .propagated]) { release(object) }
  }

  /// Removes an object that was inserted and deleted without a save in between.
  private func release(_ object: NSManagedObject) {
    // With an undo manager, a redo may insert the object again, into the same store.
    if storedUndoManager == nil { assignedStores[object.key] = nil }
    changes.notified.recordDroppedInsertion()
    registry.remove(object)
    retained?.remove(object)
    object.context = nil
    object.flags.subtract([.registered, .inserted, .updated])
    handleRemoval(of: object)
  }
}

/// The current activity of a context.
struct ContextActivity {
  var isEndingEvent = false
  var isEndScheduled = false
  var isSaving = false
  /// Whether a merge policy moves the changes of an object to its newest row.
  var isMergingByPolicy = false

  static let idle = ContextActivity()
}

extension ContextNotification.Changes<NSManagedObject> {
  /// The objects of an event's notification, each of them once.
  init(_ event: PendingEvent) {
    self.init()
    classify(event.objects)
    if !event.merged.isEmpty {
      inserted += event.merged.inserted
      deleted += event.merged.deleted
    }
    refreshed = ContiguousArray(event.refreshed.filter { !$0.flags.isNotified })
    invalidated = ContiguousArray(event.invalidated.filter { !$0.flags.isNotified })
  }

  /// Divides the objects of an event by the kind of change.
  ///
  /// Most events do one thing to all objects, so the list is shared.
  private mutating func classify(_ objects: ContiguousArray<NSManagedObject>) {
    guard let first = objects.first?.flags.eventChange,
      objects.allHeldSatisfy({ $0.flags.eventChange == first })
    else { return sort(objects) }
    switch first {
    case .insertion: inserted = objects
    case .update: updated = objects
    case .deletion: deleted = objects
    }
  }

  private mutating func sort(_ objects: ContiguousArray<NSManagedObject>) {
    objects.forEachHeld { object in
      switch object.flags.eventChange {
      case .insertion: inserted.append(object)
      case .update: updated.append(object)
      case .deletion: deleted.append(object)
      case nil: break
      }
    }
  }

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty
  }
}
