import Dispatch
import Synchronization

/// Runs asynchronous work on other threads, and blocks the calling thread until it ends.
package func waiting<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) throws
  -> Value
{
  let (end, outcome) = (DispatchSemaphore(value: 0), Outcome<Value>())
  Task {
    do {
      let value = try await work()
      outcome.result.withLock { $0 = .success(value) }
    } catch {
      outcome.result.withLock { $0 = .failure(error) }
    }
    end.signal()
  }
  end.wait()
  return try outcome.result.withLock { result in
    guard let result else { preconditionFailure("The end is signalled after a result.") }
    return try result.get()
  }
}

private final class Outcome<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, any Error>?>(nil)
}
