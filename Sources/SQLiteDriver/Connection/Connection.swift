internal import CSQLite

/// One open SQLite database.
///
/// **Threading rule.** One thread at a time uses a connection and everything taken from it:
/// statements, rows, backups, integer arrays. The connection has no mutex of SQLite's, so that
/// calls take no lock. Code that shares a connection must serialize access, as a store's queue
/// does. The exception is `interrupter`, which any thread may use.
///
/// **Ownership.** A statement keeps its connection open. The connection closes when the last
/// reference is released; `close()` closes it earlier and reports errors. Registered closures live
/// as long as the connection and must not retain it.
@safe package final class Connection {
  /// The location of the database.
  package let location: Location

  /// The options that it was opened with.
  package let options: Options

  /// Stops a running statement; for use from any thread.
  package let interrupter: Interrupter

  /// Idle prepared statements.
  @safe @exclusivity(unchecked) var statementCache: StatementCache

  /// Rejects implicit commits while a `transaction` closure runs.
  let commitGuard = CommitGuard()

  /// The number of open savepoints, which gives each a unique name.
  var savepointDepth = 0

  /// The closure of `BusyPolicy.ask`, retained as long as SQLite has its address.
  var busyQuestion: BusyHandlerBox?

  /// The state of `watchLog`, retained as long as SQLite has its address.
  var logLength: LogLength?

  /// The hook of the statement log, or nil when it is off.
  var statementLog: StatementLog?

  /// The destination of rows from the bulk interface, once it is used.
  var rowSink: RowSink?

  /// The integer arrays registered so far, by number.
  var integerArrays: [Int: IntegerArray] = [:]

  private var openHandle: OpaquePointer?

  /// Opens the database at `location`.
  ///
  /// SQLite reads the file when the first statement runs; a file that is not a database fails then.
  package init(_ location: Location, options: Options = Options()) throws(SQLiteError) {
    let handle = try unsafe Self.openHandle(of: location, options: options)
    self.location = location
    self.options = options
    statementCache = StatementCache(capacity: options.statementCacheCapacity)
    unsafe openHandle = handle
    interrupter = unsafe Interrupter(handle)
    try configure()
  }

  deinit {
    statementCache.removeAll()
    interrupter.disable()
    // If a statement were still open, SQLite would close when it is finalized.
    if let handle = unsafe openHandle { unsafe sqlite3_close_v2(handle) }
  }

  /// Closes the file now.
  ///
  /// If a statement or a backup is still open, this fails with `SQLITE_BUSY` and the connection
  /// stays usable. Closing twice is allowed.
  package func close() throws(SQLiteError) {
    guard let handle = unsafe openHandle else { return }
    statementCache.removeAll()
    interrupter.disable()
    let code = unsafe sqlite3_close(handle)
    guard code == SQLITE_OK else {
      unsafe interrupter.enable(handle)
      throw failure(code)
    }
    unsafe openHandle = nil
  }

  /// Whether `close()` has closed this connection.
  package var isClosed: Bool { unsafe openHandle == nil }

  /// The C handle, for this module's own calls.
  func handle() throws(SQLiteError) -> OpaquePointer {
    guard let handle = unsafe openHandle else {
      throw SQLiteError(
        code: .misuse, message: "the connection is closed",
        context: .init(path: location.description))
    }
    return unsafe handle
  }

  /// The C handle for code that cannot throw; nil if the connection is closed.
  var handleIfOpen: OpaquePointer? { unsafe openHandle }
}
