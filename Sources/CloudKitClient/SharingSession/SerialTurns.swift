import Synchronization

/// Runs asynchronous closures one after the other, in the order of the calls.
final class SerialTurns: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    let task = last.withLock { last in
      let former = last
      let task = Task {
        await former?.value
        return try await work()
      }
      last = Task { _ = await task.result }
      return task
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
