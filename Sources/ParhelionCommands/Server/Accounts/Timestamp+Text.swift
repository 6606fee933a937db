import CloudRecords
import Foundation

extension Timestamp {
  /// The time as people and programs read it: `2026-01-31T12:00:00Z`.
  var text: String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }

  /// The time that lies so many days ahead.
  static func inDays(_ days: Int) -> Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 + Double(days) * 86_400) * 1_000))
  }
}
