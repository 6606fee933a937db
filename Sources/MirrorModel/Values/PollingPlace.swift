package import Foundation
import PredicateLanguage

/// Up to where the records of a type of a public database are known, in the order in which they
/// were changed.
///
///     ──────────────┬───────────────────┬──────────────▶ when they were changed, by the server's clock
///       known       │   names, once more │   everything
///                   until - skew      until
///
/// Clocks of servers differ a little, and records of one moment may come in two pages: what comes
/// to be known later may have been changed a little before the place. It is looked for by names
/// alone, so that nothing is fetched twice, and no more once nothing can come late.
package struct PollingPlace: Equatable, Sendable {
  /// The latest change that was seen, by the server's clock; nil at the beginning.
  package private(set) var until: Date?
  /// When the place was noted, by the device's clock; nil once nothing can come late behind it.
  package private(set) var noted: Date?

  package init(until: Date? = nil, noted: Date? = nil) { (self.until, self.noted) = (until, noted) }

  /// What has come since.
  package var news: NSPredicate {
    NSPredicate(format: "modificationDate > %@", (until ?? .distantPast) as NSDate)
  }

  /// What may have come late; nil where nothing can.
  package var late: NSPredicate? {
    guard let until, noted != nil else { return nil }
    let from = until.addingTimeInterval(-MirrorLimits.clockSkewSeconds)
    return NSPredicate(
      format: "modificationDate > %@ AND modificationDate <= %@", from as NSDate, until as NSDate)
  }

  /// What may have come late was looked for.
  package mutating func lookedForLate(at now: Date) {
    guard let noted else { return }
    // After a clock was set back, the time is counted from now.
    if now < noted { return self.noted = now }
    if now.timeIntervalSince(noted) >= MirrorLimits.clockSkewSeconds { self.noted = nil }
  }

  /// Records that were changed at some times have come.
  package mutating func move(past times: some Sequence<Date>, at now: Date) {
    guard let latest = times.max(), latest > until ?? .distantPast else { return }
    (until, noted) = (latest, now)
  }
}
