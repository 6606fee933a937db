internal import CSQLite

extension Connection {
  /// Runs every statement of a script, in order, and ignores rows.
  ///
  /// Stops at the first error.
  package func execute(_ script: String) throws(SQLiteError) {
    var offset = 0
    while true {
      let (statement, rest) = try compileFirst(of: script, from: offset, flags: 0)
      guard let statement else { return }
      try finish(statement)
      offset = rest
    }
  }

  /// Runs one statement with the values bound in order, and ignores rows.
  package func run(_ sql: String, _ values: [Value] = []) throws(SQLiteError) {
    var statement = try prepare(sql)
    try statement.bind(values)
    try statement.run()
  }

  /// The first column of the first row, or nil if there is no row.
  package func value(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Value? {
    var statement = try prepare(sql)
    try statement.bind(values)
    guard try statement.step() else { return nil }
    return statement.row.value(at: 0)
  }

  /// All rows as values.
  ///
  /// This is for short results; a store does not read its rows this way.
  package func rows(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> [[Value]] {
    var statement = try prepare(sql)
    try statement.bind(values)
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.row.values) }
    return rows
  }

  private func finish(_ statement: PreparedStatement) throws(SQLiteError) {
    var code: Int32
    repeat { code = unsafe sqlite3_step(statement.handle) } while code == SQLITE_ROW
    guard code == SQLITE_DONE else { throw failure(code, sql: statement.sql) }
  }
}
