import Dispatch
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

/// Requests writes while the writer is blocked, so that all of them join one group.
struct HeldWriter {
  let engine: SQLiteStorageEngine

  /// Requests the writes in order, and unblocks the writer when all of them wait.
  ///
  /// - Returns: The error of each write.
  func run(_ writes: [@Sendable () async throws -> Void]) async throws -> [(any Error)?] {
    let mayGoOn = DispatchSemaphore(value: 0)
    let held = try await holdUp(until: mayGoOn)
    var tasks: [Task<Void, any Error>] = []
    for write in writes {
      tasks.append(Task(executorPreference: ThreadForEachJob()) { try await write() })
      try await yields(while: engine.waitingWrites < tasks.count)
    }
    mayGoOn.signal()
    try await held.value
    var errors: [(any Error)?] = []
    for task in tasks {
      switch await task.result {
      case .success: errors.append(nil)
      case .failure(let error): errors.append(error)
      }
    }
    return errors
  }

  /// Starts a write that changes nothing and ends with the signal.
  ///
  /// Returns when it has started.
  func holdUp(until mayGoOn: DispatchSemaphore) async throws -> Task<Void, any Error> {
    let (beginnings, began) = AsyncStream<Void>.makeStream()
    let held = Task(executorPreference: ThreadForEachJob()) { [engine] in
      try await engine.write { _ in
        began.finish()
        #expect(mayGoOn.waitPatiently())
      }
    }
    for await _ in beginnings {}
    return held
  }
}
