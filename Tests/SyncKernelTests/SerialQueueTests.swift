import SyncKernel
import Synchronization
import Testing

@Suite struct `Jobs of a queue run one after the other` {
  @Test func `Jobs run in the order in which they were added, after each other's end`() async throws
  {
    let queue = SerialQueue()
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let log = Mutex<[String]>([])
    queue.add {
      log.withLock { $0.append("first begins") }
      for await _ in gate { break }
      log.withLock { $0.append("first ends") }
    }
    let second = queue.add { log.withLock { $0.append("second") } }
    opener.yield()
    try await second.value
    #expect(log.withLock { $0 } == ["first begins", "first ends", "second"])
  }

  @Test func `A job's result is returned after all earlier jobs`() async {
    let queue = SerialQueue()
    let count = Mutex(0)
    for _ in 0..<10 { queue.add { count.withLock { $0 += 1 } } }
    #expect(await queue.run { count.withLock { $0 } } == 10)
  }

  @Test func `An attempt returns its result or throws its error after all earlier jobs`()
    async throws
  {
    let queue = SerialQueue()
    let count = Mutex(0)
    for _ in 0..<10 { queue.add { count.withLock { $0 += 1 } } }
    #expect(try await queue.attempt { count.withLock { $0 } } == 10)
    await #expect(throws: CancellationError.self) {
      try await queue.attempt { () throws -> Int in throw CancellationError() }
    }
    #expect(await queue.run { true })
  }

  @Test func `A job that throws does not keep the next one from running`() async throws {
    let queue = SerialQueue()
    let failed = queue.add { throw CancellationError() }
    #expect(await queue.run { true })
    await #expect(throws: CancellationError.self) { try await failed.value }
  }

  @Test func `Only cancellable jobs are cancelled, including queued ones`() async throws {
    let queue = SerialQueue()
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let other = queue.add {
      for await _ in gate { break }
      try Task.checkCancellation()
    }
    let queued = queue.add(isCancellable: true) { try Task.checkCancellation() }
    #expect(queue.cancel().count == 1)
    opener.yield()
    try await other.value
    await #expect(throws: CancellationError.self) { try await queued.value }
    #expect(queue.cancel().isEmpty)
  }
}
