import Synchronization

/// A semaphore that serves waiting callers in turn.
///
/// Tasks of one caller wait in the order of their arrival, and callers take turns. Therefore, many
/// requests of one caller do not block those of another.
final class FairSemaphore: Sendable {
  fileprivate struct State {
    var free: Int
    /// The waiting tasks of each caller.
    var waiting: [Caller: [CheckedContinuation<Void, Never>]] = [:]
    /// The callers with waiting tasks, in the order of their turns.
    var callers: [Caller] = []
  }

  private let state: Mutex<State>

  /// Creates a semaphore.
  ///
  /// - Parameter places: The maximum number of concurrent tasks.
  init(places: Int) { state = Mutex(State(free: places)) }

  /// Waits for a turn, which `leave` ends.
  func enter(_ caller: Caller) async {
    if state.withLock({ $0.take() }) { return }
    await withCheckedContinuation { continuation in
      let isTurn = state.withLock { state in
        if state.take() { return true }
        state.add(continuation, of: caller)
        return false
      }
      if isTurn { continuation.resume() }
    }
  }

  /// Ends a turn, and resumes the first waiting task of the next caller.
  func leave() { state.withLock { $0.next() }?.resume() }
}

extension FairSemaphore.State {
  fileprivate mutating func take() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }

  fileprivate mutating func add(_ continuation: CheckedContinuation<Void, Never>, of caller: Caller)
  {
    if waiting[caller] == nil { callers.append(caller) }
    waiting[caller, default: []].append(continuation)
  }

  fileprivate mutating func next() -> CheckedContinuation<Void, Never>? {
    guard !callers.isEmpty else {
      free += 1
      return nil
    }
    let caller = callers.removeFirst()
    let continuation = waiting[caller]?.removeFirst()
    if waiting[caller]?.isEmpty ?? true { waiting[caller] = nil } else { callers.append(caller) }
    return continuation
  }
}
