import Synchronization

/// Lets a few tasks at once through to what takes memory; the others wait in the order in which
/// they came, and cost next to nothing.
///
/// When a server begins, thousands of devices ask within a second. What all of them need for a
/// moment at once, it would keep for good.
package final class AsyncSemaphore: Sendable {
  fileprivate struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// Those before it have had their turn.
    var first = 0
  }

  private let state: Mutex<State>

  /// - Parameter places: How many may be behind it at once.
  package init(places: Int) { state = Mutex(State(free: places)) }

  /// How many wait for their turn.
  package var queueLength: Int { state.withLock { $0.waiting.count - $0.first } }

  /// Waits for a turn, which `leave` ends.
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

  /// Gives the place to whoever has waited longest.
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
      // Half of it at a time, so that each costs the same.
      if first * 2 >= waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
    }
    return waiting[first]
  }
}
