import SQLiteDriver

/// Replaces the indexes of an older version with those of the newer one.
///
/// An index with the same name and definition stays. So does another program's index on a table
/// that stays, unless its name begins with `Z`, as the names of Core Data's indexes do.
struct IndexMigration {
  let source: StoreSchema
  let destination: StoreSchema

  func run(on connection: Connection) throws(SQLiteError) {
    let wanted = destination.indexes
    let definitions = Dictionary(
      wanted.map { ($0.name, $0.definition) }, uniquingKeysWith: { first, _ in first })
    let former = Set(source.indexes.map(\.name))
    var kept: Set<String> = []
    for row in try connection.rows(
      "SELECT name, sql, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL ORDER BY name"
    ) {
      guard case .text(let name) = row[0], case .text(let sql) = row[1],
        case .text(let table) = row[2]
      else {
        continue
      }
      if definitions[name] == sql {
        kept.insert(name)
      } else if definitions[name] != nil || former.contains(name) || isOurs(name, table) {
        try connection.execute("DROP INDEX \"\(name)\"")
      }
    }
    for index in wanted where !kept.contains(index.name) {
      try connection.execute(index.definition)
    }
    for index in destination.entities.flatMap(\.spatialIndexes) {
      try connection.execute(index.definition)
      try connection.execute(index.filling)
    }
  }

  /// Whether Core Data probably made the index, perhaps under an older name.
  private func isOurs(_ name: String, _ table: String) -> Bool {
    guard
      destination.tables.contains(where: { $0.name == table })
        || destination.joinTables.contains(where: { $0.name == table })
    else { return false }
    return name.hasPrefix("Z")
  }
}
