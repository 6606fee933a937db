import Synchronization

/// An event that happens once and that tasks can wait for.
final class Signal: Sendable {
  private struct State {
    var hasHappened = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func happen() {
    let waiters = state.withLock { state in
      state.hasHappened = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until it happens, even if the task is cancelled.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if !state.hasHappened { state.waiters.append(continuation) }
        return state.hasHappened
      }
      if isDone { continuation.resume() }
    }
  }

  /// Waits until it happens or the task is cancelled.
  func waitOrCancel() async throws {
    try await withTaskCancellationHandler {
      await wait()
      try Task.checkCancellation()
    } onCancel: {
      happen()
    }
  }
}
