import SQLiteDriver

/// A minimal record store in plain SQLite: the reference for the server, with a table of records
/// and a table of their names.
///
/// It is as durable as the server: every transaction syncs.
final class BareRecordStore {
  private let connection: Connection
  private var count = 0

  init(path: String) throws {
    connection = try Connection(.file(path))
    try connection.set(.journalMode, to: .wal)
    try connection.set(.synchronous, to: .full)
    try connection.set(.cacheSize, to: -65_536)
    try connection.execute(
      """
      CREATE TABLE record(id INTEGER PRIMARY KEY, value BLOB NOT NULL);
      CREATE TABLE name(name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
      """)
  }

  /// Appends records in one transaction.
  func append(_ names: [String]) throws {
    try connection.transaction {
      var record = try connection.prepare("INSERT INTO record(id, value) VALUES (?, ?)")
      var place = try connection.prepare(
        "INSERT INTO name(name, id) VALUES (?, ?) ON CONFLICT DO UPDATE SET id = excluded.id")
      for name in names {
        count += 1
        try record.bind(count, at: 1)
        try record.bind(BenchRecords.bytes, at: 2)
        try record.run()
        try place.bind(name, at: 1)
        try place.bind(count, at: 2)
        try place.run()
      }
    }
  }

  /// Reads all records in order, and counts them and their bytes.
  func read() throws -> (records: Int, bytes: Int) {
    var (records, bytes) = (0, 0)
    var statement = try connection.prepare("SELECT id, value FROM record ORDER BY id")
    try statement.forEachRow { row in
      records += 1
      _ = row.withBlob(at: 1) { bytes += $0.byteCount }
    }
    return (records, bytes)
  }
}
