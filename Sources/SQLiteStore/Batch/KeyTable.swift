import SQLiteDriver

/// A temporary table with keys of rows that share a root entity.
///
/// | column | meaning |
/// |---|---|
/// | `key` | the row's key |
/// | `entity` | the number of the row's own entity |
/// | `round` | 0 for rows that the request names, then one more for each step of a cascade |
///
/// The table belongs to the connection, and is emptied by the next request.
struct KeyTable: Hashable {
  /// The use of the rows.
  enum Purpose: String {
    case changed = "CHANGED"
    case deleted = "DELETED"
    case cleared = "CLEARED"
  }

  let rootNumber: Int
  private let table: String

  init(_ purpose: Purpose, rootNumber: Int) {
    self.rootNumber = rootNumber
    table = "PHB_\(purpose.rawValue)_\(rootNumber)"
  }

  /// The table's name in SQL.
  var name: String { "temp.\(table)" }

  /// Creates the table if it is missing, and empties it.
  func prepare(on connection: Connection) throws {
    try connection.run(
      "CREATE TEMP TABLE IF NOT EXISTS \(table)(key INTEGER PRIMARY KEY, entity INTEGER NOT NULL, "
        + "round INTEGER NOT NULL DEFAULT 0)")
    try connection.run("DELETE FROM \(name)")
  }

  /// All keys, as a subselect.
  var select: String { "(SELECT key FROM \(name))" }

  /// The keys of an entity's own rows, as a subselect.
  func select(of schema: EntitySchema) -> String {
    "(SELECT key FROM \(name) WHERE entity = \(schema.number))"
  }

  /// The keys of an entity's own rows that a round added, as a subselect.
  func select(of schema: EntitySchema, round: Int) -> String {
    "(SELECT key FROM \(name) WHERE entity = \(schema.number) AND round = \(round))"
  }
}
