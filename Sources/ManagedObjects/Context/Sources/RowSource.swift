import ManagedObjectModel
import ObjectRows

/// The source of a context's rows and the target of its saves: the stores of a coordinator, or a
/// parent context.
///
/// Stores are identified by their numbers in the coordinator. Objects that were saved only in a
/// parent have the number `noStore`. Functions that take keys are called within `inStepWithParent`.
protocol RowSource: AnyObject {
  var layouts: ModelLayouts { get }

  /// The stores for a request: those of its entity's configuration, in the order in which they were
  /// added.
  func stores(for layout: RowLayout, limitedTo stores: [AnyObject]?) throws -> [UInt16]
  func identity(ofStore number: UInt16) -> StoreIdentity?
  func number(ofStore identity: StoreIdentity) -> UInt16?

  /// Whether objects of any of these stores are fetched as faults, whose values are read one object
  /// at a time.
  func fetchesFaults(in stores: [UInt16]) -> Bool

  /// A source that can execute a plan on another queue than the context's.
  ///
  /// The result is nil if the plan calls code of the program with the context or its objects.
  func detached(for plan: FetchPlan) -> (any RowSource & Sendable)?

  /// Calls a closure with the rows that a request finds in each of its stores.
  func fetchRows(_ fetch: RowFetch, in stores: [UInt16], _ body: (StoreRows) -> Void) throws
  func fetchKeys(_ fetch: RowFetch, in stores: [UInt16]) throws -> [StoreKeys]
  func count(_ fetch: RowFetch, in stores: [UInt16]) throws -> Int
  func fetchDictionaries(_ fetch: RowFetch, in stores: [UInt16]) throws -> [[String: Any]]

  /// The row in memory, if it is not older than the maximum age in seconds.
  ///
  /// A negative maximum allows any age.
  func knownRow(_ name: RowName, layout: RowLayout, maximumAge: Double) -> PlacedRow?
  /// Reads the rows with these keys, of the layout's entity and its subentities, from the source.
  func rows(withKeys keys: [Int64], layout: RowLayout, in store: UInt16) throws -> FetchedRows
  /// The members of a to-many relationship of several owners.
  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    in store: UInt16,
    includingRows: Bool
  ) throws -> RelatedRows
}

/// Identifies a row among all stores of a coordinator.
struct RowName: Hashable {
  let key: Int64
  let rootIndex: Int
  let storeNumber: UInt16
}

/// A row and the page that holds it.
struct PlacedRow {
  let row: RowReference
  let page: RowPage
}

/// Rows of one store.
struct StoreRows {
  let storeNumber: UInt16
  var rows: FetchedRows
}

/// Keys of one store.
struct StoreKeys {
  let storeNumber: UInt16
  var keys: ContiguousArray<RowKey>
}
