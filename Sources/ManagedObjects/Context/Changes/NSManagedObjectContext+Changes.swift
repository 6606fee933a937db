import Foundation
import ManagedObjectModel
import ObjectRows

/// What changes in the course of an event, and what follows at its end.
extension NSManagedObjectContext {
  /// Takes note of an object's first change in the current event.
  func noteChange(of object: NSManagedObject) {
    changes.notePending(object)
    if object.flags.isDisjoint(with: [.inserted, .updated, .unsaved]) {
      changes.setFlags(object.flags.union(.updated), of: object)
    }
    scheduleEndOfEvent()
  }

  /// Lets the event of a main-queue context end in the queue's next turn, as it does at the end of a block.
  func scheduleEndOfEvent() {
    guard concurrencyType == .mainQueueConcurrencyType, !activity.isEndScheduled else { return }
    activity.isEndScheduled = true
    queue.perform { [weak self] in
      guard let self else { return }
      activity.isEndScheduled = false
      if changes.hasPending { processPendingChanges() }
    }
  }

  /// Ends the current event.
  ///
  /// What happens while observers are told belongs to the next one.
  ///
  /// Gives the objects that were changed in it.
  @discardableResult
  func endEvent() -> ContiguousArray<NSManagedObject> {
    requireAccess("processPendingChanges() was called")
    guard changes.hasPending || activity.isSaving, !activity.isEndingEvent else { return [] }
    activity.isEndingEvent = true
    if propagatesDeletesAtEndOfEvent || activity.isSaving { propagateDeletions() }
    let event = changes.takePending()
    let summary = ContextNotification.Changes(event)
    registerUndo(of: event)
    for object in event.objects { close(object) }
    changes.tidy()
    activity.isEndingEvent = false
    if !summary.isEmpty {
      let notification = ContextNotification.objectsDidChange(self, summary)
      changes.announced.note(notification)
      post(notification)
    }
    return event.objects
  }

  /// Ends the event for one object.
  private func close(_ object: NSManagedObject) {
    object.flags.subtract([.pending, .pendingInsert, .pendingDelete])
    object.endEvent()
    if object.flags.isSuperset(of: [.deleted, .unsaved, .propagated]) { release(object) }
  }

  /// Lets an object go that was inserted and deleted without a save in between.
  private func release(_ object: NSManagedObject) {
    assignedStores[object.key] = nil
    changes.announced = .severalTimes
    registry.remove(object)
    object.context = nil
    object.flags.subtract([.registered, .inserted, .updated])
  }

  func post(_ notification: Notification) {
    NotificationCenter.default.post(notification)
  }
}

/// What a context is in the middle of.
struct ContextActivity {
  var isEndingEvent = false
  var isEndScheduled = false
  var isSaving = false

  static let idle = ContextActivity()
}

extension ContextNotification.Changes<NSManagedObject> {
  /// What observers are told of an event: each object once.
  init(_ event: PendingEvent) {
    self.init()
    for object in event.objects {
      let flags = object.flags
      if flags.contains(.pendingDelete) {
        if !flags.isSuperset(of: [.pendingInsert, .unsaved]) { deleted.append(object) }
      } else if flags.contains(.pendingInsert) {
        inserted.append(object)
      } else if flags.contains(.writable) {
        updated.append(object)
      }
    }
    inserted += event.merged.inserted
    deleted += event.merged.deleted
    refreshed = event.refreshed.filter { !$0.flags.contains(.pending) }
    invalidated = event.invalidated.filter { !$0.flags.contains(.pending) }
  }

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidated.isEmpty
  }
}

/// The set of new objects that observers were told of since the last save.
///
/// Most programs insert in one event and save: the notification of the save then has the same set, which is not built twice.
enum AnnouncedInsertions {
  case none
  case once(Set<NSManagedObject>)
  case severalTimes

  mutating func note(_ notification: Notification) {
    guard let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> else { return }
    if case .none = self { self = .once(inserted) } else { self = .severalTimes }
  }

  /// New objects as a set: all of them were among those that observers were told of.
  mutating func take(_ inserted: [NSManagedObject]) -> Set<NSManagedObject> {
    defer { self = .none }
    if case .once(let announced) = self, announced.count == inserted.count { return announced }
    return Set(inserted)
  }
}

extension Notification {
  static func allObjectsInvalidated(
    _ context: NSManagedObjectContext, _ identifiers: [NSManagedObjectID]
  ) -> Notification { ContextNotification.allObjectsInvalidated(context, identifiers) }
}
