import Dispatch
import Foundation
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing
import WatchedDisks

@Suite(.endsAtAll) struct `Checkpoints` {
  @Test func `Checkpoints keep the log short next to a busy writer`() async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options()
    options.checkpointFrames = 100
    try await withEngine(in: folder.path, options) { engine in
      // Some 3,000 pages of values, in 300 commits.
      for number in 0..<300 {
        try await engine.fill(number * 10..<number * 10 + 10, valueBytes: 3_000)
      }
      let log = try CommitLog(beside: folder.database)
      // The log restarted. Otherwise it would have all commits.
      #expect(log.commits < 300, "\(log)")
      #expect(try await engine.keys().count == 3_000)
      #expect(try await engine.issues(isThorough: true) == [])
    }
  }

  @Test func `Checkpoints copy most of a long log while the writer rests`() async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options()
    options.checkpointFrames = 100
    try await withEngine(in: folder.path, options) { engine in
      try await engine.fill(0..<1_000, valueBytes: 3_000)
      try await yields(while: try folder.databaseBytes < 1_000 * 3_000)
    }
  }

  /// The checkpoint that copies the last frame syncs the whole file.
  @Test func `Checkpoints sync before the writer has to`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TestFolder()
      try #require(WatchedDisk.install())
      var options = SQLiteStorageEngine.Options()
      options.checkpointFrames = 100
      var begun = 0
      try await withEngine(in: folder.path, options) { engine in
        try await engine.fill(0..<50, valueBytes: 3_000)
        // A checkpoint does not copy frames that a reader has not seen, so SQLite itself has no
        // reason to sync.
        let mayEnd = DispatchSemaphore(value: 0)
        let reader = try await holdRead(of: engine, until: mayEnd)
        begun = WatchedDisk.eventCount
        let bytes = try folder.databaseBytes
        try await engine.fill(50..<100, valueBytes: 3_000)
        try await yields(while: try folder.databaseBytes == bytes)
        mayEnd.signal()
        try await reader.value
      }
      WatchedDisk.remove()
      // One sync happens next to the writer, and one when the store is closed.
      try #require(WatchedDisk.waits(since: begun, forFileAt: folder.database) >= 2)
    }
  }

  /// The last connection to a store removes the log.
  @Test func `A checkpoint that starts while the store closes leaves no log`() async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options()
    options.checkpointFrames = 100
    let engine = try SQLiteStorageEngine(folder: folder.path, options: options)
    let mayGoOn = DispatchSemaphore(value: 0)
    let held = try await HeldWriter(engine: engine).holdUp(until: mayGoOn)
    let queued = Task { try await engine.fill(0..<1_000, valueBytes: 3_000) }
    try await yields(while: engine.waitingWrites < 1)
    let closing = Task { await engine.close() }
    // Reads fail as soon as the engine closes.
    try await yields(while: (try? await engine.keys()) != nil)
    mayGoOn.signal()
    try await held.value
    try await queued.value
    await closing.value
    #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
    #expect(try folder.databaseBytes > 1_000 * 3_000)
    // Connections that the engine did not close would close with it.
    withExtendedLifetime(engine) {}
  }

  @Test func `Checkpoints leave an empty log`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { engine in
      try await engine.fill(0..<100)
      #expect(try CommitLog(beside: folder.database).commits > 0)
    }
    // SQLite removes the log when the last connection is closed. A remaining log must be empty.
    let log = folder.database + "-wal"
    let size =
      FileManager.default.fileExists(atPath: log)
      ? try Data(contentsOf: URL(fileURLWithPath: log)).count : 0
    #expect(size == 0)
    #expect(try folder.databaseBytes > 0)
    #expect(try await keys(in: folder.path).count == 100)
  }
}
