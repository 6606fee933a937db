package import ManagedObjectModel

/// What a coordinator asks of a store.
///
/// It is the seam between the object graph and what keeps its rows: SQLite's file, memory, or a
/// store of a program's own. Every member may be called by any thread; a store lets as many of them
/// run at once as it can.
///
/// What a store throws is an `NSError` in Cocoa's domain or is turned into one by the coordinator.
package protocol RowStore: AnyObject, Sendable {
  var identity: StoreIdentity { get }
  /// The layouts of the model that the store was opened with.
  var layouts: ModelLayouts { get }
  /// The metadata, as `metadata(for:)` gives it, without UUID and type.
  func metadata() throws -> [String: Any]
  /// Replaces the metadata.
  ///
  /// It is written at once or with the next save, as the store likes.
  func setMetadata(_ metadata: [String: Any]) throws

  /// The rows that a request for objects finds, with their values.
  func fetchRows(_ fetch: RowFetch) throws -> FetchedRows
  /// The keys that a request finds.
  func fetchKeys(_ fetch: RowFetch) throws -> ContiguousArray<RowKey>
  /// The number of rows that a request finds.
  func count(_ fetch: RowFetch) throws -> Int
  /// The dictionaries that a request for dictionaries finds.
  ///
  /// Object identifiers in them are `NSManagedObjectID`.
  func fetchDictionaries(_ fetch: RowFetch) throws -> [[String: Any]]

  /// The rows with these keys, of the layout's entity and its subentities, in any order; those that
  /// are missing are left out.
  func rows(withKeys keys: [Int64], layout: RowLayout) throws -> FetchedRows
  /// The members of a to-many relationship of several owners, or the owners' destinations over a
  /// to-one relationship that the store keeps on the other side.
  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    includingRows: Bool
  ) throws -> RelatedRows

  /// Keys for new rows: `count` of them for each layout, never given out before.
  ///
  /// - Parameter forSave: Whether they are for rows that are saved next. Such keys need not be on
  ///   the disk before these rows are: what is lost with the machine's power has no rows, and may
  ///   be given out again.
  func reserveKeys(_ counts: [(layout: RowLayout, count: Int)], forSave: Bool) throws
    -> [ContiguousArray<Int64>]
  /// Writes changes: all or nothing.
  func save(_ changes: StoreChanges) throws -> StoreSaveOutcome
  /// Finds what stands against changes, and writes nothing.
  ///
  /// It throws what would make the save fail, as far as that can be known before it.
  func conflicts(of changes: StoreChanges) throws -> [StoreConflict]

  /// Lets go of the file.
  func close() throws

  /// The rows as they are now, which later saves do not change, for as long as it is open; nil
  /// where the store has no means for that.
  ///
  /// Nothing can be written to it.
  func snapshot() throws -> (any RowStore)?
}

extension RowStore {
  package func snapshot() throws -> (any RowStore)? { nil }
}
