import CloudRecords

/// The part of a long reading that one transaction does, with what the whole request has read so
/// far.
final class ReadingSlice {
  private let limits: ReadingLimits
  private let elapsed: @Sendable () -> Duration
  private let begun: Duration
  private let begunByRequest: Duration
  private let visitedBefore: Int
  /// Entries that were visited in this slice.
  private(set) var visited = 0

  /// - Parameters:
  ///   - begun: When the request began to read.
  ///   - visited: Entries that its earlier slices visited.
  init(_ environment: ServerEnvironment, begun: Duration, visited: Int) {
    limits = environment.limits.reading
    elapsed = environment.elapsed
    self.begun = environment.elapsed()
    begunByRequest = begun
    visitedBefore = visited
  }

  /// Entries that the request has visited.
  var visitedByRequest: Int { visitedBefore + visited }

  /// Counts entries that were visited.
  func visit(_ count: Int = 1) { visited += count }

  /// Entries that this slice may still visit; one at least.
  var entriesLeft: Int { max(1, limits.entriesPerSlice - visited) }

  /// Whether other requests should have their turn now.
  ///
  /// Each slice visits an entry at least, so that every request comes to its end.
  var isSpent: Bool {
    visited > 0 && (visited >= limits.entriesPerSlice || elapsed() - begun >= limits.sliceDuration)
  }

  /// Whether an answer should end here, if it can.
  var isPageSpent: Bool {
    visitedByRequest > 0
      && (visitedByRequest >= limits.entriesPerPage
        || elapsed() - begunByRequest >= limits.pageDuration)
  }

  /// Whether the request has read as much as any request may.
  var isRequestSpent: Bool {
    visitedByRequest > 0
      && (visitedByRequest >= limits.entriesPerRequest
        || elapsed() - begunByRequest >= limits.requestDuration)
  }
}

/// The result of a slice.
enum ReadingStep<State: Sendable, Result: Sendable>: Sendable {
  /// There is more to read: the next slice goes on from here.
  ///
  /// `bytes` is about what the state keeps in memory meanwhile.
  case paused(State, bytes: Int)
  case done(Result)
}
