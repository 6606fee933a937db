import ObjectRows
import SQLiteDriver

/// The tables and columns that a file contains.
///
/// They are read from SQLite's catalog, not from the text of definitions, which migrations leave in
/// many forms.
package struct FileSchema {
  /// A row of `Z_PRIMARYKEY`.
  package struct PrimaryKeyRow: Hashable {
    package let number: Int
    package let name: String
    package let superNumber: Int
    package let maximum: Int64
  }

  /// The columns of each table, by the table's name in upper case.
  private let columnsByTable: [String: [String]]
  /// The primary key column of each table, all in upper case.
  private let keysByTable: [String: String]
  /// The rows of `Z_PRIMARYKEY` that have a possible number and a name.
  package let primaryKeys: [PrimaryKeyRow]

  /// Reads the tables and columns of a file.
  ///
  /// - Parameter tables: The names in upper case of the tables to read; nil for all. Each costs one
  ///   statement.
  init(_ connection: Connection, tables: [String]? = nil) throws(SQLiteError) {
    var columns: [String: [String]] = [:]
    var keys: [String: [(name: String, isWhole: Bool)]] = [:]
    let isNamed =
      tables.map { " AND upper(t.name) IN (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
    let rows = try connection.rows(
      """
      SELECT t.name, c.name, c.pk, upper(c.type) = 'INTEGER' FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'\(isNamed) ORDER BY t.name, c.cid
      """, (tables ?? []).map { .text($0) })
    for row in rows {
      guard case .text(let table) = row[0], case .text(let column) = row[1] else { continue }
      columns[table.uppercased(), default: []].append(column)
      guard row[2].integer != 0 else { continue }
      keys[table.uppercased(), default: []].append((column.uppercased(), row[3].integer == 1))
    }
    columnsByTable = columns
    keysByTable = keys.compactMapValues { $0.count == 1 && $0[0].isWhole ? $0[0].name : nil }
    let keyColumns = Set(columns["Z_PRIMARYKEY"] ?? [])
    primaryKeys =
      keyColumns.isSuperset(of: ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"])
      ? try Self.primaryKeys(connection) : []
  }

  private static func primaryKeys(_ connection: Connection) throws(SQLiteError) -> [PrimaryKeyRow] {
    try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
      .compactMap { row in
        guard case .integer(let number) = row[0], Limits.entityNumbers.contains(number),
          case .text(let name) = row[1]
        else { return nil }
        return PrimaryKeyRow(
          number: Int(number), name: name, superNumber: Int(row[2].integer ?? 0),
          maximum: row[3].integer ?? 0)
      }
  }

  package var tables: [String] { columnsByTable.keys.sorted() }

  package func hasTable(_ name: String) -> Bool { columnsByTable[name.uppercased()] != nil }

  /// The columns of a table, or nil if the file has no such table.
  package func columns(of table: String) -> [String]? { columnsByTable[table.uppercased()] }

  /// Whether a table has a column; case-insensitive, as in SQLite.
  package func has(_ column: String, in table: String) -> Bool {
    columns(of: table)?.contains { $0.uppercased() == column.uppercased() } ?? false
  }

  /// Whether a column is a table's row identifier: declared as its only `INTEGER PRIMARY KEY`.
  package func isKey(_ column: String, of table: String) -> Bool {
    keysByTable[table.uppercased()] == column.uppercased()
  }
}

extension Value {
  /// The value, if it is an integer.
  var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}
