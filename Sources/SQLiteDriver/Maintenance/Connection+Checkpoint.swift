internal import CSQLite

/// How far a checkpoint goes.
package enum CheckpointMode: Sendable {
  /// As far as possible without waiting for anyone.
  case passive
  /// Waits for writers, and for readers of old states, until everything is in the database file.
  case full
  /// As full, and then until the next writer can begin the log anew.
  case restart
  /// As restart, and then cuts the log file to nothing.
  case truncate
}

/// What a checkpoint did.
package struct CheckpointResult: Hashable, Sendable {
  /// Frames in the log; -1 when the database does not use write-ahead logging.
  package let logFrames: Int
  /// Frames of these that are in the database file now.
  package let checkpointedFrames: Int
  /// Whether a lock of another connection kept it from going as far as its mode says.
  package let isBlocked: Bool

  package init(logFrames: Int, checkpointedFrames: Int, isBlocked: Bool) {
    self.logFrames = logFrames
    self.checkpointedFrames = checkpointedFrames
    self.isBlocked = isBlocked
  }

  /// Whether nothing is left in the log that is not in the database file.
  package var isComplete: Bool { !isBlocked && logFrames == checkpointedFrames }
}

extension Connection {
  /// Carries the write-ahead log over into the database file.
  ///
  /// Being blocked by another connection is a result, not an error: everything is safe in the log.
  @discardableResult
  package func checkpoint(_ mode: CheckpointMode = .passive) throws(SQLiteError) -> CheckpointResult
  {
    let result = try carryOver(mode)
    guard result.logFrames < 0 else { return result }
    // SQLite finds out with a connection's first read that the database has a log: a checkpoint
    // before it does nothing.
    _ = try get(.userVersion)
    return try carryOver(mode)
  }

  private func carryOver(_ mode: CheckpointMode) throws(SQLiteError) -> CheckpointResult {
    let handle = try unsafe handle()
    var logFrames: Int32 = -1
    var checkpointedFrames: Int32 = -1
    let code = unsafe sqlite3_wal_checkpoint_v2(
      handle, "main", mode.code, &logFrames, &checkpointedFrames)
    guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw failure(code) }
    return CheckpointResult(
      logFrames: Int(logFrames), checkpointedFrames: Int(checkpointedFrames),
      isBlocked: code != SQLITE_OK)
  }
}

extension CheckpointMode {
  fileprivate var code: Int32 {
    switch self {
    case .passive: SQLITE_CHECKPOINT_PASSIVE
    case .full: SQLITE_CHECKPOINT_FULL
    case .restart: SQLITE_CHECKPOINT_RESTART
    case .truncate: SQLITE_CHECKPOINT_TRUNCATE
    }
  }
}
