import RecordStorage
import SQLiteRecordStorage
import Testing

@Suite struct `Checkpoints` {
  @Test func `keep the log short beside a writer that never rests`() async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options()
    options.checkpointFrames = 100
    try await withEngine(in: folder.path, options) { engine in
      // Some 3,000 pages of values, in 300 commits.
      for number in 0..<300 { try await engine.fill(number * 10..<number * 10 + 10, valueBytes: 3_000) }
      let log = try CommitLog(besides: folder.database)
      // It began anew: else it would have all commits.
      #expect(log.commits < 300, "\(log)")
      #expect(try await engine.keys().count == 3_000)
      #expect(try await engine.problems(isThorough: true) == [])
    }
  }

  @Test func `carry most of a long log over while the writer rests`() async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options()
    options.checkpointFrames = 100
    try await withEngine(in: folder.path, options) { engine in
      try await engine.fill(0..<1_000, valueBytes: 3_000)
      let end = ContinuousClock.now + .seconds(60)
      while try folder.databaseBytes < 1_000 * 3_000, ContinuousClock.now < end { await Task.yield() }
      #expect(try folder.databaseBytes >= 1_000 * 3_000)
    }
  }

  @Test func `leave an empty log behind`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { try await $0.fill(0..<100) }
    #expect(throws: (any Error).self) { try CommitLog(besides: folder.database) }
  }
}
