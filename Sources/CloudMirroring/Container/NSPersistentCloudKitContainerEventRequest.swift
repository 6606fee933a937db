public import Foundation
public import ManagedObjectModel
package import ManagedObjects
import MirrorLedger
import PredicateLanguage
import Synchronization

/// A request that fetches the events of mirrored stores.
///
/// ```swift
/// let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: yesterday)
/// let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
/// for event in result?.result as? [NSPersistentCloudKitContainer.Event] ?? [] { … }
/// ```
open class NSPersistentCloudKitContainerEventRequest: NSPersistentStoreRequest {
  /// The kind of result.
  ///
  /// The default is `events`.
  open var resultType = NSPersistentCloudKitContainerEventResult.ResultType.events

  private var date: Date?
  private var event: NSPersistentCloudKitContainer.Event?
  private var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

  /// Creates a request for all events.
  public required override init() { super.init() }

  /// Creates a request for the events that started at a date or later.
  open class func fetchEvents(after date: Date) -> Self {
    let request = Self()
    request.date = date
    return request
  }

  /// Creates a request for the events after another event, or for all events if it is nil.
  ///
  /// Events of several stores that started at the same moment are grouped by store.
  open class func fetchEvents(after event: NSPersistentCloudKitContainer.Event?) -> Self {
    let request = Self()
    request.event = event
    return request
  }

  /// Creates a request for the events that a fetch request matches.
  ///
  /// See `fetchForEvents()`.
  open class func fetchEvents(matchingFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>)
    -> Self
  {
    let request = Self()
    request.fetchRequest = fetchRequest
    return request
  }

  /// Creates a fetch request for events, to which a program adds a predicate and sort descriptors.
  ///
  /// Its attributes are `identifier`, `storeIdentifier`, `type`, `startDate`, `endDate` and
  /// `succeeded`.
  open class func fetchForEvents() -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = EventModel.shared.event
    return request
  }

  /// The type of the request: a fetch.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = type(of: self).init()
    (copy.date, copy.event, copy.fetchRequest) = (date, event, fetchRequest)
    copy.resultType = resultType
    copy.affectedStores = affectedStores
    return copy
  }
}

extension NSPersistentCloudKitContainerEventRequest: ContextRequest {
  package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let mirroring = context.persistentStoreCoordinator?.storeObserver as? MirroringCoordinator
    let wanted = affectedStores.map { Set($0.compactMap(\.identifier)) }
    let engines =
      mirroring?.engines.filter { wanted?.contains($0.mirror.storeIdentifier) ?? true } ?? []
    let events = try select(engines.flatMap { try $0.events(from: date ?? event?.startDate) })
    switch resultType {
    case .events: return NSPersistentCloudKitContainerEventResult(events, resultType)
    case .countEvents:
      return NSPersistentCloudKitContainerEventResult(NSNumber(value: events.count), resultType)
    }
  }

  /// Returns the requested events, sorted by start.
  private func select(_ events: [NSPersistentCloudKitContainerEvent]) throws
    -> [NSPersistentCloudKitContainerEvent]
  {
    var events = inOrder(events)
    if let date { events.removeAll { $0.startDate < date } }
    if let event { events = events.coming(after: event) }
    guard let fetchRequest else { return events }
    if let predicate = fetchRequest.predicate {
      events = events.filter { predicate.evaluate(with: $0) }
    }
    if let descriptors = fetchRequest.sortDescriptors, !descriptors.isEmpty {
      events.sort { one, other in descriptors.areInOrder(one, other) }
    }
    events = Array(events.dropFirst(fetchRequest.fetchOffset))
    return fetchRequest.fetchLimit > 0 ? Array(events.prefix(fetchRequest.fetchLimit)) : events
  }
}

/// Sorts events by start, then by store; events of one store keep their order.
private func inOrder(_ events: [NSPersistentCloudKitContainerEvent])
  -> [NSPersistentCloudKitContainerEvent]
{
  events.enumerated().sorted { one, other in
    (one.element.startDate, one.element.storeIdentifier, one.offset)
      < (other.element.startDate, other.element.storeIdentifier, other.offset)
  }.map(\.element)
}

extension [NSPersistentCloudKitContainerEvent] {
  /// Returns the events after one, even if that one is no longer stored.
  fileprivate func coming(after event: NSPersistentCloudKitContainer.Event) -> Self {
    if let place = firstIndex(where: { $0.identifier == event.identifier }) {
      return Array(self[(place + 1)...])
    }
    return filter { ($0.startDate, $0.storeIdentifier) > (event.startDate, event.storeIdentifier) }
  }
}

extension [NSSortDescriptor] {
  /// Whether the first of two objects comes before the second.
  fileprivate func areInOrder(_ one: NSObject, _ other: NSObject) -> Bool {
    for descriptor in self {
      switch descriptor.compare(one, to: other) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return false
  }
}

extension MirrorEngine {
  /// Returns the events that began at a date or later, with the current one.
  fileprivate func events(from date: Date?) throws -> [NSPersistentCloudKitContainerEvent] {
    let kept = try throwingPublicErrors { try ledger.events(from: date) }
      .compactMap {
        NSPersistentCloudKitContainerEvent($0, storeIdentifier: mirror.storeIdentifier)
      }
    guard let present = driving.withLock({ $0.event }),
      date.map({ present.startDate >= $0 }) ?? true
    else { return kept }
    return kept + [present]
  }
}
