import Foundation
import SQLiteDriver
import Testing

/// The state after a process was killed while it used a database file.
///
/// The process is a real one: an exit test runs its closure in a child of the test's process.
@Suite struct `A killed process` {
  @Test(arguments: [JournalMode.wal, .delete])
  func `A killed process leaves exactly what it committed`(journal: JournalMode) async throws {
    let folder = try Folder()
    let path = folder.path + "/test.sqlite"
    try create(path, journal: journal)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let connection = try Connection(.file(path))
      // A tiny cache makes SQLite write pages of the unfinished transaction to the files.
      try connection.set(.cacheSize, to: 5)
      try connection.run("INSERT INTO t(id, name) VALUES (201, 'name 201')")
      try connection.transaction {
        try connection.run("UPDATE t SET name = 'half', data = zeroblob(2000)")
        kill(getpid(), SIGKILL)
      }
    }
    let left = path + (journal == .wal ? "-wal" : "-journal")
    #expect(try Data(contentsOf: URL(fileURLWithPath: left)).count > 4096)
    let survivor = try Connection(.file(path))
    #expect(try survivor.value("SELECT count(*) FROM t WHERE name LIKE 'name %'") == 201)
    #expect(try count(survivor) == 201)
    #expect(try survivor.issues(.full) == [])
  }

  @Test func `A killed process releases its locks`() async throws {
    let folder = try Folder()
    let path = folder.path + "/test.sqlite"
    try create(path, journal: .delete)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let connection = try Connection(.file(path))
      try connection.transaction(.exclusive) { _ = kill(getpid(), SIGKILL) }
    }
    let survivor = try Connection(.file(path))
    try survivor.run("INSERT INTO t(id) VALUES (201)")
    #expect(try count(survivor) == 201)
  }

  private func create(_ path: String, journal: JournalMode) throws {
    let connection = try Connection(.file(path))
    try connection.set(.journalMode, to: journal)
    try fill(connection, rows: 200)
    try connection.close()
  }
}

/// A folder that is removed at the end of the value's lifetime, also after an `await`.
private struct Folder: ~Copyable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("parhelion-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
