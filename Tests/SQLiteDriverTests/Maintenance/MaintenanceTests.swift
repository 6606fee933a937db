import Foundation
import SQLiteDriver
import TestSupport
import Testing

@Suite struct `Integrity checks` {
  @Test(arguments: [IntegrityCheck.quick, .full])
  func `A valid database has no issues`(check: IntegrityCheck) throws {
    #expect(try makeDatabase(rows: 100).issues(check) == [])
  }

  @Test func `Damage is listed up to the limit`() throws {
    try withDatabaseFile(rows: 3_000, journal: .delete) { connection, path in
      let size = Int(try connection.get(.pageSize))
      try connection.close()
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      // Erases the table's last pages, but not the header, the schema or the table's root.
      for offset in (bytes.count - size * 10)..<bytes.count { bytes[offset] = 0xAA }
      try bytes.write(to: URL(fileURLWithPath: path))
      let broken = try Connection(.file(path))
      #expect(try broken.issues(.full, limit: 3).count == 3)
      #expect(try broken.issues(.quick).count > 3)
      try sqliteError(.corrupt) { _ = try broken.rows("SELECT * FROM t") }
    }
  }

  @Test func `Only the full check finds an inconsistent index`() throws {
    let connection = try Connection(.memory)
    var isTurned = false
    try connection.register(
      function: "turn", arity: .exactly(1), traits: [.deterministic, .innocuous]
    ) { arguments in
      .integer(isTurned ? -arguments.int64(at: 0) : arguments.int64(at: 0))
    }
    try connection.execute(
      "CREATE TABLE w(x); CREATE INDEX i ON w(turn(x)); INSERT INTO w VALUES (1), (2)")
    isTurned = true
    connection.clearStatementCache()
    #expect(try connection.issues(.quick) == [])
    #expect(try connection.issues(.full).isEmpty == false)
  }
}

@Suite struct `Checkpoints` {
  @Test func `A checkpoint moves the log into the file`() throws {
    try withDatabaseFile(rows: 100) { connection, path in
      let log = path + "-wal"
      let result = try connection.checkpoint()
      #expect(result.isComplete)
      #expect(result.logFrames > 0)
      #expect(try size(log) > 0)
      #expect(
        try connection.checkpoint(.truncate)
          == .init(logFrames: 0, checkpointedFrames: 0, isBlocked: false))
      #expect(try size(log) == 0)
      #expect(try count(Connection(.file(path), options: immutable)) == 100)
    }
  }

  @Test(arguments: [CheckpointMode.full, .restart, .truncate])
  func `A reader of an old state blocks the checkpoint, and nothing is lost`(mode: CheckpointMode)
    throws
  {
    try withDatabaseFile(rows: 1) { writer, _ in
      try writer.setBusyPolicy(.fail)
      let snapshot = try writer.readSnapshot()
      try writer.run("INSERT INTO t(id) VALUES (2)")
      let result = try writer.checkpoint(mode)
      #expect(result.isBlocked)
      #expect(!result.isComplete)
      #expect(try count(writer) == 2)
      #expect(try count(snapshot.connection) == 1)
    }
  }

  @Test func `A passive checkpoint does as much as possible`() throws {
    try withDatabaseFile(rows: 1) { writer, _ in
      let snapshot = try writer.readSnapshot()
      try writer.run("INSERT INTO t(id) VALUES (2)")
      let result = try writer.checkpoint(.passive)
      #expect(!result.isBlocked)
      #expect(result.checkpointedFrames < result.logFrames)
      try snapshot.release()
    }
  }

  @Test func `A checkpoint may be a connection's first operation`() throws {
    try withDatabaseFile(rows: 100) { _, path in
      let result = try Connection(.file(path)).checkpoint()
      #expect(result.isComplete)
      #expect(result.logFrames > 0)
    }
  }

  @Test func `A checkpoint without a log does nothing`() throws {
    #expect(
      try makeDatabase().checkpoint()
        == .init(logFrames: -1, checkpointedFrames: -1, isBlocked: false))
  }

  @Test func `A checkpoint inside a write transaction is refused`() throws {
    try withDatabaseFile(rows: 1) { connection, _ in
      try connection.transaction {
        try connection.run("DELETE FROM t")
        try sqliteError(.locked) { try connection.checkpoint() }
      }
    }
  }

  private var immutable: Connection.Options {
    var options = Connection.Options.readOnly
    options.isImmutable = true
    return options
  }

  private func size(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? -1
  }
}
