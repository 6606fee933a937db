internal import CSQLite

extension Connection {
  /// Decides whether the last connection of a database carries its write-ahead log over when it
  /// closes.
  ///
  /// It does unless this says otherwise. A connection that only read leaves the file as it was
  /// where it does not.
  package func setCheckpointsOnClose(_ isOn: Bool) throws(SQLiteError) {
    let handle = try unsafe handle()
    try check(
      unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
    )
  }

  /// Makes the database an empty one, even where its content is damaged; other connections see it
  /// empty too.
  package func reset() throws(SQLiteError) {
    let handle = try unsafe handle()
    clearStatementCache()
    try check(unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_RESET_DATABASE, 1))
    defer { _ = unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_RESET_DATABASE, 0) }
    try execute("VACUUM")
  }
}
