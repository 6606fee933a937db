import CloudRecords
import RecordStorage

extension RecordServer {
  /// Reads the storage in slices, each with its own snapshot.
  ///
  /// A limited number of slices run at once, and callers take turns, so that some of the storage's
  /// readers are always free for other requests. Between slices the request ends if its task was
  /// cancelled, because the client left or the server stops.
  ///
  /// - Parameters:
  ///   - partition: The partition of everything that is read, if there is only one.
  ///   - caller: The caller, for taking turns.
  ///   - state: The state of the first slice.
  ///   - step: Reads one slice, until everything is read or the slice ends.
  func read<State: Sendable, Result: Sendable>(
    _ partition: String?, inTurnsOf caller: Caller, from state: State,
    _ step:
      @escaping @Sendable (State, any StorageReading, ReadingSlice) throws -> ReadingStep<
        State, Result
      >
  ) async throws(CloudError) -> Result {
    let begun = dependencies.elapsed()
    var (state, visited, kept) = (state, 0, 0)
    defer { pausedBytes.release(kept) }
    while true {
      let slice = try await readSlice(partition, caller, begun: begun, visited: visited) {
        [state] in
        try step(state, $0, $1)
      }
      switch slice.step {
      case .done(let result): return result
      case .paused(let next, let bytes):
        guard pausedBytes.replace(kept, by: bytes) else { throw .tooMuchPaused }
        (state, visited, kept) = (next, slice.visited, bytes)
      }
      // An in-memory storage is read on the caller's thread, which other requests need too.
      await Task.yield()
    }
  }

  private func readSlice<State: Sendable, Result: Sendable>(
    _ partition: String?, _ caller: Caller, begun: Duration, visited: Int,
    _ step:
      @escaping @Sendable (any StorageReading, ReadingSlice) throws -> ReadingStep<State, Result>
  ) async throws(CloudError) -> (step: ReadingStep<State, Result>, visited: Int) {
    await readingTurns.enter(caller)
    defer { readingTurns.leave() }
    if Task.isCancelled { throw CloudError(storageFailure: CancellationError()) }
    return try await read(partition) { [dependencies] transaction in
      let slice = ReadingSlice(dependencies, begun: begun, visited: visited)
      let step = try step(transaction, slice)
      return (step, slice.visitedByRequest)
    }
  }
}

extension CloudError {
  fileprivate static var tooMuchPaused: CloudError {
    CloudError(
      .tryAgainLater, "The server has too many long queries at the moment.", retryAfterSeconds: 5)
  }
}
