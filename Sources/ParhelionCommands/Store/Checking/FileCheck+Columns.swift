import SQLiteDriver
import SQLiteStore

/// Values of columns, where no model says what they are of: each is of a kind that its column is declared for.
extension FileCheck {
  /// The kinds of values that Core Data puts into columns of each declared type.
  private static let kinds: [(type: ColumnKind, kinds: String, meaning: String)] = [
    (.integer, "'integer', 'null'", "whole numbers"), (.float, "'real', 'integer', 'null'", "numbers"),
    (.timestamp, "'real', 'integer', 'null'", "dates"), (.decimal, "'real', 'integer', 'null'", "numbers"),
    (.varchar, "'text', 'null'", "texts"), (.blob, "'blob', 'null'", "data"),
  ]

  mutating func checkColumns() throws(SQLiteError) {
    for table in tables where file.hasTable(table.name) {
      let columns = try connection.rows(
        "SELECT name, type FROM pragma_table_info(?) WHERE name NOT IN ('Z_PK', 'Z_ENT', 'Z_OPT')", [.text(table.name)])
      for column in columns {
        guard case .text(let name) = column[0], case .text(let type) = column[1],
          let wanted = Self.kinds.first(where: { $0.type.rawValue == type })
        else { continue }
        let value = name.quotedForSQL
        try noteRows(
          "value", of: table.name,
          "SELECT Z_PK, \(ShownValue.columns(value)) FROM \(table.quotedName) WHERE typeof(\(value)) NOT IN (\(wanted.kinds)) ORDER BY Z_PK"
        ) { row in "\(name) has \(ShownValue.text(row, at: 1)), but is a column of \(wanted.meaning)." }
      }
    }
  }
}
