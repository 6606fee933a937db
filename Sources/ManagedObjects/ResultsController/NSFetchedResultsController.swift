public import Foundation
public import ManagedObjectModel
import ObjectRows

/// A controller that fetches objects in order, divides them into sections, and reports changes.
///
/// ```swift
/// let request = NSFetchRequest<Note>(entityName: "Note")
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// let controller = NSFetchedResultsController(
///   fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
/// controller.delegate = self
/// try controller.performFetch()
/// ```
///
/// Without a delegate, the results are those of the last fetch. With a delegate that implements a
/// method for changes, they follow the context's changes at the end of each event.
///
/// Use a controller on its context's queue.
///
/// On Linux, a delegate receives a controller that is equal (`==`) to the program's and shares its
/// state. It is another instance unless `ResultType` is `any NSFetchRequestResult`, so compare
/// controllers by `==`.
open class NSFetchedResultsController<ResultType>: NSObject {
  /// The state, which two controllers can share.
  final var tracker: ResultsTracker
  private let request: NSFetchRequest<ResultType>
  /// The controller that delegates receive, if it is not this one.
  private final var erasedController: NSFetchedResultsController<any NSFetchRequestResult>?
  private var typedResults: TypedResults<ResultType>?
  private var sectionInfos: SectionInfos?

  /// Creates a controller.
  ///
  /// - Parameters:
  ///   - fetchRequest: A request with at least one sort descriptor, the first of which orders the
  ///     objects by sections.
  ///   - sectionNameKeyPath: A key path that gives the name of an object's section, or nil.
  ///   - name: The name of a file that keeps the sections between launches, or nil.
  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName name: String?
  ) {
    precondition(
      fetchRequest.sortDescriptors?.isEmpty == false,
      """
      An instance of NSFetchedResultsController requires a fetch request with sort descriptors. \
      Set sortDescriptors of the request first.
      """
    )
    request = fetchRequest
    tracker = ResultsTracker(
      context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name
    ) {
      try ResultsRequest(fetchRequest, sectionNameKeyPath: sectionNameKeyPath, in: context)
    }
    super.init()
    tracker.owner = self
    if let sender = self as? NSFetchedResultsController<any NSFetchRequestResult> {
      tracker.sender = sender
    } else {
      erasedController = NSFetchedResultsController<any NSFetchRequestResult>(
        sharing: tracker, request)
    }
  }

  /// Creates the controller that delegates receive.
  private convenience init<Other>(
    sharing tracker: ResultsTracker, _ other: NSFetchRequest<Other>
  ) {
    let request = NSFetchRequest<ResultType>()
    request.specification = other.specification
    request.limitedToStores = other.limitedToStores
    self.init(
      fetchRequest: request, managedObjectContext: tracker.context,
      sectionNameKeyPath: tracker.sectionNameKeyPath, cacheName: tracker.cacheName)
    self.tracker = tracker
    tracker.sender = self as? NSFetchedResultsController<any NSFetchRequestResult>
  }

  /// Fetches the objects.
  ///
  /// - Throws: The error of the fetch; `NSCoreDataError` if the request has no sort descriptors, or
  ///   if the objects are not in the order of their sections.
  open func performFetch() throws { try tracker.performFetch() }

  /// Deletes the cache with a name, or all caches of the program if the name is nil.
  ///
  /// Call this method before you change the request of a controller that has a cache.
  open class func deleteCache(withName name: String?) { ResultsCache.delete(name) }

  // MARK: Configuration

  /// The request.
  ///
  /// Changes of the request take effect with the next `performFetch()`.
  open var fetchRequest: NSFetchRequest<ResultType> { request }

  /// The context that the controller fetches from and follows.
  open var managedObjectContext: NSManagedObjectContext { tracker.context }

  /// The key path that gives the name of an object's section.
  open var sectionNameKeyPath: String? { tracker.sectionNameKeyPath }

  /// The name of the file that keeps the sections.
  open var cacheName: String? { tracker.cacheName }

  /// The object that is notified of changes.
  ///
  /// The controller does not retain it.
  open var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { tracker.delegate }
    set { tracker.setDelegate(newValue) }
  }

  // MARK: Results

  /// The results, or nil before the first `performFetch()`.
  open var fetchedObjects: [ResultType]? {
    guard let list = tracker.list else { return nil }
    if let typedResults, typedResults.version == tracker.version { return typedResults.objects }
    let typed = TypedResults<ResultType>(list.elements, version: tracker.version)
    if typed.isCopy { typedResults = typed }
    return typed.objects
  }

  /// Returns the result at an index path.
  ///
  /// - Precondition: The index path is one of the results.
  open func object(at indexPath: IndexPath) -> ResultType {
    guard let list = tracker.list, let place = list.place(indexPath) else {
      preconditionFailure(
        """
        There is no object at \(indexPath) in the fetched results. There are \
        \(tracker.list?.sections.counts.description ?? "no results before performFetch()") \
        objects by section.
        """
      )
    }
    return TypedResults.cast(list.elements[place])
  }

  /// Returns the index path of a result, or nil if it is not among the results.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    guard let object = object as? NSObject else { return nil }
    return tracker.indexPath(of: object)
  }

  // MARK: Sections

  /// The sections, or nil before the first `performFetch()`.
  open var sections: [any NSFetchedResultsSectionInfo]? {
    guard let list = tracker.list else { return nil }
    if let sectionInfos, sectionInfos.version == tracker.version { return sectionInfos.infos }
    let infos = SectionInfos(list.sections, of: tracker)
    sectionInfos = infos
    return infos.infos
  }

  /// The titles of the sections for an index, without adjacent duplicates.
  open var sectionIndexTitles: [String] {
    SectionTitles(tracker).titles
  }

  /// Returns the title of a section in an index: what the delegate returns, or the capitalized
  /// first letter of the name.
  ///
  /// Subclasses may override this method.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    if let owner = tracker.owner, owner !== self {
      return owner.sectionIndexTitle(forSectionName: sectionName)
    }
    return tracker.plainIndexTitle(ofSection: sectionName)
  }

  /// Returns the number of the first section with an index title.
  ///
  /// - Precondition: `sectionIndexTitles` has the title at the given index.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    SectionTitles(tracker).section(of: title, at: sectionIndex)
  }

  // MARK: Equality

  /// Whether another controller shares this one's state.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? any ResultsSharing)?.tracker === tracker
  }

  /// The hash value of the shared state.
  open override var hash: Int { ObjectIdentifier(tracker).hashValue }
}

extension NSFetchedResultsController {
  /// The snapshots of the results: the current one, and one after each fetch and each change.
  ///
  /// Parhelion's addition. The sequence ends with the controller. It keeps only the newest snapshot
  /// for a consumer that is busy. While it is used, the results follow the context's changes even
  /// without a delegate.
  ///
  /// ```swift
  /// for await snapshot in controller.snapshots { show(snapshot.objectIDs) }
  /// ```
  public final var snapshots: AsyncStream<FetchedResultsSnapshot> { tracker.addStream() }
}

/// A controller, without the type of its results.
protocol ResultsSharing: AnyObject {
  var tracker: ResultsTracker { get }
}

extension NSFetchedResultsController: ResultsSharing, ResultsOwner {
  func requireResults(_ objects: [NSObject]) {
    TypedResults<ResultType>.require(objects)
  }
}
