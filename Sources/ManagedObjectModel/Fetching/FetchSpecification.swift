package import Foundation

/// The values of a fetch request, without the type of its results.
///
/// `NSFetchRequest` is generic. Without the Objective-C runtime, requests with different result
/// types cannot be cast to each other. So code that takes any fetch request works with this value.
package struct FetchSpecification {
  package var entity: EntityReference {
    get { storage.entity }
    set { uniqueStorage.entity = newValue }
  }

  package var predicate: NSPredicate? {
    get { storage.predicate }
    set { uniqueStorage.predicate = newValue }
  }

  package var sortDescriptors: [NSSortDescriptor]? {
    get { storage.sortDescriptors }
    set { uniqueStorage.sortDescriptors = newValue }
  }

  package var fetchLimit: Int {
    get { storage.fetchLimit }
    set { uniqueStorage.fetchLimit = newValue }
  }

  package var fetchOffset: Int {
    get { storage.fetchOffset }
    set { uniqueStorage.fetchOffset = newValue }
  }

  package var fetchBatchSize: Int {
    get { storage.fetchBatchSize }
    set { uniqueStorage.fetchBatchSize = newValue }
  }

  package var resultType: NSFetchRequestResultType {
    get { storage.resultType }
    set { uniqueStorage.resultType = newValue }
  }

  package var includesSubentities: Bool {
    get { storage.includesSubentities }
    set { uniqueStorage.includesSubentities = newValue }
  }

  package var includesPropertyValues: Bool {
    get { storage.includesPropertyValues }
    set { uniqueStorage.includesPropertyValues = newValue }
  }

  package var includesPendingChanges: Bool {
    get { storage.includesPendingChanges }
    set { uniqueStorage.includesPendingChanges = newValue }
  }

  package var returnsObjectsAsFaults: Bool {
    get { storage.returnsObjectsAsFaults }
    set { uniqueStorage.returnsObjectsAsFaults = newValue }
  }

  package var returnsDistinctResults: Bool {
    get { storage.returnsDistinctResults }
    set { uniqueStorage.returnsDistinctResults = newValue }
  }

  package var shouldRefreshRefetchedObjects: Bool {
    get { storage.shouldRefreshRefetchedObjects }
    set { uniqueStorage.shouldRefreshRefetchedObjects = newValue }
  }

  package var relationshipKeyPathsForPrefetching: [String]? {
    get { storage.relationshipKeyPathsForPrefetching }
    set { uniqueStorage.relationshipKeyPathsForPrefetching = newValue }
  }

  package var propertiesToFetch: [Any]? {
    get { storage.propertiesToFetch }
    set { uniqueStorage.propertiesToFetch = newValue }
  }

  package var propertiesToGroupBy: [Any]? {
    get { storage.propertiesToGroupBy }
    set { uniqueStorage.propertiesToGroupBy = newValue }
  }

  package var havingPredicate: NSPredicate? {
    get { storage.havingPredicate }
    set { uniqueStorage.havingPredicate = newValue }
  }

  package init() {}

  // MARK: Storage

  /// Copy-on-write storage, since specifications are copied often on the way to a store.
  ///
  /// No accessor calls other code, so exclusivity need not be checked.
  private final class Storage {
    @safe @exclusivity(unchecked) var entity: EntityReference = EntityReference.none
    @safe @exclusivity(unchecked) var predicate: NSPredicate?
    @safe @exclusivity(unchecked) var sortDescriptors: [NSSortDescriptor]?
    @safe @exclusivity(unchecked) var fetchLimit: Int = 0
    @safe @exclusivity(unchecked) var fetchOffset: Int = 0
    @safe @exclusivity(unchecked) var fetchBatchSize: Int = 0
    @safe @exclusivity(unchecked) var resultType: NSFetchRequestResultType =
      .managedObjectResultType
    @safe @exclusivity(unchecked) var includesSubentities: Bool = true
    @safe @exclusivity(unchecked) var includesPropertyValues: Bool = true
    @safe @exclusivity(unchecked) var includesPendingChanges: Bool = true
    @safe @exclusivity(unchecked) var returnsObjectsAsFaults: Bool = true
    @safe @exclusivity(unchecked) var returnsDistinctResults: Bool = false
    @safe @exclusivity(unchecked) var shouldRefreshRefetchedObjects: Bool = false
    @safe @exclusivity(unchecked) var relationshipKeyPathsForPrefetching: [String]?
    @safe @exclusivity(unchecked) var propertiesToFetch: [Any]?
    @safe @exclusivity(unchecked) var propertiesToGroupBy: [Any]?
    @safe @exclusivity(unchecked) var havingPredicate: NSPredicate?

    init() {}

    init(copying other: Storage) {
      entity = other.entity
      predicate = other.predicate
      sortDescriptors = other.sortDescriptors
      fetchLimit = other.fetchLimit
      fetchOffset = other.fetchOffset
      fetchBatchSize = other.fetchBatchSize
      resultType = other.resultType
      includesSubentities = other.includesSubentities
      includesPropertyValues = other.includesPropertyValues
      includesPendingChanges = other.includesPendingChanges
      returnsObjectsAsFaults = other.returnsObjectsAsFaults
      returnsDistinctResults = other.returnsDistinctResults
      shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
      relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
      propertiesToFetch = other.propertiesToFetch
      propertiesToGroupBy = other.propertiesToGroupBy
      havingPredicate = other.havingPredicate
    }
  }

  private var storage = Storage()

  /// The storage, made unique before a change.
  private var uniqueStorage: Storage {
    mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
      return storage
    }
  }
}
