internal import CSQLite

extension Connection {
  /// Does something while commits wait for the disk as a level says, where they wait longer
  /// otherwise.
  ///
  /// Not within a transaction: SQLite changes the level only between them.
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

  /// Not by `set`, which forgets the prepared statements: these do not depend on the level.
  private func wait(asAt level: Synchronous) throws(SQLiteError) {
    try execute("PRAGMA synchronous = \(level.rawValue)")
  }

  /// Waits until the disk has all that any connection has written to the write-ahead log before.
  ///
  /// Needs no lock, so that others write meanwhile. A log that was carried over into the file was
  /// synced then.
  ///
  /// - Returns: Whether there is a log.
  @discardableResult
  package func syncLog() throws(SQLiteError) -> Bool {
    // SQLite opens the log with a connection's first read.
    _ = try get(.userVersion)
    guard try get(.journalMode) == .wal else { return false }
    return try sync(SQLITE_FCNTL_JOURNAL_POINTER)
  }

  /// Waits until the disk has all that any connection has written to the database file before, as
  /// checkpoints do.
  ///
  /// Needs no lock, so that others write meanwhile.
  package func syncFile() throws(SQLiteError) { _ = try sync(SQLITE_FCNTL_FILE_POINTER) }

  /// - Parameter kind: What asks SQLite for the file.
  /// - Returns: Whether it is open.
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
