import SQLiteDriver
import Testing

@Suite struct `Read snapshots` {
  @Test func `A snapshot does not change while a writer commits`() throws {
    try withDatabaseFile(rows: 2) { writer, _ in
      let first = try writer.readSnapshot()
      try writer.run("DELETE FROM t WHERE id = 1")
      let second = try writer.readSnapshot()
      try writer.run("DROP TABLE t")
      #expect(try count(first.connection) == 2)
      #expect(try count(second.connection) == 1)
      #expect(try first.connection.rows("SELECT name FROM t") == [["name 1"], ["name 2"]])
    }
  }

  @Test func `A released snapshot cannot read and no longer blocks the log`() throws {
    try withDatabaseFile(rows: 2) { writer, _ in
      try writer.setBusyPolicy(.fail)
      let snapshot = try writer.readSnapshot()
      try writer.run("DELETE FROM t")
      #expect(try writer.checkpoint(.truncate).isBlocked)
      try snapshot.release()
      try snapshot.release()
      #expect(snapshot.isReleased)
      #expect(try writer.checkpoint(.truncate).isComplete)
      try sqliteError(.misuse) { _ = try count(snapshot.connection) }
    }
  }

  @Test func `Freeing a snapshot releases it`() throws {
    try withDatabaseFile(rows: 2) { writer, _ in
      try writer.setBusyPolicy(.fail)
      #expect(try count(writer.readSnapshot().connection) == 2)
      try writer.run("DELETE FROM t")
      #expect(try writer.checkpoint(.truncate).isComplete)
    }
  }

  @Test func `A snapshot does not write`() throws {
    try withDatabaseFile(rows: 1) { writer, _ in
      let snapshot = try writer.readSnapshot()
      try sqliteError(.readOnly) { try snapshot.connection.run("DELETE FROM t") }
    }
  }

  @Test func `A snapshot outlives its connection`() throws {
    try withDatabaseFile(rows: 1) { writer, _ in
      let snapshot = try writer.readSnapshot()
      try writer.close()
      #expect(try count(snapshot.connection) == 1)
    }
  }

  @Test func `The setup of a snapshot registers functions`() throws {
    try withDatabaseFile(rows: 1) { writer, _ in
      let snapshot = try writer.readSnapshot { connection in
        try connection.register(function: "seven", arity: .exactly(0)) { _ in 7 }
      }
      #expect(try snapshot.connection.value("SELECT seven()") == 7)
    }
  }

  @Test(arguments: [JournalMode.delete, .truncate, .persist])
  func `Other journal modes are refused`(journal: JournalMode) throws {
    try withDatabaseFile(rows: 1, journal: journal) { writer, _ in
      let error = try sqliteError(.misuse) { _ = try writer.readSnapshot() }
      #expect(error.message.contains("write-ahead logging"))
    }
  }

  @Test func `A database in memory has no snapshots`() throws {
    let error = try sqliteError(.misuse) { _ = try makeDatabase().readSnapshot() }
    #expect(error.message == "a database in memory has no read snapshots")
  }
}
