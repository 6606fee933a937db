import Foundation
import SQLiteDriver
import TestSupport
import Testing

@Suite struct `Online backup` {
  @Test func `A file is copied into memory and back into a file`() throws {
    try withDatabaseFile(rows: 500) { source, path in
      let memory = try Connection(.memory)
      #expect(try source.backUp(to: memory))
      #expect(try count(memory) == 500)
      let copy = try Connection(.file(path + ".copy"))
      try memory.backUp(to: copy)
      #expect(try copy.issues(.full) == [])
      #expect(try copy.rows("SELECT * FROM t") == source.rows("SELECT * FROM t"))
    }
  }

  @Test func `Progress counts down to zero`() throws {
    let source = try makeDatabase(rows: 5_000)
    var steps: [Backup.Progress] = []
    try source.backUp(to: Connection(.memory), pagesPerStep: 5) { progress in
      steps.append(progress)
      return true
    }
    let total = try source.get(.pageCount)
    #expect(steps.count > 3)
    #expect(steps.allSatisfy { Int64($0.totalPages) == total })
    #expect(steps.map(\.remainingPages) == steps.map(\.remainingPages).sorted(by: >))
    #expect(steps.last?.isFinished == true)
    #expect(steps.last?.remainingPages == 0)
  }

  @Test func `An abandoned backup leaves the target unchanged`() throws {
    try withDatabaseFile(rows: 7) { target, path in
      let source = try makeDatabase(rows: 2_000)
      #expect(try source.backUp(to: target, pagesPerStep: 5) { $0.remainingPages > 10 } == false)
      #expect(try count(target) == 7)
      #expect(try Connection(.file(path)).issues(.full) == [])
    }
  }

  @Test func `Changes of the source during a backup are copied`() throws {
    try withDatabaseFile(rows: 2_000) { source, _ in
      let target = try Connection(.memory)
      var hasWritten = false
      try source.backUp(to: target, pagesPerStep: 3) { _ in
        if !hasWritten { try source.run("DELETE FROM t WHERE id > 10") }
        hasWritten = true
        return true
      }
      #expect(try count(target) == 10)
      #expect(try target.issues(.full) == [])
    }
  }

  @Test func `A locked target is busy, and the step can be retried`() throws {
    try withDatabaseFile(rows: 1) { holder, path in
      let source = try makeDatabase(rows: 3)
      let target = try Connection(.file(path))
      try target.setBusyPolicy(.fail)
      try holder.begin(.immediate)
      var backup = try Backup(from: source, to: target)
      let error = try #require(throws: SQLiteError.self) { _ = try backup.step() }
      #expect(error.code.primary == .busy)
      #expect(error.context.path == ":memory: (backup to \(path))")
      try holder.rollback()
      let isFinished = try backup.step().isFinished
      #expect(isFinished)
    }
  }

  @Test func `A database cannot back itself up`() throws {
    let connection = try makeDatabase()
    let error = try sqliteError(.error) { _ = try Backup(from: connection, to: connection) }
    #expect(error.message == "source and destination must be distinct")
  }

  @Test func `A read-only target is refused`() throws {
    try withDatabaseFile(rows: 1) { _, path in
      let reader = try Connection(.file(path), options: .readOnly)
      let source = try makeDatabase(rows: 3)
      let error = try #require(throws: SQLiteError.self) { try source.backUp(to: reader) }
      #expect(error.code.primary == .readOnly)
    }
  }
}
