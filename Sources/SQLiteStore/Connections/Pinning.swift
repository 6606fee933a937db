package import ObjectRows
import SQLiteDriver

extension ConnectionPool {
  /// One connection that reads the file as it is now, whatever is written later; nil where the file
  /// has no log that lets writers go on beside it.
  ///
  /// The log grows for as long as it is open: what it may read cannot be taken out of the log.
  func pinned() throws -> ConnectionPool? {
    guard readsBesideWriter, let makeReader else { return nil }
    return try StoreError.translating {
      let connection = try makeReader()
      guard try connection.get(.journalMode) == .wal else { return nil }
      var settings = settings
      settings.isReadOnly = true
      let pool = try ConnectionPool(connection, settings: settings, makeReader: nil)
      try connection.execute("BEGIN")
      // The moment is that of the first read.
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
