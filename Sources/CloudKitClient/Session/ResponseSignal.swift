import Synchronization

/// Wakes waiting tasks when the server has responded to a request.
///
/// Counting the responses ensures that none is missed between two waits. Without waiters, a
/// response costs nothing more.
package final class ResponseSignal: Sendable {
  private struct State {
    var count = 0
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of responses.
  package var count: Int { state.withLock(\.count) }

  /// Returns after the next response, or when the task is cancelled.
  ///
  /// - Parameter count: The number of responses that the caller knows of.
  /// - Returns: The new number.
  package func next(after count: Int) async -> Int {
    let (answers, waiter) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      guard state.count == count else { return nil }
      state.lastNumber += 1
      state.waiters[state.lastNumber] = waiter
      return state.lastNumber
    }
    if let number {
      for await _ in answers { break }
      state.withLock { $0.waiters[number] = nil }
    }
    return self.count
  }

  /// Counts a response and wakes all waiters.
  package func signal() {
    let waiters = state.withLock { state in
      state.count += 1
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.yield() }
  }
}
