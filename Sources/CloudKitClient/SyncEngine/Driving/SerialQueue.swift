import Synchronization

/// Runs jobs one after the other, in the order in which they were added.
final class SerialQueue: Sendable {
  /// A running or queued job.
  typealias Job = Task<Void, any Error>

  private let state = Mutex(State())

  private struct State {
    /// The last job.
    var last: Job?
    /// The jobs that `cancel()` cancels.
    var syncs: [Int: Job] = [:]
    var nextNumber = 0
    var count = 0
  }

  /// Adds a job at the end of the queue.
  ///
  /// - Parameter isSync: Whether `cancel()` cancels the job.
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

  /// Cancels all syncs, and returns them so that the caller can wait for their end.
  func cancel() -> [Job] {
    let jobs = state.withLock { Array($0.syncs.values) }
    for job in jobs { job.cancel() }
    return jobs
  }
}
