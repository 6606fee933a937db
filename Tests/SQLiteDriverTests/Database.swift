import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// A database in memory with one table for reading and writing.
func makeDatabase(rows: Int = 0) throws -> Connection {
  let connection = try Connection(.memory)
  try fill(connection, rows: rows)
  return connection
}

/// Creates the table `t(id, name, score, data)` with `rows` rows, numbered from 1.
func fill(_ connection: Connection, rows: Int) throws {
  try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL, data BLOB)")
  try connection.transaction {
    for id in stride(from: 1, through: rows, by: 1) {
      try connection.run(
        "INSERT INTO t VALUES (?, ?, ?, ?)",
        [
          .integer(Int64(id)), .text("name \(id)"), .real(Double(id) / 2),
          .blob([UInt8(truncatingIfNeeded: id)]),
        ])
    }
  }
}

/// Calls a closure with a database file that has the table of `fill`, and with the file's path.
func withDatabaseFile<Result>(
  rows: Int = 0, journal: JournalMode = .wal, _ body: (Connection, String) throws -> Result
) throws -> Result {
  try withTemporaryDirectory { folder in
    let path = folder.appendingPathComponent("test.sqlite").path
    let connection = try Connection(.file(path))
    try connection.set(.journalMode, to: journal)
    try fill(connection, rows: rows)
    return try body(connection, path)
  }
}

/// The number of rows in the table of `fill`.
func count(_ connection: Connection) throws -> Value? {
  try connection.value("SELECT count(*) FROM t")
}

/// The error that `body` throws.
///
/// Fails the test if it throws none, or one with another code.
@discardableResult
func sqliteError(
  _ code: SQLiteError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) throws -> SQLiteError {
  let error = try #require(throws: SQLiteError.self, sourceLocation: sourceLocation) { try body() }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  return error
}
