import Dispatch

/// A start and an end, by the system's monotonic clock in nanoseconds, which all processes share.
package struct DemoSpan: Codable, Equatable, Sendable {
  package let began: UInt64
  package let ended: UInt64

  package init(began: UInt64, ended: UInt64) { (self.began, self.ended) = (began, ended) }

  /// The span of an order without a save.
  package static let none = DemoSpan(began: 0, ended: 0)

  /// The current time of the monotonic clock.
  package static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// The duration.
  package var seconds: Double { Self.seconds(from: began, to: ended) }

  /// The seconds between two times; 0 if the second one is earlier.
  package static func seconds(from one: UInt64, to other: UInt64) -> Double {
    Double(max(one, other) - one) / 1e9
  }
}
