/// Decides how long a caller's thread waits for an answer, which saves two changes of threads where
/// the server is near.
///
/// Threads of tasks are few, so that none waits long, nor in vain again and again: after a wait
/// without an answer so many requests go without one, and twice as many after the next.
package struct SpinWaitPolicy: Sendable {
  private var failures = 0
  /// Requests whose callers do not wait.
  private var left = 0

  package init() {}

  /// How long the next caller waits.
  package mutating func next() -> Duration {
    guard left > 0 else { return Limits.callersWait }
    left -= 1
    return .zero
  }

  /// A caller has waited.
  package mutating func waited(hasAnswer: Bool) {
    failures = hasAnswer ? 0 : min(failures + 1, Limits.mostFailedWaits)
    left = (1 << failures) - 1
  }
}
