public import CSQLite

/// A compiled statement in use.
///
/// ```swift
/// var insert = try connection.prepare("INSERT INTO ZPOST(Z_PK, ZTITLE) VALUES (?, ?)")
/// for post in posts {
///   try insert.bind(post.key, at: 1)
///   try insert.bind(post.title, at: 2)
///   try insert.run()
/// }
/// ```
///
/// It is not copyable; when it is destroyed, it returns to its connection's cache. Parameters count
/// from 1, as in `?1`; columns count from 0, as in C. Stepping is `mutating`, so the compiler
/// prevents it while bytes of the current row are borrowed.
@safe public struct Statement: ~Copyable {
  /// The current row, after `step()` has returned true.
  ///
  /// Before that, every column is null.
  package let row: Row

  @usableFromInline let handle: OpaquePointer
  /// Whether the last step found a row, so that SQLite may be reading the bindings.
  @usableFromInline var isOnRow = false
  let prepared: PreparedStatement
  package let connection: Connection

  init(_ prepared: PreparedStatement, on connection: Connection) {
    self.prepared = prepared
    self.connection = connection
    unsafe handle = unsafe prepared.handle
    row = unsafe Row(handle: prepared.handle)
  }

  deinit { connection.recycle(prepared) }

  /// The source text of the statement.
  package var sql: String { prepared.sql }

  /// Whether running it changes no database file.
  package var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }
}

// MARK: - Running

extension Statement {
  /// Moves to the next row.
  ///
  /// - Returns: False after the last row; the statement is then ready to be bound and run again.
  @inlinable
  package mutating func step() throws(SQLiteError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    isOnRow = code == SQLITE_ROW
    if isOnRow { return true }
    if code != SQLITE_DONE { throw failedStep(code) }
    unsafe sqlite3_reset(handle)
    return false
  }

  /// Runs to the end and ignores rows.
  ///
  /// Bindings stay.
  @inlinable
  package mutating func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Calls `body` with each row in turn.
  package mutating func forEachRow<Failure>(_ body: (borrowing Row) throws(Failure) -> Void) throws
  {
    while try step() { try body(row) }
  }

  /// Leaves the current row, and prepares the statement to be bound and run again.
  ///
  /// Bindings stay.
  package mutating func reset() {
    // The code repeats the error of the last step, which was already thrown.
    unsafe sqlite3_reset(handle)
    isOnRow = false
  }

  /// Returns the error of a failed step, and resets the statement.
  ///
  /// The error is created first, because the reset would replace SQLite's message.
  @usableFromInline
  func failedStep(_ code: Int32) -> SQLiteError {
    let error = connection.failure(code, sql: sql)
    unsafe sqlite3_reset(handle)
    return error
  }
}
