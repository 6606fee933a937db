import Synchronization

/// Does one thing after the other, in the order in which they came.
final class SerialQueue: Sendable {
  /// Something that is done, or waits for its turn.
  typealias Job = Task<Void, any Error>

  private let state = Mutex(State())

  private struct State {
    /// What comes last.
    var last: Job?
    /// What can be cancelled.
    var syncs: [Int: Job] = [:]
    var nextNumber = 0
    var count = 0
  }

  /// Adds something behind everything else.
  ///
  /// - Parameter isSync: Whether `cancel()` ends it.
  @discardableResult func add(isSync: Bool, _ body: @escaping @Sendable () async throws -> Void)
    -> Job
  {
    state.withLock { state in
      let (number, before) = (state.nextNumber, state.last)
      state.nextNumber += 1
      state.count += 1
      let job = Job { [weak self] in
        _ = await before?.result
        defer { self?.end(number) }
        try await body()
      }
      state.last = job
      if isSync { state.syncs[number] = job }
      return job
    }
  }

  private func end(_ number: Int) {
    state.withLock { state in
      state.syncs[number] = nil
      state.count -= 1
      if state.count == 0 { state.last = nil }
    }
  }

  /// Cancels every sync, and gives them, so that their end can be awaited.
  func cancel() -> [Job] {
    let jobs = state.withLock { Array($0.syncs.values) }
    for job in jobs { job.cancel() }
    return jobs
  }
}
