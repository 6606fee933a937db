internal import CSQLite

/// The length of the write-ahead log, as SQLite reports it after each commit.
final class LogLength {
  var frames = 0
}

extension Connection {
  /// Tracks the length of the log after each commit of this connection, and turns off automatic
  /// checkpoints.
  ///
  /// For connections whose owner decides when to checkpoint: SQLite has one hook, so this replaces
  /// `wal_autocheckpoint`.
  package func watchLog() throws(SQLiteError) {
    let handle = try unsafe handle()
    let length = LogLength()
    logLength = length
    _ = unsafe sqlite3_wal_hook(
      handle,
      { context, _, _, frames in
        if let context = unsafe context {
          unsafe Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue().frames = Int(frames)
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(length).toOpaque())
  }

  /// The number of frames in the write-ahead log after this connection's last commit.
  ///
  /// It is 0 before the first commit, or without `watchLog`.
  package var logFrames: Int { logLength?.frames ?? 0 }
}
