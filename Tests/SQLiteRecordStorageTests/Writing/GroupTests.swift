import Dispatch
import Foundation
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import Synchronization
import TestSupport
import Testing

@Suite(.blockingThreads, .endsAtAll, .tags(.threads)) struct `Group commits` {
  private struct TestError: Error {}

  @Test func `Waiting transactions share one commit`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path, .patient) { engine in
      let before = try CommitLog(beside: folder.database).commits
      let errors = try await HeldWriter(engine: engine).run(
        (0..<20).map { number in { try await engine.fill(number..<number + 1) } })
      #expect(errors.allSatisfy { $0 == nil })
      #expect(try await engine.keys().count == 20)
      // The transaction that blocked the writer wrote nothing.
      #expect(try CommitLog(beside: folder.database).commits - before == 1)
    }
  }

  @Test func `A group has a maximum number of transactions`() async throws {
    let folder = try TestFolder()
    var options = SQLiteStorageEngine.Options.patient
    options.groupCount = 8
    try await withEngine(in: folder.path, options) { engine in
      let before = try CommitLog(beside: folder.database).commits
      _ = try await HeldWriter(engine: engine).run(
        (0..<20).map { number in { try await engine.fill(number..<number + 1) } })
      #expect(try CommitLog(beside: folder.database).commits - before == 3)
    }
  }

  @Test func `A group accepts no transactions after its maximum duration`() async throws {
    let folder = try TestFolder()
    let clock = MovedClock()
    var options = SQLiteStorageEngine.Options()
    options.groupDuration = .milliseconds(10)
    options.now = { clock.now }
    try await withEngine(in: folder.path, options) { engine in
      let before = try CommitLog(beside: folder.database).commits
      let errors = try await HeldWriter(engine: engine).run(
        (0..<10).map { number in
          {
            try await engine.write { store in
              clock.advance(.milliseconds(4))
              try store.set([1], for: key(number))
            }
          }
        })
      #expect(errors.allSatisfy { $0 == nil })
      // The third transaction of a group ends after twelve milliseconds.
      #expect(try CommitLog(beside: folder.database).commits - before == 4)
      #expect(try await engine.keys().count == 10)
    }
  }

  @Test(arguments: [[0], [3], [0, 1, 2], [0, 5, 9], Array(0..<10)])
  func `A group loses only transactions that threw`(throwing: [Int]) async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { engine in
      let errors = try await HeldWriter(engine: engine).run(
        (0..<10).map { number in
          {
            try await engine.write { store in
              try store.set(Array(repeating: 1, count: 300 * number), for: key(number))
              if throwing.contains(number) { throw TestError() }
            }
          }
        })
      #expect(errors.map { $0 is TestError } == (0..<10).map { throwing.contains($0) })
      #expect(try await engine.keys() == (0..<10).filter { !throwing.contains($0) }.map { key($0) })
      #expect(try await engine.issues(isThorough: true) == [])
    }
  }

  @Test(arguments: [false, true])
  func `A group runs again only if a transaction threw in the middle of its writes`(writes: Bool)
    async throws
  {
    let folder = try TestFolder()
    let runs = Mutex(0)
    try await withEngine(in: folder.path, .patient) { engine in
      let before = try CommitLog(beside: folder.database).commits
      let errors = try await HeldWriter(engine: engine).run(
        (0..<10).map { number in
          {
            try await engine.write { store in
              runs.withLock { $0 += 1 }
              if number == 5, !writes { throw TestError() }
              try store.set([1], for: key(number))
              if number == 5 { throw TestError() }
            }
          }
        })
      #expect(errors.map { $0 is TestError } == (0..<10).map { $0 == 5 })
      #expect(try await engine.keys() == (0..<10).filter { $0 != 5 }.map { key($0) })
      // The group ends with the transaction that threw. Later ones are in another group.
      #expect(try CommitLog(beside: folder.database).commits - before == (writes ? 2 : 1))
    }
    #expect(runs.withLock(\.self) == (writes ? 16 : 10))
  }

  @Test func `A transaction that throws only in its first run is kept`()
    async throws
  {
    let folder = try TestFolder()
    let runs = Mutex(0)
    try await withEngine(in: folder.path, .patient) { engine in
      let errors = try await HeldWriter(engine: engine).run([
        { try await engine.fill(0..<1) },
        {
          try await engine.write { store in
            try store.set([1], for: key(1))
            let run = runs.withLock { runs in
              runs += 1
              return runs
            }
            if run == 1 { throw TestError() }
          }
        },
      ])
      #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
      #expect(runs.withLock(\.self) == 2)
      #expect(try await engine.keys() == [key(0), key(1)])
    }
  }

  @Test func `A body that hid an operation's error has no effect`() async throws {
    let folder = try TestFolder()
    let created = Mutex(0)
    try await withEngine(in: folder.path, .patient) { engine in
      try await engine.fill(0..<5)
      try Connection(.file(folder.database)).run("DELETE FROM long_values WHERE id = 3")
      let errors = try await HeldWriter(engine: engine).run([
        { try await engine.fill(10..<11) },
        {
          try await engine.write(in: nil, making: { _ in created.withLock { $0 += 1 } }) { store in
            do { _ = try store.value(of: key(2)) } catch {}
            return 1
          }
        },
      ])
      #expect(errors.map { ($0 as? StorageError)?.code } == [nil, .damaged])
      #expect(created.withLock(\.self) == 0)
      #expect(try await engine.read { try $0.value(of: key(10)) }?.count == 400)
    }
  }

  @Test func `A transaction cancelled while waiting is left out at once`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { engine in
      let mayGoOn = DispatchSemaphore(value: 0)
      let held = try await HeldWriter(engine: engine).holdUp(until: mayGoOn)
      let waiting = (0..<3).map { number in Task { try await engine.fill(number..<number + 1) } }
      try await yields(while: engine.waitingWrites < 3)
      waiting[1].cancel()
      // The cancelled transaction does not wait for the writer, which is still blocked.
      await #expect(throws: CancellationError.self) { try await waiting[1].value }
      mayGoOn.signal()
      try await held.value
      try await waiting[0].value
      try await waiting[2].value
      #expect(try await engine.keys() == [key(0), key(2)])
    }
  }

  @Test func `If another process keeps its lock, the whole group fails`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path) { engine in
      let executor = HoldingExecutor()
      let first = Task(executorPreference: executor) {
        try await engine.write { store in
          try store.set([1], for: key(0))
          executor.holdNext()
        }
      }
      #expect(executor.holds.waitPatiently())
      var writes: [Task<Void, any Error>] = []
      for number in 1..<4 {
        writes.append(Task { try await engine.fill(number..<number + 1) })
        try await yields(while: engine.waitingWrites < number)
      }
      let mayGoOn = DispatchSemaphore(value: 0)
      let tool = try SQLiteStorageEngine(folder: folder.path, options: .init(role: .tool))
      let held = try await HeldWriter(engine: tool).holdUp(until: mayGoOn)
      executor.mayGoOn.signal()
      try await first.value
      try await storageError(.busy) { try await writes[0].value }
      // A transaction that tried again alone would succeed now.
      mayGoOn.signal()
      try await held.value
      for write in writes[1...] { try await storageError(.busy) { try await write.value } }
      await tool.close()
      try await engine.fill(4..<5)
      #expect(try await engine.keys() == [key(0), key(4)])
    }
  }

  @Test func `A retained transaction stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      let engine = try SQLiteStorageEngine(folder: folder.path)
      let kept = Mutex<RetainedTransaction?>(nil)
      try await engine.write { store in
        let box = RetainedTransaction(store)
        kept.withLock { $0 = box }
      }
      _ = try kept.withLock { try $0?.store.value(of: key(1)) }
    }
    let reported = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(reported.contains("The transaction has ended"))
  }

  @Test func `A visitor that writes stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TestFolder()
      let engine = try SQLiteStorageEngine(folder: folder.path)
      try await engine.fill(0..<2)
      try await engine.write { store in
        try store.visitEntries(in: .all) { _, _ in
          try store.remove(key(1))
          return .proceed
        }
      }
    }
    let reported = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(reported.contains("A visitor may read"))
  }
}

/// Runs a task on threads, and can hold up the thread that resumes it.
///
/// The engine's writer resumes a caller between two groups, when it holds no lock.
private final class HoldingExecutor: TaskExecutor {
  private let holdsNext = Atomic(false)
  /// Signaled when a thread is held up.
  let holds = DispatchSemaphore(value: 0)
  /// Releases that thread.
  let mayGoOn = DispatchSemaphore(value: 0)

  /// Holds up the next thread that resumes the task.
  func holdNext() { holdsNext.store(true, ordering: .relaxed) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if holdsNext.exchange(false, ordering: .relaxed) {
      holds.signal()
      _ = mayGoOn.waitPatiently()
    }
    Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Keeps a transaction beyond its body, which is not allowed.
private final class RetainedTransaction: @unchecked Sendable {
  let store: any StorageWriting
  init(_ store: any StorageWriting) { self.store = store }
}

/// A clock that the bodies of transactions advance.
private final class MovedClock: Sendable {
  private let time = Mutex(Duration.zero)
  var now: Duration { time.withLock { $0 } }
  func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}
