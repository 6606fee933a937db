internal import CSQLite

extension Connection {
  /// Sets whether the last connection of a database checkpoints its write-ahead log when it closes.
  ///
  /// This is on by default. If it is off, a connection that only reads leaves the file unchanged.
  package func setCheckpointsOnClose(_ isOn: Bool) throws(SQLiteError) {
    let handle = try unsafe handle()
    try check(
      unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
    )
  }

  /// Empties the database, even if its content is corrupt; other connections see it empty too.
  package func reset() throws(SQLiteError) {
    let handle = try unsafe handle()
    clearStatementCache()
    try check(unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_RESET_DATABASE, 1))
    defer { _ = unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_RESET_DATABASE, 0) }
    try execute("VACUUM")
  }
}
