/// The references of the stores in this process, by UUID.
///
/// A table lives as long as a store or an identifier uses it.
final class ReferenceTables: Sendable {
  static let shared = ReferenceTables()

  private struct Held {
    weak var table: ReferenceTable?
  }

  private let tables = LockedBox<[String: Held]>([:])

  /// The references of a store with a UUID.
  ///
  /// Stores without a UUID share none.
  func table(ofStore uuid: String) -> ReferenceTable {
    guard !uuid.isEmpty else { return ReferenceTable() }
    return tables.withLock { tables in
      if let known = tables[uuid]?.table { return known }
      tables = tables.filter { $0.value.table != nil }
      let made = ReferenceTable()
      tables[uuid] = Held(table: made)
      return made
    }
  }

  /// Registers a table under a UUID, unless stores with this UUID already use another table.
  ///
  /// Returns the given table in either case, because identifiers may use it.
  func adopt(_ table: ReferenceTable, _ uuid: String) -> ReferenceTable {
    guard !uuid.isEmpty else { return table }
    tables.withLock { if $0[uuid]?.table == nil { $0[uuid] = Held(table: table) } }
    return table
  }
}
