import SQLiteDriver
import Testing

@Suite struct `Log length` {
  @Test func `The length is reported after each commit, without automatic checkpoints`() throws {
    try withDatabaseFile { connection, _ in
      try connection.checkpoint(.truncate)
      #expect(connection.logFrames == 0)
      try connection.watchLog()
      try connection.run("INSERT INTO t(data) VALUES (zeroblob(100))")
      let first = connection.logFrames
      #expect(first > 0)
      // Far more pages than the thousand after which SQLite would have restarted the log.
      for _ in 0..<30 { try connection.run("INSERT INTO t(data) VALUES (zeroblob(400000))") }
      #expect(connection.logFrames > first + 2_900)
      let result = try connection.checkpoint(.passive)
      #expect(result.logFrames == connection.logFrames)
      #expect(result.isComplete)
      try connection.run("INSERT INTO t(data) VALUES (zeroblob(100))")
      #expect(connection.logFrames < 10)
    }
  }
}
