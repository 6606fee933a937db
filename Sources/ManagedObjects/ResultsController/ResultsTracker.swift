import Foundation
import ManagedObjectModel
import ObjectRows

/// The state of a fetched results controller, without the type of its results.
///
/// Two controllers share it: the program's, and one of the type that delegates receive. Without the
/// Objective-C runtime, these are different types.
final class ResultsTracker {
  let context: NSManagedObjectContext
  let sectionNameKeyPath: String?
  let cacheName: String?
  /// The current request of the program's controller.
  let currentRequest: () throws -> ResultsRequest
  /// The controller that delegates receive.
  weak var sender: NSFetchedResultsController<any NSFetchRequestResult>?
  /// The program's controller.
  weak var owner: (any ResultsOwner)?

  /// The results, as of the last fetch or delivered change.
  private(set) var list: SectionedList<NSObject>?
  /// The number of times that the results changed.
  private(set) var version = 0
  /// The request of the last fetch.
  private(set) var fetched: ResultsRequest?
  /// The number of fetches.
  private(set) var fetchCount = 0

  private(set) weak var delegate: (any NSFetchedResultsControllerDelegate)?
  var knowledge = DelegateKnowledge()
  let streams = SnapshotStreams()
  var caching = CacheState()

  // State of tracking.
  /// The number of the context's events when the results were last current.
  var seenEvents = 0
  /// Whether the context was reset after the last fetch.
  var isReset = false
  /// Changes that were not delivered yet.
  var undelivered: [PreparedChange] = []
  var isDelivering = false
  /// The objects that were reported with temporary identifiers.
  var temporaries: [ObjectIdentifier: TemporaryResult] = [:]
  /// Objects of events that ended while the former results were visible; nil at other times.
  var held: [NSManagedObject]?

  init(
    _ context: NSManagedObjectContext, sectionNameKeyPath: String?, cacheName: String?,
    currentRequest: @escaping () throws -> ResultsRequest
  ) {
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    self.currentRequest = currentRequest
  }

  // MARK: Fetching

  func performFetch() throws {
    context.requireAccess("performFetch() was called")
    let request = try currentRequest()
    context.processPendingChanges()
    let cache = ResultsCache(cacheName, request, sectionNameKeyPath: sectionNameKeyPath)
    requireSameConfiguration(cache)
    let states = cache?.storeStates()
    let objects = try results(of: request)
    owner?.requireResults(objects)
    replaceResults(objects, try cachedSections(of: objects, cache, states), request)
    updateTracking()
    reportFetch()
  }

  /// The objects, identifiers, dictionaries or counts that a request asks for.
  private func results(of request: ResultsRequest) throws -> [NSObject] {
    switch request.plan.specification.resultType {
    case .managedObjectIDResultType:
      try context.results(of: request.plan, as: NSManagedObjectID.self)
    case .dictionaryResultType: try context.results(of: request.plan, as: NSDictionary.self)
    case .countResultType: try context.results(of: request.plan, as: NSNumber.self)
    default: objects(try context.results(of: request.plan, as: NSManagedObject.self))
    }
  }

  /// Casts without copying: all arrays of class references have the same layout.
  func objects(_ objects: [NSManagedObject]) -> [NSObject] {
    unsafe unsafeBitCast(objects, to: [NSObject].self)
  }

  private func replaceResults(
    _ objects: [NSObject], _ sections: SectionTable, _ request: ResultsRequest
  ) {
    list = SectionedList(objects, sections)
    fetched = request
    fetchCount += 1
    version += 1
    undelivered = []
    isReset = false
    seenEvents = context.eventObservers.eventCount
  }

  func sections(of objects: [NSObject]) throws -> SectionTable {
    guard let name = SectionName(sectionNameKeyPath) else {
      return SectionTable(names: [""], counts: [objects.count])
    }
    return try name.sections(of: objects)
  }

  // MARK: Tracking

  func setDelegate(_ delegate: (any NSFetchedResultsControllerDelegate)?) {
    guard delegate !== self.delegate || delegate == nil else { return }
    self.delegate = delegate
    knowledge = DelegateKnowledge()
    updateTracking()
  }

  /// Whether changes of the context change the results.
  ///
  /// A delegate without methods for changes does not count.
  var isTracking: Bool {
    guard let fetched, fetched.isTrackable, !isReset else { return false }
    return !streams.isEmpty || delegate != nil && !isUninterested
  }

  /// Whether the delegate is known to have no method for changes.
  var isUninterested: Bool {
    knowledge.missing.isSuperset(
      of: .changes(withSections: sectionNameKeyPath != nil))
  }

  /// Starts or stops following the context.
  func updateTracking() {
    if isTracking {
      context.eventObservers.add(self)
    } else {
      context.eventObservers.remove(self)
    }
  }

  /// Records a call of a default implementation.
  ///
  /// A delegate may forward calls to other objects, whose defaults are not the delegate's.
  func recordDefault(_ method: DelegateMethods, of object: AnyObject) {
    if object === delegate { knowledge.recordDefault(method) }
  }

  // MARK: Editing

  /// Calls a closure that changes the results.
  func edit<Result>(_ body: (inout SectionedList<NSObject>) -> Result) -> Result? {
    guard list != nil else { return nil }
    version += 1
    return list.modify(body)
  }

  /// The place of an object in the list.
  func place(of object: NSObject) -> Int? { list?.place(of: object) }

  func indexPath(of object: NSObject) -> IndexPath? {
    if fetchesObjects { return list?.place(of: object).flatMap { list?.indexPath($0) } }
    return list?.elements.firstIndex(of: object).flatMap { list?.indexPath($0) }
  }

  /// Whether the results are managed objects.
  var fetchesObjects: Bool { fetched?.isTrackable ?? false }

  /// A new stream of snapshots.
  func addStream() -> AsyncStream<FetchedResultsSnapshot> {
    context.requireAccess("snapshots was read")
    let stream = streams.add(first: list.map { FetchedResultsSnapshot($0, updated: []) })
    updateTracking()
    return stream
  }

  // MARK: Titles

  func indexTitle(ofSection name: String) -> String? {
    owner?.sectionIndexTitle(forSectionName: name) ?? plainIndexTitle(ofSection: name)
  }

  /// The delegate's title of a section, or the capitalized first letter of its name.
  func plainIndexTitle(ofSection name: String) -> String? {
    if let delegate, let sender, !knowledge.missing.contains(.indexTitle) {
      let title = delegate.controller(sender, sectionIndexTitleForSectionName: name)
      if !knowledge.missing.contains(.indexTitle) { return title }
    }
    return name.first.map { String($0).uppercased() }
  }
}

extension Optional {
  /// Changes the value in place, if there is one.
  fileprivate mutating func modify<Result>(_ body: (inout Wrapped) -> Result) -> Result? {
    guard var value = take() else { return nil }
    defer { self = value }
    return body(&value)
  }
}

/// The program's controller, without the type of its results.
protocol ResultsOwner: AnyObject {
  func sectionIndexTitle(forSectionName sectionName: String) -> String?
  /// Stops the program if objects do not have the type of the controller's results.
  func requireResults(_ objects: [NSObject])
}
