/// The wall-clock durations of calls.
package struct Latencies: Sendable {
  private var seconds: [Double]

  package init(_ seconds: [Double] = []) { self.seconds = seconds }

  package mutating func add(_ one: Double) { seconds.append(one) }

  package mutating func add(_ others: Latencies) { seconds += others.seconds }

  /// Runs a closure and records its duration.
  mutating func time<Result>(_ work: () throws -> Result) rethrows -> Result {
    let begun = SideBySide.Clock.wall.seconds
    let result = try work()
    add(SideBySide.Clock.wall.seconds - begun)
    return result
  }

  /// The given percentile, in milliseconds; 0 without measurements.
  ///
  /// It is a measured duration, without interpolation.
  package func milliseconds(at share: Double) -> Double {
    guard !seconds.isEmpty else { return 0 }
    let rank = (share * Double(seconds.count)).rounded(.up)
    return seconds.sorted()[min(max(Int(rank), 1), seconds.count) - 1] * 1_000
  }

  /// The median latency.
  package var median: Double { milliseconds(at: 0.5) }
  /// The 99th percentile.
  package var tail: Double { milliseconds(at: 0.99) }
}
