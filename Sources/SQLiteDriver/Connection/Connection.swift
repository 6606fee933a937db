internal import CSQLite

/// One open SQLite database.
///
/// **Threading rule.** A connection, and everything taken from it (statements, rows, backups,
/// integer arrays), is used by one thread at a time. It is opened without SQLite's own mutex, so
/// that nothing is locked per call; whoever shares it serialises access, as a store's queue does.
/// The one exception is `interrupter`, which any thread may use.
///
/// **Ownership.** A statement keeps its connection open. The connection closes when the last
/// reference is gone, or earlier and with an error report by `close()`. Closures that are
/// registered with a connection live as long as it does: they must not hold it strongly.
@safe package final class Connection {
  /// Where the database is.
  package let location: Location

  /// How it was opened.
  package let options: Options

  /// Stops a running statement; for use from any thread.
  package let interrupter: Interrupter

  /// Idle prepared statements.
  @safe @exclusivity(unchecked) var statementCache: StatementCache

  /// Decides which commits go through while a `transaction` closure runs.
  let commitGuard = CommitGuard()

  /// Savepoints that are open now; gives each its own name.
  var savepointDepth = 0

  /// The closure of `BusyPolicy.ask`, held here for as long as SQLite has its address.
  var busyQuestion: BusyHandlerBox?

  /// What `watchLog` keeps, held here for as long as SQLite has its address.
  var logLength: LogLength?

  /// The hook of the statement log, or nil when it is off.
  var statementLog: StatementLog?

  /// Where the rows of running statements go, once a statement hands its rows on.
  var rowSink: RowSink?

  /// The integer arrays registered so far, by number.
  var integerArrays: [Int: IntegerArray] = [:]

  private var openHandle: OpaquePointer?

  /// Opens the database at `location`.
  ///
  /// SQLite reads the file when the first statement runs: a file that is no database is reported
  /// then.
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
    // The deferred form: a blob or backup that outlives us keeps SQLite's own structure alive until
    // it ends.
    if let handle = unsafe openHandle { unsafe sqlite3_close_v2(handle) }
  }

  /// Closes the file now.
  ///
  /// Fails with `SQLITE_BUSY`, and leaves the connection usable, while a statement or a backup is
  /// still open. Closing twice is allowed.
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

  /// Whether `close()` has ended this connection.
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

  /// The C handle where an error has no way out: nil once closed.
  var handleIfOpen: OpaquePointer? { unsafe openHandle }
}
