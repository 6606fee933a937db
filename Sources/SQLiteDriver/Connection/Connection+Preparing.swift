internal import CSQLite

extension Connection {
  /// A statement for exactly one piece of SQL, from the cache or newly compiled.
  ///
  /// When the statement is destroyed, it returns to the cache, reset and without bindings.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    if let idle = statementCache.take(sql) { return Statement(idle, on: self) }
    return Statement(try compileOnly(sql), on: self)
  }

  /// The number of idle statements in the cache.
  package var cachedStatementCount: Int { statementCache.count }

  /// Removes all idle statements from the cache.
  package func clearStatementCache() { statementCache.removeAll() }

  /// Returns a statement to the cache.
  func recycle(_ statement: PreparedStatement) {
    statement.clear()
    if !isClosed { statementCache.put(statement) }
  }

  private func compileOnly(_ sql: String) throws(SQLiteError) -> PreparedStatement {
    let (first, rest) = try compileFirst(of: sql, from: 0, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    guard let first else {
      throw SQLiteError(
        code: .misuse, message: "there is no statement in the SQL",
        context: .init(path: location.description, sql: sql)
      )
    }
    guard try compileFirst(of: sql, from: rest, flags: 0).statement == nil else {
      throw SQLiteError(
        code: .misuse,
        message: "there is more than one statement in the SQL; use execute for a script",
        context: .init(path: location.description, sql: sql, sqlOffset: rest))
    }
    return first
  }

  /// Compiles the first statement at or after a byte offset.
  ///
  /// - Returns: The statement, or nil if only blanks and comments are left, and the offset after
  ///   it.
  func compileFirst(
    of sql: String, from start: Int, flags: UInt32
  ) throws(SQLiteError) -> (statement: PreparedStatement?, rest: Int) {
    let handle = try unsafe handle()
    var compiled: OpaquePointer?
    var rest = start
    var code = SQLITE_OK
    var text = sql
    text.withUTF8 { utf8 in
      guard let base = utf8.baseAddress, start < utf8.count else { return }
      unsafe base.withMemoryRebound(to: CChar.self, capacity: utf8.count) { characters in
        var tail: UnsafePointer<CChar>?
        // The length of a text beyond 2 GB does not fit; SQLite's own limit is lower and rejects
        // the text.
        let length = Int32(clamping: utf8.count - start)
        code = unsafe sqlite3_prepare_v3(
          handle, characters + start, length, flags, &compiled, &tail)
        rest = unsafe tail.map { unsafe $0 - characters } ?? utf8.count
      }
    }
    guard code == SQLITE_OK else { throw failure(code, sql: sql, statementStart: start) }
    return (unsafe compiled.map { unsafe PreparedStatement(handle: $0, sql: sql) }, rest)
  }

  /// Converts SQLite's error offset, which counts from the statement's start, to one that counts
  /// from the text's start.
  private func failure(_ code: Int32, sql: String, statementStart: Int) -> SQLiteError {
    let error = failure(code, sql: sql)
    var context = error.context
    context.sqlOffset = context.sqlOffset.map { $0 + statementStart }
    return SQLiteError(code: error.code, message: error.message, context: context)
  }
}
