import CloudRecords
import Foundation

extension Date {
  /// The date of a point in time that came from the server.
  init(_ timestamp: Timestamp) {
    self.init(timeIntervalSince1970: Double(timestamp.milliseconds) / 1_000)
  }
}

extension Timestamp {
  /// The millisecond that is nearest to a date; the first or last that the cloud knows for dates
  /// beyond.
  init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    let exact = Int64(exactly: milliseconds)
    self.init(milliseconds: exact ?? (milliseconds < 0 ? .min : .max))
  }
}
