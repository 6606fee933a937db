import SQLiteDriver
import SQLiteStore

/// Column values without a model: each must match the declared type of its column.
extension FileCheck {
  /// The storage classes that Core Data writes into columns of each declared type.
  private static let kinds: [(type: ColumnKind, kinds: String, meaning: String)] = [
    (.integer, "'integer', 'null'", "whole numbers"),
    (.float, "'real', 'integer', 'null'", "numbers"),
    (.timestamp, "'real', 'integer', 'null'", "dates"),
    (.decimal, "'real', 'integer', 'null'", "numbers"),
    (.varchar, "'text', 'null'", "texts"), (.blob, "'blob', 'null'", "data"),
  ]

  mutating func checkColumns() throws(SQLiteError) {
    for table in tables where file.hasTable(table.name) {
      let columns = try connection.rows(
        "SELECT name, type FROM pragma_table_info(?) WHERE name NOT IN ('Z_PK', 'Z_ENT', 'Z_OPT')",
        [.text(table.name)])
      for column in columns {
        guard case .text(let name) = column[0], case .text(let type) = column[1],
          let wanted = Self.kinds.first(where: { $0.type.rawValue == type })
        else { continue }
        let value = name.quotedForSQL
        let isEndless = wanted.type == .timestamp ? " OR \(ShownValue.isInfinite(value))" : ""
        try noteRows(
          "value", of: table.name,
          "SELECT Z_PK, \(ShownValue.columns(value)) FROM \(table.quotedName) WHERE typeof(\(value)) NOT IN (\(wanted.kinds))\(isEndless) ORDER BY Z_PK"
        ) { row in
          "\(name) has \(ShownValue.text(row, at: 1)), but is a column of \(wanted.meaning)."
        }
      }
    }
  }

  /// Checks the pairs of join tables, each of whose columns contains the entity number in its name.
  mutating func checkPairs() throws(SQLiteError) {
    for join in file.tables where join.wholeMatch(of: /Z_[0-9]+.+/) != nil {
      for column in file.columns(of: join) ?? [] {
        if column.hasPrefix("Z_FOK_") {
          try checkOrder(column, of: join)
        } else if let number = column.wholeMatch(of: /Z_([0-9]+).+/).flatMap({ Int($0.1) }),
          let table = tables.first(where: { $0.entities.contains { $0.number == number } }),
          file.hasTable(table.name)
        {
          try checkEnds(column, of: join, in: table)
        }
      }
    }
  }

  private mutating func checkEnds(_ column: String, of join: String, in table: CheckedTable)
    throws(SQLiteError)
  {
    let value = "J.\(column.quotedForSQL)"
    try noteRows(
      "join", of: join,
      "SELECT J.rowid, \(ShownValue.columns(value)) FROM \(join.quotedForSQL) J LEFT JOIN \(table.quotedName) D ON D.Z_PK = \(value) WHERE D.Z_PK IS NULL ORDER BY J.rowid"
    ) { row in "\(column) is \(ShownValue.text(row, at: 1)), which is not a key in \(table.name)." }
  }

  private mutating func checkOrder(_ column: String, of join: String) throws(SQLiteError) {
    let value = column.quotedForSQL
    try noteRows(
      "order", of: join,
      "SELECT rowid, \(ShownValue.columns(value)) FROM \(join.quotedForSQL) WHERE typeof(\(value)) <> 'integer' ORDER BY rowid"
    ) { row in "\(column) is \(ShownValue.text(row, at: 1)): the pair has no place in its order." }
  }
}
