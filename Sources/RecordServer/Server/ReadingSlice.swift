import CloudRecords

/// One transaction of a long read, with the budget of the whole request.
final class ReadingSlice {
  private let limits: ReadingLimits
  private let elapsed: @Sendable () -> Duration
  private let begun: Duration
  private let begunByRequest: Duration
  private let visitedBefore: Int
  /// The number of entries visited in this slice.
  private(set) var visited = 0

  /// Starts a slice of a request's reading.
  ///
  /// - Parameters:
  ///   - begun: When the request began to read.
  ///   - visited: The number of entries that its earlier slices visited.
  init(_ dependencies: ServerDependencies, begun: Duration, visited: Int) {
    limits = dependencies.limits.reading
    elapsed = dependencies.elapsed
    self.begun = dependencies.elapsed()
    begunByRequest = begun
    visitedBefore = visited
  }

  /// The number of entries that the request has visited.
  var visitedByRequest: Int { visitedBefore + visited }

  /// Counts entries that were visited.
  func visit(_ count: Int = 1) { visited += count }

  /// The number of entries that this slice may still visit; at least one.
  var entriesLeft: Int { max(1, limits.entriesPerSlice - visited) }

  /// Whether the slice must end, so that other requests get their turn.
  ///
  /// Each slice visits at least one entry, so that every request completes.
  var isSpent: Bool {
    visited > 0 && (visited >= limits.entriesPerSlice || elapsed() - begun >= limits.sliceDuration)
  }

  /// Whether a page should end here, if possible.
  var isPageSpent: Bool {
    visitedByRequest > 0
      && (visitedByRequest >= limits.entriesPerPage
        || elapsed() - begunByRequest >= limits.pageDuration)
  }

  /// Whether the request has used up its budget.
  var isRequestSpent: Bool {
    visitedByRequest > 0
      && (visitedByRequest >= limits.entriesPerRequest
        || elapsed() - begunByRequest >= limits.requestDuration)
  }
}

/// The result of a slice.
enum ReadingStep<State: Sendable, Result: Sendable>: Sendable {
  /// There is more to read, and the next slice continues with this state.
  ///
  /// `bytes` is the approximate memory that the state holds.
  case paused(State, bytes: Int)
  case done(Result)
}
