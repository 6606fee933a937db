import CSQLite
import Foundation
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@Suite struct `A gathered write-ahead log` {
  /// A connection with a cache so small that transactions write to the log, and read from it,
  /// before they end.
  private static func open(_ path: String, gathersLog: Bool = true) throws -> Connection {
    var options = Connection.Options()
    options.gathersLog = gathersLog
    let connection = try Connection(.file(path), options: options)
    try connection.set(.journalMode, to: .wal)
    try connection.set(.synchronous, to: .full)
    try connection.set(.cacheSize, to: 10)
    return connection
  }

  @Test(arguments: 0..<8) func `Two writers and a reader agree on the contents`(_ run: Int) throws {
    var random = SeededGenerator.forTest()
    try withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("test.sqlite").path
      // The second writer simulates another process.
      let writers = [try Self.open(path), try Self.open(path, gathersLog: run.isMultiple(of: 2))]
      try writers[0].execute("CREATE TABLE t(id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
      let reader = try Connection(.file(path), options: .readOnly)
      var kept: [Int64: Int64] = [:]
      for _ in 0..<60 {
        let writer = writers[Int.random(in: 0...1, using: &random)]
        kept = try Self.change(writer, kept, using: &random)
        #expect(try Self.contents(of: reader) == kept, "\(random)")
      }
      #expect(try reader.value("PRAGMA integrity_check") == "ok", "\(random)")
      for writer in writers { try writer.close() }
      #expect(try Self.contents(of: reader) == kept, "\(random)")
    }
  }

  /// Runs a transaction, which may be rolled back.
  ///
  /// - Returns: The rows after the transaction, with the lengths of their data.
  private static func change(
    _ writer: Connection, _ before: [Int64: Int64], using random: inout SeededGenerator
  ) throws -> [Int64: Int64] {
    var rows = before
    try writer.begin()
    for _ in 0..<Int.random(in: 1...80, using: &random) {
      let id = Int64.random(in: 0..<150, using: &random)
      if Bool.random(using: &random) || rows.count < 20 {
        let bytes = [UInt8](repeating: UInt8(id), count: Int.random(in: 0...9_000, using: &random))
        try writer.run("INSERT OR REPLACE INTO t VALUES (?, ?)", [.integer(id), .blob(bytes)])
        rows[id] = Int64(bytes.count)
      } else {
        try writer.run("DELETE FROM t WHERE id = ?", [.integer(id)])
        rows[id] = nil
      }
    }
    #expect(try contents(of: writer) == rows, "\(random)")
    if Int.random(in: 0..<3, using: &random) == 0 {
      try writer.rollback()
      return before
    }
    try writer.commit()
    return rows
  }

  private static func contents(of connection: Connection) throws -> [Int64: Int64] {
    var rows: [Int64: Int64] = [:]
    var statement = try connection.prepare(
      "SELECT id, length(data), data = zeroblob(0) OR hex(substr(data, -1)) = printf('%02X', id) FROM t"
    )
    try statement.forEachRow { row in
      #expect(row.int64(at: 2) == 1)
      rows[row.int64(at: 0)] = row.int64(at: 1)
    }
    return rows
  }

  @Test func `One call writes thirty pages`() async {
    await #expect(processExitsWith: .success) {
      WriteCounter.install()
      try withTemporaryDirectory { folder in
        let connection = try Self.open(folder.appendingPathComponent("test.sqlite").path)
        try connection.set(.cacheSize, to: 1_000)
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
        let before = WriteCounter.count.load(ordering: .sequentiallyConsistent)
        try connection.transaction {
          for _ in 0..<100 { try connection.run("INSERT INTO t(data) VALUES (randomblob(3000))") }
        }
        // At least a hundred pages, for each of which SQLite alone needs two calls.
        try #require(
          (1...5).contains(WriteCounter.count.load(ordering: .sequentiallyConsistent) - before))
      }
    }
  }
}

/// Counts the writes to SQLite's files in the whole process.
///
/// For exit tests.
private enum WriteCounter {
  static let count = Atomic<Int>(0)

  static func install() {
    let vfs = sqlite3_vfs_find(nil)
    let placed: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
      file, bytes, count, offset in
      WriteCounter.count.add(1, ordering: .sequentiallyConsistent)
      return pwrite(file, bytes, count, offset)
    }
    for name in ["pwrite", "pwrite64"] {
      _ = vfs?.pointee.xSetSystemCall(
        vfs, name, unsafeBitCast(placed, to: sqlite3_syscall_ptr.self))
    }
  }
}
