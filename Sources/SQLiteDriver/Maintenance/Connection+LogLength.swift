internal import CSQLite

/// The length of the write-ahead log, as SQLite tells it after each commit.
final class LogLength {
  var frames = 0
}

extension Connection {
  /// Has SQLite tell this connection after each of its commits how long the log is, and checkpoint
  /// nothing by itself.
  ///
  /// For connections whose owner decides when to checkpoint: SQLite has one hook, so that this
  /// takes the place of `wal_autocheckpoint`.
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

  /// The frames in the write-ahead log after this connection's last commit; 0 before it, or where
  /// `watchLog` was not called.
  package var logFrames: Int { logLength?.frames ?? 0 }
}
