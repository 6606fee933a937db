package import ManagedObjectModel

/// The operations of a store that a coordinator uses.
///
/// This is the boundary between the object graph and the storage of its rows: SQLite or memory.
/// Every member may be called on any thread, and a store runs calls concurrently if it can.
///
/// An error is an `NSError` in Cocoa's domain, or the coordinator converts it to one.
package protocol RowStore: AnyObject, Sendable {
  var identity: StoreIdentity { get }
  /// The layouts of the model that the store was opened with.
  var layouts: ModelLayouts { get }
  /// The metadata, as `metadata(for:)` returns it, without UUID and type.
  func metadata() throws -> [String: Any]
  /// Replaces the metadata.
  ///
  /// The store writes it at once or with the next save.
  func setMetadata(_ metadata: [String: Any]) throws

  /// The rows that an object request matches, with their values.
  func fetchRows(_ fetch: RowFetch) throws -> FetchedRows
  /// The keys of the rows that a request matches.
  func fetchKeys(_ fetch: RowFetch) throws -> ContiguousArray<RowKey>
  /// The number of rows that a request matches.
  func count(_ fetch: RowFetch) throws -> Int
  /// The dictionaries that a dictionary request matches.
  ///
  /// Object identifiers in them are `NSManagedObjectID`.
  func fetchDictionaries(_ fetch: RowFetch) throws -> [[String: Any]]

  /// The rows with these keys, of the layout's entity and its subentities, in any order.
  ///
  /// Missing rows are omitted.
  func rows(withKeys keys: [Int64], layout: RowLayout) throws -> FetchedRows
  /// The members of a to-many relationship of several owners, or the destinations of a to-one
  /// relationship that the store persists on the other side.
  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    includingRows: Bool
  ) throws -> RelatedRows

  /// Reserves consecutive keys for new rows: `count` for each layout, never assigned before.
  ///
  /// - Parameter forSave: Whether the rows are saved next. Such keys need not be durable before
  ///   their rows: if a power failure loses the rows, the keys may be assigned again.
  func reserveRanges(_ counts: [(layout: RowLayout, count: Int)], forSave: Bool) throws
    -> [Range<Int64>]
  /// Writes all of the changes or none.
  func save(_ changes: StoreChanges) throws -> StoreSaveOutcome
  /// Finds the conflicts of changes, and writes nothing.
  ///
  /// - Throws: The errors with which the save would fail, as far as they are known in advance.
  func conflicts(of changes: StoreChanges) throws -> [StoreConflict]

  /// Closes the file.
  func close() throws

  /// A read-only snapshot of the current rows, valid until it is closed; nil if the store does not
  /// support snapshots.
  func snapshot() throws -> (any RowStore)?
}

extension RowStore {
  /// Reserves keys for new rows, as a list for each layout.
  package func reserveKeys(_ counts: [(layout: RowLayout, count: Int)], forSave: Bool) throws
    -> [ContiguousArray<Int64>]
  {
    try reserveRanges(counts, forSave: forSave).map { ContiguousArray($0) }
  }

  package func snapshot() throws -> (any RowStore)? { nil }
}
