package import ObjectRows
import SQLiteDriver

extension ConnectionPool {
  /// A pool with one connection that keeps reading the file's current state, whatever is written
  /// later.
  ///
  /// It is nil if the file has no write-ahead log. The log grows while the pool is open, because a
  /// checkpoint cannot pass the pinned state.
  func pinned() throws -> ConnectionPool? {
    guard readsBesideWriter, let makeReader else { return nil }
    return try StoreError.translating {
      let connection = try makeReader()
      guard try connection.get(.journalMode) == .wal else { return nil }
      var settings = settings
      settings.isReadOnly = true
      let pool = try ConnectionPool(connection, settings: settings, makeReader: nil)
      try connection.execute("BEGIN")
      // The first read fixes the state.
      _ = try connection.rows("SELECT count(*) FROM sqlite_schema")
      return pool
    }
  }
}

extension SQLiteRowStore {
  package func snapshot() throws -> (any RowStore)? {
    try pool.pinned().map { SQLiteRowStore(self, through: $0) }
  }
}
