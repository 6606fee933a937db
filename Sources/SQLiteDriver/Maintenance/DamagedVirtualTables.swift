internal import CSQLite

/// Removes virtual tables that SQLite cannot open, for example because a shadow table is missing.
package enum DamagedVirtualTables {
  /// Removes the entry of a virtual table from the schema, and then its shadow tables.
  ///
  /// DROP TABLE would have to open the virtual table. Call this method inside a transaction.
  package static func remove(
    _ name: String, contentTables: [String], from connection: Connection
  ) throws(SQLiteError) {
    let handle = try unsafe connection.handle()
    try connection.check(
      unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_DEFENSIVE, 0))
    defer {
      let isDefensive: Int32 = connection.options.isDefensive ? 1 : 0
      _ = unsafe parhelion_sqlite3_db_config_set(handle, SQLITE_DBCONFIG_DEFENSIVE, isDefensive)
    }
    try connection.execute("PRAGMA writable_schema = ON")
    do {
      try connection.run(
        "DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(name)])
    } catch {
      try? connection.execute("PRAGMA writable_schema = RESET")
      throw error
    }
    try connection.execute("PRAGMA writable_schema = RESET")
    for table in contentTables { try connection.execute("DROP TABLE IF EXISTS \"\(table)\"") }
  }
}
