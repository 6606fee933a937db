import CloudRecords
import Foundation

extension Timestamp {
  /// The time in ISO 8601: `2026-01-31T12:00:00Z`.
  var text: String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }

  /// The time after this many days.
  static func inDays(_ days: Int) -> Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 + Double(days) * 86_400) * 1_000))
  }
}
