import SQLiteDriver

/// Replaces Core Data's tables in a database with those of an attached one, within the caller's
/// transaction.
///
/// Tables of other programs stay. The caller first removes full-text indexes and recreates them
/// afterwards, because copied index rows would get other row numbers.
struct ContentsReplacement {
  let connection: Connection
  /// The name of the attached database.
  let source: String

  func run() throws(SQLiteError) {
    let tables = try sourceTables()
    let virtual = try names("type = 'table' AND sql LIKE 'CREATE VIRTUAL%' AND \(Self.isOurs)")
    try drop(virtual)
    try drop(names("type = 'table' AND \(Self.isOurs)"))
    for table in tables { try connection.execute(table.sql) }
    for table in tables {
      let name = quoted(table.name)
      try connection.execute("INSERT INTO main.\(name) SELECT * FROM \(source).\(name)")
    }
    for sql in try definitions("index") + definitions("trigger") { try connection.execute(sql) }
  }

  /// A condition for the names of Core Data's tables.
  private static let isOurs =
    "(name GLOB 'Z*' OR name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))"

  /// The tables of the attached database, without full-text indexes and shadow tables.
  private func sourceTables() throws(SQLiteError) -> [(name: String, sql: String)] {
    let rows = try connection.rows(
      """
      SELECT s.name, s.sql FROM \(source).sqlite_schema s
      JOIN pragma_table_list t ON t.schema = '\(source)' AND t.name = s.name
      WHERE s.type = 'table' AND t.type != 'shadow' AND s.name NOT GLOB 'PHF_*'
      AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY s.rowid
      """)
    return rows.compactMap { row in
      guard case .text(let name) = row[0], case .text(let sql) = row[1] else { return nil }
      return (name, sql)
    }
  }

  private func definitions(_ type: String) throws(SQLiteError) -> [String] {
    let rows = try connection.rows(
      """
      SELECT sql FROM \(source).sqlite_schema WHERE type = '\(type)' AND sql NOT NULL \
      AND name NOT GLOB 'PHF_*' ORDER BY rowid
      """
    )
    return rows.compactMap { if case .text(let sql)? = $0.first { sql } else { nil } }
  }

  /// The names in the database's own catalog.
  private func names(_ condition: String) throws(SQLiteError) -> [String] {
    let rows = try connection.rows(
      """
      SELECT name FROM main.sqlite_schema WHERE \(condition) AND name NOT LIKE 'sqlite\\_%' \
      ESCAPE '\\' ORDER BY name
      """
    )
    return rows.compactMap { if case .text(let name)? = $0.first { name } else { nil } }
  }

  private func drop(_ names: [String]) throws(SQLiteError) {
    for name in names { try connection.execute("DROP TABLE main.\(quoted(name))") }
  }

  private func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }
}
