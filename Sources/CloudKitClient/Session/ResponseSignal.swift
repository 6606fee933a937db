import Synchronization

/// Wakes waiting tasks when the server has answered a request.
///
/// It counts the answers, so that none is missed between two waits, and costs a look at an empty
/// list while no task waits.
package final class ResponseSignal: Sendable {
  private struct State {
    var count = 0
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many answers there were.
  package var count: Int { state.withLock(\.count) }

  /// Returns when there is another answer than those that were counted, or when the task is
  /// cancelled.
  ///
  /// - Returns: How many there are by then.
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

  /// Counts an answer, and wakes all that wait.
  package func tell() {
    let waiters = state.withLock { state in
      state.count += 1
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.yield() }
  }
}
