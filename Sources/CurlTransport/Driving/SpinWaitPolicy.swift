/// Decides how long a calling thread waits for its own response.
///
/// Waiting saves two thread switches if the server is near. Tasks share few threads, so no thread
/// waits long, or often without a response. The back-off is the number of requests that do not
/// wait. It doubles after each wait without a response.
package struct SpinWaitPolicy: Sendable {
  private var failures = 0
  /// The number of requests left that do not wait.
  private var left = 0

  package init() {}

  /// Returns how long the next caller waits.
  package mutating func next() -> Duration {
    guard left > 0 else { return Limits.callersWait }
    left -= 1
    return .zero
  }

  /// Records the result of a wait.
  package mutating func waited(hasAnswer: Bool) {
    failures = hasAnswer ? 0 : min(failures + 1, Limits.mostFailedWaits)
    left = (1 << failures) - 1
  }
}
