/// When to look at a file after something was written to it.
///
/// A write is seen before what it means: SQLite writes the pages of a transaction first and then
/// tells other processes that they count. So the file is looked at at once, and again and again
/// with growing delays until nothing is new for long. What a look finds may be the former of two
/// transactions while the write of the latter was seen already: the delays begin anew. Writes that
/// follow each other closely are looked at together.
///
/// ```
/// idle ──write──▶ due now ──look──▶ due after 1 ms, 2 ms, … 8 s ──nothing──▶ idle
///                    ▲                     │         ▲
///                    └───────write─────────┴──found──┘ after 1 ms again
/// ```
package struct RecheckPlan {
  package typealias Instant = ContinuousClock.Instant

  /// The least time between two looks.
  package static let gap = Duration.milliseconds(2)
  /// The delay after which a write that meant nothing is forgotten: a slow disk takes seconds to
  /// make a commit last, and only then can others see it.
  package static let longestDelay = Duration.milliseconds(8192)

  /// When to look next; nil while there is nothing to look for.
  package private(set) var due: Instant?
  private var delay = Duration.milliseconds(1)
  private var lastLook: Instant?

  package init() {}

  /// Something was written.
  package mutating func noteWrite(at now: Instant) {
    delay = .milliseconds(1)
    let earliest = lastLook.map { max(now, $0 + Self.gap) } ?? now
    due = due.map { min($0, earliest) } ?? earliest
  }

  /// The file was looked at.
  package mutating func noteLook(foundChange: Bool, at now: Instant) {
    lastLook = now
    if foundChange { delay = .milliseconds(1) }
    guard delay <= Self.longestDelay else {
      due = nil
      return
    }
    due = now + delay
    delay *= 2
  }
}
