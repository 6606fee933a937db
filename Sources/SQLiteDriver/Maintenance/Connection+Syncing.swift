internal import CSQLite

extension Connection {
  /// Runs `body` with the `synchronous` level lowered to `level`, if it is higher.
  ///
  /// Do not call it in a transaction: SQLite changes the level only between transactions.
  package func withSynchronous<Result>(atMost level: Synchronous, _ body: () throws -> Result)
    throws -> Result
  {
    let own = try get(.synchronous)
    guard own.rawValue > level.rawValue else { return try body() }
    try wait(asAt: level)
    let result = Swift.Result { try body() }
    try wait(asAt: own)
    return try result.get()
  }

  /// Sets the level without `set`, which would clear the statement cache: prepared statements do
  /// not depend on the level.
  private func wait(asAt level: Synchronous) throws(SQLiteError) {
    try execute("PRAGMA synchronous = \(level.rawValue)")
  }

  /// Syncs everything that any connection has written to the write-ahead log so far.
  ///
  /// It needs no lock, so others can write meanwhile. A checkpoint has synced what it copied.
  ///
  /// - Returns: Whether there is a log.
  @discardableResult
  package func syncLog() throws(SQLiteError) -> Bool {
    // SQLite opens the log at a connection's first read.
    _ = try get(.userVersion)
    guard try get(.journalMode) == .wal else { return false }
    return try sync(SQLITE_FCNTL_JOURNAL_POINTER)
  }

  /// Syncs everything that any connection, for example by a checkpoint, has written to the database
  /// file so far.
  ///
  /// It needs no lock, so others can write meanwhile.
  package func syncFile() throws(SQLiteError) { _ = try sync(SQLITE_FCNTL_FILE_POINTER) }

  /// Syncs the file that a file control returns, if it is open, and returns whether it is.
  private func sync(_ kind: Int32) throws(SQLiteError) -> Bool {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let handle = try unsafe handle()
    try check(unsafe sqlite3_file_control(handle, "main", kind, &file))
    guard let file = unsafe file, let methods = unsafe file.pointee.pMethods,
      let sync = unsafe methods.pointee.xSync
    else { return false }
    try check(unsafe sync(file, SQLITE_SYNC_NORMAL))
    return true
  }
}
