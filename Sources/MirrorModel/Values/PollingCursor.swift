package import Foundation
import PredicateLanguage

/// The position up to which the changed records of a public database's type are known.
///
///     ──────────────┬───────────────────┬──────────────▶ date of change, by the server's clock
///       known       │   names, again    │   everything
///                   until - skew      until
///
/// Servers' clocks differ a little, and records of one moment may span two pages. So a record that
/// appears later may have changed a little before the position. Until no such record can appear,
/// the names in that interval are listed again, and only versions that are not here are fetched.
package struct PollingCursor: Equatable, Sendable {
  /// The latest known change, by the server's clock; nil at the beginning.
  package private(set) var until: Date?
  /// When the position was recorded, by the device's clock; nil once no late record can appear.
  package private(set) var noted: Date?

  package init(until: Date? = nil, noted: Date? = nil) { (self.until, self.noted) = (until, noted) }

  /// The predicate for later changes.
  package var news: NSPredicate {
    NSPredicate(format: "modificationDate > %@", (until ?? .distantPast) as NSDate)
  }

  /// The predicate for records that may have appeared late; nil if none can.
  package var late: NSPredicate? {
    guard let until, noted != nil else { return nil }
    let from = until.addingTimeInterval(-MirrorLimits.clockSkewSeconds)
    return NSPredicate(
      format: "modificationDate > %@ AND modificationDate <= %@", from as NSDate, until as NSDate)
  }

  /// Ends the search for late records if none can appear any more.
  package mutating func finishLateSearch(at now: Date) {
    guard let noted else { return }
    // After a clock was set back, the time starts from now.
    if now < noted { return self.noted = now }
    if now.timeIntervalSince(noted) >= MirrorLimits.clockSkewSeconds { self.noted = nil }
  }

  /// Advances past the dates of received records.
  package mutating func move(past times: some Sequence<Date>, at now: Date) {
    guard let latest = times.max(), latest > until ?? .distantPast else { return }
    (until, noted) = (latest, now)
  }
}
