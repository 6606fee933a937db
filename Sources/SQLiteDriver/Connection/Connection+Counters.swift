internal import CSQLite

extension Connection {
  /// The number of rows that the last INSERT, UPDATE, or DELETE changed, without those that
  /// triggers changed.
  package var changes: Int {
    guard let handle = unsafe handleIfOpen else { return 0 }
    return Int(unsafe sqlite3_changes64(handle))
  }

  /// The number of rows changed since the connection was opened, including those of triggers.
  package var totalChanges: Int {
    guard let handle = unsafe handleIfOpen else { return 0 }
    return Int(unsafe sqlite3_total_changes64(handle))
  }

  /// The row number of the last successful INSERT of this connection; 0 before the first.
  package var lastInsertedRowID: Int64 {
    guard let handle = unsafe handleIfOpen else { return 0 }
    return unsafe sqlite3_last_insert_rowid(handle)
  }

  /// The number of pages that the connection has read from the file or its log since it was opened:
  /// its cache misses.
  package var pageReads: Int {
    guard let handle = unsafe handleIfOpen else { return 0 }
    var (count, most) = (CInt(0), CInt(0))
    unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &most, 0)
    return Int(count)
  }

  /// Whether the main database is read-only, by its mode or by the file's permissions.
  package var isReadOnly: Bool {
    guard let handle = unsafe handleIfOpen else { return false }
    return unsafe sqlite3_db_readonly(handle, "main") == 1
  }
}
