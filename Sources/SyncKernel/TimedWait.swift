package import Foundation

/// A wait until a point in time.
///
/// A clock that is set back does not prolong it: before its own beginning, the wait is over.
package struct TimedWait: Equatable, Sendable {
  package let began: Date
  package let until: Date

  package init(from now: Date, until: Date) { (began, self.until) = (now, until) }

  package init(from now: Date, seconds: Double) { self.init(from: now, until: now + seconds) }

  package func isOver(at now: Date) -> Bool { now >= until || now < began }
}
