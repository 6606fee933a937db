import Foundation
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import Testing

@Suite struct `Damaged storage` {
  @Test(
    arguments: zip(
      [
        "DELETE FROM long_values WHERE id = 3", "INSERT INTO long_values(value) VALUES (x'01')",
        "UPDATE entries SET value = 5 WHERE typeof(value) = 'integer' AND value = 4",
        "UPDATE entries SET value = 'text' WHERE value = 2",
      ],
      [
        ["missing"], ["belong to no entry"], ["share", "belong to no entry"],
        ["neither", "belong to no entry"],
      ]))
  func `Damaged tables are found`(sql: String, sentences: [String]) async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { engine in
      try await engine.fill(0..<10)
      #expect(try await engine.issues(isThorough: true) == [])
      try Connection(.file(folder.database)).run(sql)
      let issues = try await engine.issues()
      #expect(issues.count == sentences.count, "\(issues)")
      for (issue, sentence) in zip(issues, sentences) {
        #expect(issue.hasPrefix("1 ") && issue.contains(sentence), "\(issue)")
      }
    }
  }

  @Test func `A damaged entry is reported by reads and fails a write that reads it`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { engine in
      try await engine.fill(0..<10)
      try Connection(.file(folder.database)).run("DELETE FROM long_values WHERE id = 3")
      try await storageError(.damaged) { _ = try await engine.read { try $0.entries(in: .all) } }
      try await storageError(.damaged) { _ = try await engine.read { try $0.value(of: key(2)) } }
      #expect(try await engine.read { try $0.value(of: key(1)) }?.count == 400)
      try await storageError(.damaged) {
        try await engine.write { store in
          try store.set([1], for: key(100))
          do { _ = try store.value(of: key(2)) } catch {}
        }
      }
      #expect(try await engine.read { try $0.value(of: key(100)) } == nil)
      try await engine.fill(2..<3)
      #expect(try await engine.issues(isThorough: true) == [])
    }
  }

  @Test func `A damaged file is reported with the remedy`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { try await $0.fill(0..<3_000) }
    let handle = try #require(FileHandle(forUpdatingAtPath: folder.database))
    try handle.seek(toOffset: 4_096 * 3)
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 4_096 * 40))
    try handle.close()
    try await withEngine(in: folder.path) { engine in
      let error = try await storageError(.damaged) {
        _ = try await engine.read { try $0.entries(in: .all) }
      }
      #expect(error.message.contains("backup"))
      #expect(try await !engine.issues().isEmpty)
    }
  }
}
