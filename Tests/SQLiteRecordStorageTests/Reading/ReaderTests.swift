import Dispatch
import RecordStorage
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

@Suite(.blockingThreads, .endsAtAll) struct `Readers` {
  @Test(arguments: [1, 3])
  func `The options limit the number of readers`(readers: Int) async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options()
    options.readers = readers
    try await withEngine(in: folder.path, options) { engine in
      try await engine.fill(0..<1)
      let load = Load()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<12 {
          group.addTask {
            try await engine.read { store in
              load.begin()
              // Long enough for another reader to start.
              for _ in 0..<50 { _ = try store.value(of: key(0)) }
              load.end()
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(load.greatest <= readers)
    }
  }

  @Test func `Other readers continue while one is blocked`() async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options()
    options.readers = 2
    try await withEngine(in: folder.path, options) { engine in
      try await engine.fill(0..<1)
      let mayEnd = DispatchSemaphore(value: 0)
      let held = try await holdRead(of: engine, until: mayEnd)
      #expect(try await engine.keys() == [key(0)])
      mayEnd.signal()
      try await held.value
    }
  }
}

/// Counts the concurrent reads.
private final class Load: Sendable {
  private let counts = Mutex((running: 0, greatest: 0))

  var greatest: Int { counts.withLock { $0.greatest } }

  func begin() {
    counts.withLock { counts in
      counts.running += 1
      counts.greatest = max(counts.greatest, counts.running)
    }
  }

  func end() { counts.withLock { $0.running -= 1 } }
}
