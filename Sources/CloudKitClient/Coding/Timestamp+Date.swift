import CloudRecords
import Foundation

extension Date {
  /// Creates a date from a record's timestamp.
  init(_ timestamp: Timestamp) {
    self.init(timeIntervalSince1970: Double(timestamp.milliseconds) / 1_000)
  }
}

extension Timestamp {
  /// Creates a timestamp from the nearest millisecond of a date, clamped to the range of `Int64`.
  init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    let exact = Int64(exactly: milliseconds)
    self.init(milliseconds: exact ?? (milliseconds < 0 ? .min : .max))
  }
}
