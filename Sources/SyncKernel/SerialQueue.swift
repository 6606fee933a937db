import Synchronization

/// Runs jobs one after the other, in the order in which they were added.
package final class SerialQueue: Sendable {
  /// A running or queued job.
  package typealias Job = Task<Void, any Error>

  private let state = Mutex(State())

  private struct State {
    /// The last job.
    var last: Job?
    /// The jobs that `cancel()` cancels.
    var cancellable: [Int: Job] = [:]
    var nextNumber = 0
    var count = 0
  }

  package init() {}

  /// Adds a job at the end of the queue.
  ///
  /// - Parameter isCancellable: Whether `cancel()` cancels the job.
  @discardableResult
  package func add(
    isCancellable: Bool = false, _ body: @escaping @Sendable () async throws -> Void
  ) -> Job {
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
      if isCancellable { state.cancellable[number] = job }
      return job
    }
  }

  /// Runs a job after all earlier ones, and returns its result.
  package func run<Result: Sendable>(
    _ body: @escaping @Sendable () async -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      add { continuation.resume(returning: await body()) }
    }
  }

  /// Runs a job that may fail after all earlier ones, and returns its result.
  package func attempt<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      add {
        do { continuation.resume(returning: try await body()) } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  private func end(_ number: Int) {
    state.withLock { state in
      state.cancellable[number] = nil
      state.count -= 1
      if state.count == 0 { state.last = nil }
    }
  }

  /// Cancels all cancellable jobs, and returns them so that the caller can wait for their end.
  package func cancel() -> [Job] {
    let jobs = state.withLock { Array($0.cancellable.values) }
    for job in jobs { job.cancel() }
    return jobs
  }
}
