internal import SQLiteDriver

/// How the connections of a store are set up.
enum StoreConnection {
  /// A connection to a file that may not be a store yet; it changes nothing.
  ///
  /// - Parameter gathersLog: For who calls `prepareForWriting` before the first write.
  static func open(_ path: String, gathersLog: Bool = false) throws(SQLiteError) -> Connection {
    var options = options(.readWrite)
    options.gathersLog = gathersLog
    return try Connection(.file(path), options: options)
  }

  /// A connection that sees snapshots.
  static func openReader(_ path: String) throws(SQLiteError) -> Connection {
    let connection = try Connection(.file(path), options: options(.readOnly))
    try connection.set(.cacheSize, to: Limits.readerCacheKibibytes)
    return connection
  }

  /// Makes the file one with a log, and every commit of the connection safe from a loss of power.
  static func prepareForWriting(_ connection: Connection) throws(SQLiteError) {
    try connection.set(.journalMode, to: .wal)
    try connection.set(.synchronous, to: .full)
    // On systems whose usual call leaves data in the disk's own cache.
    try connection.set(Pragma<Bool>("fullfsync"), to: true)
    try connection.set(Pragma<Bool>("checkpoint_fullfsync"), to: true)
    try connection.set(.cacheSize, to: Limits.writerCacheKibibytes)
    try connection.set(.journalSizeLimit, to: Limits.logBytes)
    // What is removed, or sealed in its place, is overwritten; it costs nothing to speak of
    // (`DESIGN.md`).
    try connection.set(Pragma<Bool>("secure_delete"), to: true)
  }

  /// A connection that carries the log over: what it copies is on the disk before the log may begin
  /// anew.
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
