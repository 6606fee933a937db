/// How long calls took, by the clock on the wall.
package struct Latencies: Sendable {
  private var seconds: [Double]

  package init(_ seconds: [Double] = []) { self.seconds = seconds }

  package mutating func add(_ one: Double) { seconds.append(one) }

  package mutating func add(_ others: Latencies) { seconds += others.seconds }

  /// Does something and adds how long it took.
  mutating func time<Result>(_ work: () throws -> Result) rethrows -> Result {
    let begun = SideBySide.Clock.wall.seconds
    let result = try work()
    add(SideBySide.Clock.wall.seconds - begun)
    return result
  }

  /// The milliseconds that a share of the calls did not exceed; 0 where there were none.
  ///
  /// It is a time that was measured, not one between two.
  package func milliseconds(at share: Double) -> Double {
    guard !seconds.isEmpty else { return 0 }
    let rank = (share * Double(seconds.count)).rounded(.up)
    return seconds.sorted()[min(max(Int(rank), 1), seconds.count) - 1] * 1_000
  }

  /// What half of the calls did not exceed.
  package var median: Double { milliseconds(at: 0.5) }
  /// What all but one in a hundred did not exceed.
  package var tail: Double { milliseconds(at: 0.99) }
}
