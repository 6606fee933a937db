internal import CSQLite

/// The extent of a checkpoint.
package enum CheckpointMode: Sendable {
  /// As far as possible without waiting.
  case passive
  /// Waits for writers, and for readers of old states, until the database file contains everything.
  case full
  /// Like full, and then waits until the next writer can restart the log.
  case restart
  /// Like restart, and then truncates the log file.
  case truncate
}

/// The result of a checkpoint.
package struct CheckpointResult: Hashable, Sendable {
  /// The number of frames in the log; -1 if the database does not use write-ahead logging.
  package let logFrames: Int
  /// The number of these frames that are in the database file.
  package let checkpointedFrames: Int
  /// Whether another connection's lock stopped the checkpoint before its mode's full extent.
  package let isBlocked: Bool

  package init(logFrames: Int, checkpointedFrames: Int, isBlocked: Bool) {
    self.logFrames = logFrames
    self.checkpointedFrames = checkpointedFrames
    self.isBlocked = isBlocked
  }

  /// Whether the database file contains the whole log.
  package var isComplete: Bool { !isBlocked && logFrames == checkpointedFrames }
}

extension Connection {
  /// Moves the write-ahead log into the database file.
  ///
  /// A checkpoint that another connection blocks is a result, not an error: the log still contains
  /// everything.
  @discardableResult
  package func checkpoint(_ mode: CheckpointMode = .passive) throws(SQLiteError) -> CheckpointResult
  {
    let result = try carryOver(mode)
    guard result.logFrames < 0 else { return result }
    // SQLite detects the log at a connection's first read; a checkpoint before that does nothing.
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
