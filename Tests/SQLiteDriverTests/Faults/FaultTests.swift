import Foundation
import SQLiteDriver
import TestSupport
import Testing

@Suite struct `File failures` {
  @Test func `A file that is not a database is reported as such`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("notes.txt")
      let text = Data(String(repeating: "just notes. ", count: 100).utf8)
      try text.write(to: url)
      let connection = try Connection(.file(url.path))
      let error = try sqliteError(.notADatabase) { _ = try connection.get(.userVersion) }
      #expect(error.context.path == url.path)
      #expect(error.remedy.contains("Check the path"))
      #expect(try Data(contentsOf: url) == text)
    }
  }

  @Test func `A truncated file is reported as damaged, with the remedy`() throws {
    try withDatabaseFile(rows: 3_000, journal: .delete) { connection, path in
      try connection.close()
      let handle = try #require(FileHandle(forUpdatingAtPath: path))
      try handle.truncate(atOffset: 4096 * 4)
      try handle.close()
      let cut = try Connection(.file(path))
      let error = try sqliteError(.corrupt) { _ = try cut.rows("SELECT * FROM t") }
      #expect(error.remedy.contains("backup"))
    }
  }

  @Test func `A missing folder is reported`() throws {
    try withTemporaryDirectory { folder in
      let path = folder.path + "/no/such/folder/x.sqlite"
      let error = try sqliteError(.cannotOpen) { _ = try Connection(.file(path)) }
      #expect(error.context.path == path)
      #expect(error.context.systemError == 2)
      #expect(error.remedy.contains("folder exists"))
    }
  }

  @Test func `A folder in the file's place is reported`() throws {
    try withTemporaryDirectory { folder in
      let error = try #require(throws: SQLiteError.self) { _ = try Connection(.file(folder.path)) }
      #expect(error.code.primary == .cannotOpen)
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "/proc/self"),
      "needs a folder that no user can write to"
    ))
  func `A read-only folder is reported`() throws {
    // Not even the superuser can create files in /proc.
    let error = try sqliteError(.cannotOpen) { _ = try Connection(.file("/proc/parhelion.sqlite")) }
    #expect(error.remedy.contains("create files"))
  }

  @Test func `A full disk undoes the transaction and keeps earlier data`() throws {
    try withDatabaseFile(rows: 10, journal: .delete) { connection, path in
      try connection.set(.maximumPageCount, to: try connection.get(.pageCount) + 5)
      let error = try sqliteError(.full) {
        try connection.transaction {
          for _ in 0..<100 { try connection.run("INSERT INTO t(data) VALUES (zeroblob(4000))") }
        }
      }
      #expect(error.remedy.contains("Free space"))
      #expect(!connection.isInTransaction)
      #expect(try count(connection) == 10)
      #expect(try Connection(.file(path)).issues(.full) == [])
      try connection.set(.maximumPageCount, to: 1_000)
      try connection.transaction {
        for _ in 0..<100 { try connection.run("INSERT INTO t(data) VALUES (zeroblob(4000))") }
      }
      #expect(try count(connection) == 110)
    }
  }

  @Test(arguments: [JournalMode.wal, .delete])
  func `A process that dies in a transaction leaves the previous state`(journal: JournalMode)
    throws
  {
    try withDatabaseFile(rows: 200, journal: journal) { connection, path in
      // A tiny cache makes SQLite write pages of the unfinished transaction to the files.
      try connection.set(.cacheSize, to: 5)
      try connection.begin()
      try connection.run("UPDATE t SET name = 'half', data = zeroblob(2000)")
      let copy = path + ".copy"
      for suffix in ["", "-wal", "-journal"]
      where FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      let left = copy + (journal == .wal ? "-wal" : "-journal")
      #expect(try Data(contentsOf: URL(fileURLWithPath: left)).count > 4096)
      let survivor = try Connection(.file(copy))
      #expect(try survivor.value("SELECT count(*) FROM t WHERE name LIKE 'name %'") == 200)
      #expect(try survivor.issues(.full) == [])
      try connection.rollback()
    }
  }

  @Test func `A commit survives the death of its process`() throws {
    try withDatabaseFile(rows: 5) { connection, path in
      try connection.run("INSERT INTO t(id) VALUES (6)")
      let copy = path + ".copy"
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      #expect(try count(Connection(.file(copy))) == 6)
    }
  }

  @Test func `A truncated log loses whole transactions only`() throws {
    try withDatabaseFile(rows: 5) { connection, path in
      try connection.checkpoint(.truncate)
      try connection.run("INSERT INTO t(id) VALUES (6)")
      let complete = try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).count
      try connection.transaction {
        for id in 7...300 {
          try connection.run("INSERT INTO t(id, data) VALUES (\(id), zeroblob(500))")
        }
      }
      let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
      let copy = path + ".copy"
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try log.prefix(complete + (log.count - complete) / 2).write(
        to: URL(fileURLWithPath: copy + "-wal"))
      let survivor = try Connection(.file(copy))
      #expect(try count(survivor) == 6)
      #expect(try survivor.issues(.full) == [])
    }
  }
}
