internal import Dispatch
internal import RecordStorage
internal import Synchronization

/// A thread-safe flag: whether the task that waits for maintenance was cancelled.
final class Cancellation: Sendable {
  private let flag = Mutex(false)

  var isCancelled: Bool { flag.withLock { $0 } }
  func cancel() { flag.withLock { $0 = true } }

  func check() throws {
    if isCancelled { throw CancellationError() }
  }
}

extension SQLiteStorageEngine {
  /// Runs a long operation on the maintenance queue.
  func maintain<Result: Sendable>(_ body: @escaping @Sendable (Cancellation) throws -> Result)
    async throws -> Result
  {
    try await Self.run(on: maintenance, body)
  }

  static func run<Result: Sendable>(
    on queue: DispatchQueue, _ body: @escaping @Sendable (Cancellation) throws -> Result
  ) async throws -> Result {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        queue.async {
          waiter.resume(
            with: Swift.Result {
              try cancellation.check()
              return try StorageError.translating { try body(cancellation) }
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
