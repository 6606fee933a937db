public import Foundation

/// A description of what to fetch: an entity, a condition, an order, and in which form the results
/// are wanted.
///
/// The result type has no constraint: `any NSFetchRequestResult` does not conform to itself without
/// the Objective-C runtime, and `NSFetchRequest<any NSFetchRequestResult>` must remain possible.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
  let useMark = EditGuard()

  /// Everything that the request says.
  package var specification: FetchSpecification {
    get { storedSpecification }
    set {
      useMark.requireEditable("The fetch request template of a model")
      storedSpecification = newValue
    }
    // An observer would have the old value, and every change would copy it.
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

  /// Creates a request for the entity of a name.
  ///
  /// The name is resolved when the request is executed.
  public convenience init(entityName: String) {
    self.init()
    specification.entity = .name(entityName)
  }

  /// The kind of the request: a fetch.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// The entity to fetch.
  ///
  /// - Warning: A request that was created with the name of an entity has none before it is
  ///   executed, and asking for it stops the program.
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

  /// The condition that results must meet.
  open var predicate: NSPredicate? {
    get { specification.predicate }
    set { specification.predicate = newValue }
  }

  /// The order of the results.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { specification.sortDescriptors }
    set { specification.sortDescriptors = newValue }
  }

  /// The greatest number of results; 0 means no limit.
  open var fetchLimit: Int {
    get { specification.fetchLimit }
    set { specification.fetchLimit = newValue }
  }

  /// How many of the first results to leave out.
  open var fetchOffset: Int {
    get { specification.fetchOffset }
    set { specification.fetchOffset = newValue }
  }

  /// How many results to load at a time; 0 loads all.
  open var fetchBatchSize: Int {
    get { specification.fetchBatchSize }
    set { specification.fetchBatchSize = newValue }
  }

  /// What the fetch gives for each row that it finds.
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

  /// Whether changes that are not yet saved count.
  open var includesPendingChanges: Bool {
    get { specification.includesPendingChanges }
    set { specification.includesPendingChanges = newValue }
  }

  /// Whether the objects are given as faults.
  open var returnsObjectsAsFaults: Bool {
    get { specification.returnsObjectsAsFaults }
    set { specification.returnsObjectsAsFaults = newValue }
  }

  /// Whether equal results are given once.
  ///
  /// It applies to dictionaries.
  open var returnsDistinctResults: Bool {
    get { specification.returnsDistinctResults }
    set { specification.returnsDistinctResults = newValue }
  }

  /// Whether objects that are already loaded take over the fetched values.
  open var shouldRefreshRefetchedObjects: Bool {
    get { specification.shouldRefreshRefetchedObjects }
    set { specification.shouldRefreshRefetchedObjects = newValue }
  }

  /// The key paths of relationships to load along with the results.
  open var relationshipKeyPathsForPrefetching: [String]? {
    get { specification.relationshipKeyPathsForPrefetching }
    set { specification.relationshipKeyPathsForPrefetching = newValue }
  }

  /// The properties to fetch, by name or as descriptions.
  open var propertiesToFetch: [Any]? {
    get { specification.propertiesToFetch }
    set { specification.propertiesToFetch = newValue }
  }

  /// The properties by which a fetch of dictionaries is grouped, by name or as descriptions.
  open var propertiesToGroupBy: [Any]? {
    get { specification.propertiesToGroupBy }
    set { specification.propertiesToGroupBy = newValue }
  }

  /// The condition that groups must meet.
  open var havingPredicate: NSPredicate? {
    get { specification.havingPredicate }
    set { specification.havingPredicate = newValue }
  }

  /// What the request asks for, in a line.
  open override var description: String { "NSFetchRequest (\(specification))" }

  /// A copy that can be changed, also where this request is a template of a model in use.
  open override func copy(with zone: NSZone? = nil) -> Any {
    duplicate()
  }

  /// A copy that can be changed.
  ///
  /// It keeps its entity alive.
  package func duplicate() -> NSFetchRequest<ResultType> {
    let copy = NSFetchRequest<ResultType>()
    copy.specification = specification
    copy.specification.entity = specification.entity.strengthened
    copy.limitedToStores = limitedToStores
    return copy
  }

  /// Stops keeping the entity alive: called when a model takes the request into its possession.
  func holdEntityWeakly() {
    specification.entity = specification.entity.weakened
  }
}
