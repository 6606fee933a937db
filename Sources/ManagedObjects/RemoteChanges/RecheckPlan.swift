/// The schedule for checking a file after it was written.
///
/// A write is seen before its effect: SQLite writes the pages of a transaction first, and commits
/// them later. So the file is checked at once, and again with growing delays until the check after
/// the longest delay finds nothing. If a check finds a change, the delays start again, because the
/// change may belong to an earlier transaction than the observed write. Writes in quick succession
/// share a check.
///
/// ```
/// idle ──write──▶ due now ─check──▶ due after 1 ms, 2 ms, … 8 s ──nothing──▶ idle
///                    ▲                     │         ▲
///                    └───────write─────────┴──found──┘ after 1 ms again
/// ```
package struct RecheckPlan {
  package typealias Instant = ContinuousClock.Instant

  /// The minimum time between two checks.
  package static let gap = Duration.milliseconds(2)
  /// The delay after which a write without effect is forgotten.
  ///
  /// On a slow disk, it takes seconds until a commit is visible.
  package static let longestDelay = Duration.milliseconds(8192)

  /// The time of the next check; nil if there is nothing to check.
  package private(set) var due: Instant?
  private var delay = Duration.milliseconds(1)
  private var lastCheck: Instant?

  package init() {}

  /// Records a write.
  package mutating func recordWrite(at now: Instant) {
    delay = .milliseconds(1)
    let earliest = lastCheck.map { max(now, $0 + Self.gap) } ?? now
    due = due.map { min($0, earliest) } ?? earliest
  }

  /// Records a check.
  package mutating func recordCheck(foundChange: Bool, at now: Instant) {
    lastCheck = now
    if foundChange { delay = .milliseconds(1) }
    guard delay <= Self.longestDelay else {
      due = nil
      return
    }
    due = now + delay
    delay *= 2
  }
}
