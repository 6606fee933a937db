/// A fixed view of the database, while others go on writing.
///
/// It is a read transaction on a separate connection. It needs write-ahead logging, with which it
/// and the writer never wait for each other. While the snapshot is held, the log cannot restart and
/// grows with every write. So release it as soon as it is no longer needed.
///
/// The threading rule of `Connection` applies to `connection`; the snapshot may outlive the
/// connection it was taken from.
package final class ReadSnapshot {
  /// Reads the database as of the snapshot.
  ///
  /// Writes on it are rejected.
  package let connection: Connection

  /// Pins the database file's latest committed state.
  ///
  /// - Parameter setUp: Registers the functions, collations, and arrays that the reads need.
  package init(
    of location: Connection.Location, options: Connection.Options = .readOnly,
    setUp: (Connection) throws -> Void = { _ in }
  ) throws {
    guard case .memory = location else {
      connection = try Connection(location, options: options.reading)
      try setUp(connection)
      try Self.pin(connection)
      return
    }
    throw SQLiteError(
      code: .misuse, message: "a database in memory has no read snapshots",
      context: .init(path: location.description))
  }

  /// Releases the snapshot.
  ///
  /// Reads after this fail. Releasing twice is allowed. Fails with `SQLITE_BUSY` while a statement
  /// of the snapshot is still in use.
  package func release() throws(SQLiteError) { try connection.close() }

  /// Whether `release()` was called.
  package var isReleased: Bool { connection.isClosed }

  private static func pin(_ connection: Connection) throws(SQLiteError) {
    let mode = try connection.get(.journalMode)
    guard mode == .wal else {
      throw SQLiteError(
        code: .misuse,
        message:
          "a read snapshot needs write-ahead logging; the journal mode is \(mode), in which it would stop writers",
        context: .init(path: connection.location.description))
    }
    try connection.begin(.deferred)
    // A deferred transaction begins with its first read.
    _ = try connection.value("SELECT count(*) FROM sqlite_schema")
  }
}

extension Connection.Options {
  fileprivate var reading: Self {
    var options = self
    options.mode = .readOnly
    return options
  }
}

extension Connection {
  /// Takes a snapshot of this connection's file, on a separate connection.
  package func readSnapshot(setUp: (Connection) throws -> Void = { _ in }) throws -> ReadSnapshot {
    try ReadSnapshot(of: location, options: options, setUp: setUp)
  }
}
