internal import SQLiteDriver

/// Opens and configures the connections to a store.
enum StoreConnection {
  /// Opens a connection to a file that may not be a store yet, without changing it.
  ///
  /// - Parameter gathersLog: Whether writes to the log are combined. The caller must then call
  ///   `prepareForWriting` before the first write.
  static func open(_ path: String, gathersLog: Bool = false) throws(SQLiteError) -> Connection {
    var options = options(.readWrite)
    options.gathersLog = gathersLog
    return try Connection(.file(path), options: options)
  }

  /// Opens a connection for reading snapshots.
  static func openReader(_ path: String) throws(SQLiteError) -> Connection {
    let connection = try Connection(.file(path), options: options(.readOnly))
    try connection.set(.cacheSize, to: Limits.readerCacheKibibytes)
    return connection
  }

  /// Enables the write-ahead log, and makes every commit of the connection survive a power loss.
  static func prepareForWriting(_ connection: Connection) throws(SQLiteError) {
    try connection.set(.journalMode, to: .wal)
    try connection.set(.synchronous, to: .full)
    // On some systems a plain `fsync` leaves data in the disk's own cache.
    try connection.set(Pragma<Bool>("fullfsync"), to: true)
    try connection.set(Pragma<Bool>("checkpoint_fullfsync"), to: true)
    try connection.set(.cacheSize, to: Limits.writerCacheKibibytes)
    try connection.set(.journalSizeLimit, to: Limits.logBytes)
    // Overwrites values that were deleted, or replaced by their sealed form. The cost is negligible
    // (`DESIGN.md`).
    try connection.set(Pragma<Bool>("secure_delete"), to: true)
  }

  /// Opens a connection for checkpoints.
  ///
  /// It syncs what it copies before the log may restart.
  static func openCheckpointer(_ path: String) throws(SQLiteError) -> Connection {
    let connection = try open(path)
    try connection.set(.synchronous, to: .full)
    try connection.set(Pragma<Bool>("checkpoint_fullfsync"), to: true)
    return connection
  }

  private static func options(_ mode: Connection.Mode) -> Connection.Options {
    var options = Connection.Options(mode: mode)
    options.busyPolicy = .wait(Limits.busyTimeout)
    return options
  }
}
