public import Foundation

/// A description of what to fetch: an entity, a condition, an order, and the form of the results.
///
/// The result type has no constraint: `any NSFetchRequestResult` does not conform to itself without
/// the Objective-C runtime, and `NSFetchRequest<any NSFetchRequestResult>` must remain possible.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
  let useMark = EditGuard()

  /// The request's values.
  package var specification: FetchSpecification {
    get { storedSpecification }
    set {
      useMark.requireEditable("The fetch request template of a model")
      storedSpecification = newValue
    }
    // A property observer would copy the storage at every change.
    _modify {
      useMark.requireEditable("The fetch request template of a model")
      yield &storedSpecification
    }
  }

  @safe @exclusivity(unchecked) private var storedSpecification = FetchSpecification()

  /// Creates a request without an entity.
  public override init() {
    super.init()
  }

  /// Creates a request for the entity with a name.
  ///
  /// The name is resolved when the request is executed.
  public convenience init(entityName: String) {
    self.init()
    specification.entity = .name(entityName)
  }

  /// Reads a request from a keyed archive of this platform.
  ///
  /// Its predicates cannot be evaluated until `allowEvaluation()` is called. Fetches do not need
  /// this call.
  public required convenience init?(coder: NSCoder) {
    self.init()
    guard decode(from: coder) else { return nil }
  }

  /// The class with the name that archives contain.
  ///
  /// A decoder creates an `NSFetchRequest<any NSFetchRequestResult>` for it.
  open override var classForKeyedArchiver: AnyClass? { FetchRequestArchiveClass<Void>.self }

  /// The kind of the request: a fetch.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// The entity to fetch.
  ///
  /// - Warning: A request that was created with the name of an entity has no entity before it is
  ///   executed. To read the property earlier stops the program.
  open var entity: NSEntityDescription? {
    get {
      if case .name(let name) = specification.entity {
        preconditionFailure(
          "This fetch request was created with the entity name \(name), which is resolved when the request is executed. Until then it has no entity; use entityName."
        )
      }
      return specification.entity.entity
    }
    set { specification.entity = newValue.map(EntityReference.strong) ?? .none }
  }

  /// The name of the entity to fetch.
  open var entityName: String? { specification.entity.name }

  /// The predicate that results must match.
  open var predicate: NSPredicate? {
    get { specification.predicate }
    set { specification.predicate = newValue }
  }

  /// The sort descriptors of the results.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { specification.sortDescriptors }
    set { specification.sortDescriptors = newValue }
  }

  /// The maximum number of results; 0 means no limit.
  open var fetchLimit: Int {
    get { specification.fetchLimit }
    set { specification.fetchLimit = newValue }
  }

  /// The number of results to skip at the start.
  open var fetchOffset: Int {
    get { specification.fetchOffset }
    set { specification.fetchOffset = newValue }
  }

  /// The number of objects to load at a time; 0 loads all.
  open var fetchBatchSize: Int {
    get { specification.fetchBatchSize }
    set { specification.fetchBatchSize = newValue }
  }

  /// The type of the results.
  open var resultType: NSFetchRequestResultType {
    get { specification.resultType }
    set { specification.resultType = newValue }
  }

  /// Whether objects of subentities are fetched too.
  open var includesSubentities: Bool {
    get { specification.includesSubentities }
    set { specification.includesSubentities = newValue }
  }

  /// Whether the values of the properties are read along with the identifiers.
  open var includesPropertyValues: Bool {
    get { specification.includesPropertyValues }
    set { specification.includesPropertyValues = newValue }
  }

  /// Whether unsaved changes are included.
  open var includesPendingChanges: Bool {
    get { specification.includesPendingChanges }
    set { specification.includesPendingChanges = newValue }
  }

  /// Whether the objects are returned as faults.
  open var returnsObjectsAsFaults: Bool {
    get { specification.returnsObjectsAsFaults }
    set { specification.returnsObjectsAsFaults = newValue }
  }

  /// Whether duplicates are removed from the results.
  ///
  /// It applies to dictionaries.
  open var returnsDistinctResults: Bool {
    get { specification.returnsDistinctResults }
    set { specification.returnsDistinctResults = newValue }
  }

  /// Whether objects that are already loaded are refreshed with the fetched values.
  open var shouldRefreshRefetchedObjects: Bool {
    get { specification.shouldRefreshRefetchedObjects }
    set { specification.shouldRefreshRefetchedObjects = newValue }
  }

  /// The key paths of relationships to prefetch with the results.
  ///
  /// If the request has a batch size, the related objects of a batch are prefetched when the batch
  /// is read.
  open var relationshipKeyPathsForPrefetching: [String]? {
    get { specification.relationshipKeyPathsForPrefetching }
    set { specification.relationshipKeyPathsForPrefetching = newValue }
  }

  /// The properties to fetch, by name or as descriptions.
  open var propertiesToFetch: [Any]? {
    get { specification.propertiesToFetch }
    set { specification.propertiesToFetch = newValue }
  }

  /// The properties to group a fetch of dictionaries by, by name or as descriptions.
  open var propertiesToGroupBy: [Any]? {
    get { specification.propertiesToGroupBy }
    set { specification.propertiesToGroupBy = newValue }
  }

  /// The predicate that groups must match.
  open var havingPredicate: NSPredicate? {
    get { specification.havingPredicate }
    set { specification.havingPredicate = newValue }
  }

  /// A one-line description of the request.
  open override var description: String { "NSFetchRequest (\(specification))" }

  /// Returns a copy that can be changed, even if this request is a template of a model in use.
  open override func copy(with zone: NSZone? = nil) -> Any {
    duplicate()
  }

  /// Returns a copy that can be changed and keeps its entity alive.
  package func duplicate() -> NSFetchRequest<ResultType> {
    let copy = NSFetchRequest<ResultType>()
    copy.specification = specification
    copy.specification.entity = specification.entity.strengthened
    copy.limitedToStores = limitedToStores
    return copy
  }

  /// Stops keeping the entity alive; called when a model becomes the owner of the request.
  func holdEntityWeakly() {
    specification.entity = specification.entity.weakened
  }
}
