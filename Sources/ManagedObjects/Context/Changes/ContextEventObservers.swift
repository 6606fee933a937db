/// Follows a context's events.
///
/// All observers prepare before any other code runs, including observers of the notification. So
/// each one sees the objects as the event left them.
protocol ContextEventObserver: AnyObject {
  /// Whether the observer needs merged updates of an entity even for rows that are not registered
  /// or loaded.
  func follows(_ layoutIndex: Int) -> Bool
  /// Records the effect of an event.
  ///
  /// Some objects may be given twice.
  func prepare(_ objects: [NSManagedObject])
  /// Calls other code with the recorded effects.
  func deliver()
  /// Records that the stores are about to change, or that they changed, by a save of the context.
  func contextWillSave()
  func contextDidSave()
  /// Records that the saved objects are unchanged, and have their permanent identifiers.
  func contextDidFinishSave()
  /// Records that the context forgot all objects.
  func contextDidReset()
}

/// The observers of a context's events.
struct ContextEventObservers {
  private struct Member {
    weak var observer: (any ContextEventObserver)?
  }

  private var members: [Member] = []
  /// The number of events.
  private(set) var eventCount = 0

  mutating func add(_ observer: any ContextEventObserver) {
    remove(observer)
    members.append(Member(observer: observer))
  }

  mutating func remove(_ observer: any ContextEventObserver) {
    members.removeAll { $0.observer == nil || $0.observer === observer }
  }

  mutating func recordEvent() { eventCount += 1 }

  var observers: [any ContextEventObserver] {
    members.isEmpty ? [] : members.compactMap(\.observer)
  }
}

extension NSManagedObjectContext {
  /// Publishes an event to the observers.
  ///
  /// All observers prepare, then `notify` posts the notification, then all observers deliver.
  func publish(_ objects: @autoclosure () -> [NSManagedObject], _ notify: () -> Void) {
    eventObservers.recordEvent()
    let observers = eventObservers.observers
    if !observers.isEmpty {
      let objects = objects()
      for observer in observers { observer.prepare(objects) }
    }
    notify()
    for observer in observers { observer.deliver() }
  }
}

extension PendingEvent {
  /// All objects of the event.
  var touched: [NSManagedObject] {
    Array(objects) + refreshed + invalidated + merged.inserted + merged.updated + merged.deleted
  }
}
