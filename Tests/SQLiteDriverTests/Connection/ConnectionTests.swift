import Foundation
import SQLiteDriver
import TestSupport
import Testing

@Suite struct `Opening a connection` {
  @Test func `The mode create makes a missing file`() throws {
    try withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("new.sqlite").path
      try fill(Connection(.file(path)), rows: 3)
      #expect(try count(Connection(.file(path), options: .readOnly)) == 3)
    }
  }

  @Test func `The mode readWrite refuses a missing file and makes none`() throws {
    try withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("missing.sqlite").path
      let error = try sqliteError(.cannotOpen) {
        _ = try Connection(.file(path), options: .init(mode: .readWrite))
      }
      #expect(error.context.path == path)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `The mode readOnly reads and refuses to write`() throws {
    try withDatabaseFile(rows: 2) { _, path in
      let reader = try Connection(.file(path), options: .readOnly)
      #expect(reader.isReadOnly)
      #expect(try count(reader) == 2)
      try sqliteError(.readOnly) { try reader.execute("DELETE FROM t") }
    }
  }

  @Test(arguments: [
    "a?b.sqlite", "100%.sqlite", "a#b.sqlite", "file:x?mode=memory", "ü ñ.sqlite", "%41.sqlite",
  ])
  func `A path is taken literally`(name: String) throws {
    try withTemporaryDirectory { folder in
      let path = folder.path + "/" + name
      try Connection(.file(path)).execute("CREATE TABLE t(x)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    }
  }

  @Test func `The parameters of a URI apply`() throws {
    try withDatabaseFile(rows: 1) { _, path in
      let reader = try Connection(.uri("file:\(path)?mode=ro"))
      #expect(reader.isReadOnly)
    }
  }

  @Test func `The option isImmutable reads without locks`() throws {
    try withDatabaseFile(rows: 2, journal: .delete) { writer, path in
      try writer.begin(.exclusive)
      var options = Connection.Options.readOnly
      try sqliteError(.busy) { try countWithoutWaiting(path, options) }
      options.isImmutable = true
      #expect(try count(Connection(.file(path), options: options)) == 2)
      #expect(try count(Connection(.uri("file:\(path)?mode=ro"), options: options)) == 2)
    }
  }

  private func countWithoutWaiting(_ path: String, _ options: Connection.Options) throws {
    var options = options
    options.busyPolicy = .fail
    _ = try count(Connection(.file(path), options: options))
  }

  @Test func `Two databases in memory are independent`() throws {
    let first = try makeDatabase(rows: 1)
    let second = try Connection(.memory)
    #expect(try count(first) == 1)
    try sqliteError(.error) { _ = try count(second) }
  }

  @Test func `A closed connection reports that it is closed`() throws {
    let connection = try makeDatabase()
    try connection.close()
    try connection.close()
    #expect(connection.isClosed)
    #expect(connection.changes == 0)
    #expect(!connection.isInTransaction)
    let error = try sqliteError(.misuse) { try connection.execute("SELECT 1") }
    #expect(error.message == "the connection is closed")
    connection.interrupter.interrupt()
  }

  @Test func `A statement in use keeps the connection from closing`() throws {
    let connection = try makeDatabase(rows: 2)
    do {
      var statement = try connection.prepare("SELECT id FROM t")
      #expect(try statement.step())
      try sqliteError(.busy) { try connection.close() }
      #expect(try statement.step())
      #expect(statement.row.int64(at: 0) == 2)
    }
    try connection.close()
  }

  @Test func `A statement keeps its connection open`() throws {
    var statement = try makeDatabase(rows: 1).prepare("SELECT name FROM t")
    #expect(try statement.step())
    #expect(statement.row.text(at: 0) == "name 1")
  }

  @Test func `A defensive connection does not write the schema table`() throws {
    let connection = try makeDatabase()
    try connection.execute("PRAGMA writable_schema = ON")
    try sqliteError(.error) { try connection.execute("UPDATE sqlite_schema SET name = 'x'") }
  }

  @Test func `Text in double quotes is a name, never a value`() throws {
    let error = try sqliteError(.error) {
      _ = try makeDatabase().value("SELECT \"misspelt\" FROM t")
    }
    #expect(error.message == "no such column: misspelt")
  }
}

@Suite struct `Counters of a connection` {
  @Test func `A connection counts changes, total changes and the last row ID`() throws {
    let connection = try makeDatabase(rows: 4)
    #expect(connection.lastInsertedRowID == 4)
    try connection.run("UPDATE t SET name = 'x' WHERE id > 1")
    #expect(connection.changes == 3)
    try connection.run("DELETE FROM t WHERE id = 99")
    #expect(connection.changes == 0)
    #expect(connection.totalChanges == 7)
  }
}

@Suite struct `Interrupting` {
  @Test func `A running statement stops when another thread interrupts it`() throws {
    let connection = try Connection(.memory)
    let interrupter = connection.interrupter
    // The statement calls the function, so the other thread interrupts a running statement.
    try connection.register(function: "interrupt_elsewhere", arity: .exactly(0)) { _ in
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        interrupter.interrupt()
        done.signal()
      }
      done.wait()
      return 1
    }
    try sqliteError(.interrupted) {
      _ = try connection.value(
        "WITH RECURSIVE c(n) AS (SELECT interrupt_elsewhere() UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c"
      )
    }
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test func `An interrupted write leaves nothing`() throws {
    let connection = try makeDatabase(rows: 3)
    let interrupter = connection.interrupter
    try connection.register(function: "interrupt_now", arity: .exactly(1)) { arguments in
      if arguments.int64(at: 0) == 2 { interrupter.interrupt() }
      return 0
    }
    try sqliteError(.interrupted) { try connection.run("UPDATE t SET score = interrupt_now(id)") }
    #expect(try connection.value("SELECT count(*) FROM t WHERE score = 0") == 0)
  }
}
