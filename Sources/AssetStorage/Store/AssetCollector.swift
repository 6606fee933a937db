internal import Dispatch
internal import Synchronization

/// Collects unreferenced files periodically, until it is stopped or deallocated.
package final class AssetCollector: Sendable {
  private struct State {
    var isStopped = false
    var run: Task<Void, Never>?
  }

  private let store: AssetStore
  private let seconds: Int
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())

  /// Starts to collect the unused files of a store.
  ///
  /// - Parameters:
  ///   - seconds: The pause before each collection.
  ///   - report: Receives the error of a failed collection; the next one retries.
  package init(
    of store: AssetStore, everySeconds seconds: Int, report: @escaping @Sendable (any Error) -> Void
  ) {
    self.store = store
    self.seconds = seconds
    self.report = report
    wait()
  }

  private func wait() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
      self?.begin()
    }
  }

  private func begin() {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.run = Task {
        do { try await self.store.collect() } catch { if !Task.isCancelled { self.report(error) } }
        if self.end() { self.wait() }
      }
    }
  }

  /// Ends the run, and returns whether another run follows.
  private func end() -> Bool {
    state.withLock { state in
      state.run = nil
      return !state.isStopped
    }
  }

  /// Stops, and returns when no collection is running.
  package func stop() async {
    let run = state.withLock { state in
      state.isStopped = true
      return state.run
    }
    run?.cancel()
    await run?.value
  }
}
