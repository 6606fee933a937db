import Synchronization

/// Something that happens once, and that tasks wait for.
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

  /// Waits until it happens, whether the task is cancelled or not.
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
