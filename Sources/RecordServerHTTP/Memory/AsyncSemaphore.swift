import Synchronization

/// Limits the number of tasks that use memory at once.
///
/// The other tasks wait in order of arrival.
///
/// When a server starts, thousands of devices connect within a second. Without the limit, all would
/// need memory at the same moment, and the process would keep that memory.
package final class AsyncSemaphore: Sendable {
  fileprivate struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The index of the first waiter.
    ///
    /// Earlier ones have resumed.
    var first = 0
  }

  private let state: Mutex<State>

  /// Creates a semaphore.
  ///
  /// - Parameter places: The maximum number of tasks between `enter` and `leave`.
  package init(places: Int) { state = Mutex(State(free: places)) }

  /// The number of waiting tasks.
  package var queueLength: Int { state.withLock { $0.waiting.count - $0.first } }

  /// Waits for a place, which `leave` releases.
  package func enter() async {
    if isFree() { return }
    await withCheckedContinuation { continuation in
      let isTurn = state.withLock { state in
        if state.take() { return true }
        state.waiting.append(continuation)
        return false
      }
      if isTurn { continuation.resume() }
    }
  }

  private func isFree() -> Bool { state.withLock { $0.take() } }

  /// Passes the place to the task that has waited longest.
  package func leave() { state.withLock { $0.next() }?.resume() }
}

extension AsyncSemaphore.State {
  fileprivate mutating func take() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }

  fileprivate mutating func next() -> CheckedContinuation<Void, Never>? {
    guard first < waiting.count else {
      free += 1
      return nil
    }
    defer {
      first += 1
      // Removing half of the array at a time keeps the cost per task constant.
      if first * 2 >= waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
    }
    return waiting[first]
  }
}
