import ManagedObjectModel
import ObjectRows

/// Where a context's rows come from and where its changes go: the stores of a coordinator, or a
/// parent context.
///
/// Stores are named by their numbers in the coordinator. What was saved in a parent and in no store
/// yet has the number of no store.
protocol RowSource: AnyObject {
  var layouts: ModelLayouts { get }

  /// The stores that a request goes to: those of its entity's configuration, in the order in which
  /// they were added.
  func stores(for layout: RowLayout, limitedTo stores: [AnyObject]?) throws -> [UInt16]
  func identity(ofStore number: UInt16) -> StoreIdentity?
  func number(ofStore identity: StoreIdentity) -> UInt16?

  /// Calls a closure with the rows that a request finds in each of its stores.
  func fetchRows(_ fetch: RowFetch, in stores: [UInt16], _ body: (StoreRows) -> Void) throws
  func fetchKeys(_ fetch: RowFetch, in stores: [UInt16]) throws -> [StoreKeys]
  func count(_ fetch: RowFetch, in stores: [UInt16]) throws -> Int
  func fetchDictionaries(_ fetch: RowFetch, in stores: [UInt16]) throws -> [[String: Any]]

  /// A row that is in memory and not older than some seconds; a negative age allows any.
  func knownRow(_ name: RowName, layout: RowLayout, maximumAge: Double) -> PlacedRow?
  /// The rows with these keys, of the layout's entity and its subentities, read anew.
  func rows(withKeys keys: [Int64], layout: RowLayout, in store: UInt16) throws -> FetchedRows
  /// The members of a to-many relationship of several owners.
  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    in store: UInt16,
    includingRows: Bool
  ) throws -> RelatedRows
}

/// Names a row among all stores of a coordinator.
struct RowName: Hashable {
  let key: Int64
  let rootIndex: Int
  let storeNumber: UInt16
}

/// A row and what keeps it.
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
