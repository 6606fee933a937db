import ObjectRows
import SQLiteDriver

/// Recording the changes of many rows with one statement.
extension HistoryWriter {
  /// Records the updates or deletions of one entity's rows, whose keys are in a table.
  ///
  /// A deletion reads the preserved values, so the rows must still exist.
  mutating func write(
    _ kind: HistoryChangeRow.Kind, _ keys: KeyTable, of entity: EntitySchema,
    changed: OrdinalSet = OrdinalSet()
  ) throws {
    let plan = try plans.plan(for: entity.layout)
    var columns = ["Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
    var values = [
      String(HistoryEntity.change), String(kind.rawValue), "k.entity", "k.key", "?",
    ]
    var source = "\(keys.name) k"
    var bindings: [Value] = [.integer(transaction)]
    if kind == .update, tables.hasBitmaps {
      columns.append("ZCOLUMNS")
      values.append("?")
      bindings.append(.blob(plan.bitmap.bytes(for: changed)))
    }
    let preserved = kind == .deletion ? plan.preserved.prefix(tables.tombstoneCount) : []
    if !preserved.isEmpty {
      source += " CROSS JOIN \(entity.table) t ON t.Z_PK = k.key"
      for (place, value) in preserved.enumerated() {
        columns.append(HistoryTables.tombstoneColumn(place))
        values.append(value.column.map { "t.\($0)" } ?? "NULL")
      }
    }
    try appendRows(
      "INSERT INTO ACHANGE(\(columns.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(source) "
        + "WHERE k.entity = \(entity.number) ORDER BY k.key", bindings)
  }

  /// Runs a statement that inserts rows without keys, so that they get the next numbers.
  ///
  /// SQLite numbers rows after the last one, which deletions of history may have removed. A
  /// temporary row takes its place.
  private mutating func appendRows(_ sql: String, _ bindings: [Value]) throws(SQLiteError) {
    let last = nextChange - 1
    var highest: Int64 = 0
    if case .integer(let number)? = try connection.value("SELECT max(Z_PK) FROM ACHANGE") {
      highest = number
    }
    let needsPlaceholder = highest < last
    if needsPlaceholder {
      try connection.run("INSERT INTO ACHANGE(Z_PK) VALUES(?)", [.integer(last)])
    }
    try connection.run(sql, bindings)
    nextChange += Int64(connection.changes)
    if needsPlaceholder {
      try connection.run("DELETE FROM ACHANGE WHERE Z_PK = ?", [.integer(last)])
    }
  }
}
