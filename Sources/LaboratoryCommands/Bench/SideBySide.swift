import Foundation

/// Measures two ways of doing the same work, in turns.
///
/// Each round runs both, the first one alternating, so that a machine that gets slower or warmer
/// meets both alike.
package struct SideBySide {
  /// What is measured of the work.
  package enum Clock: Sendable {
    /// The processor time of this process, whatever thread it was spent on.
    ///
    /// Other processes on the machine do not show, and neither does waiting for the disk.
    case processor
    /// The time that passes: for work that another process has a part in, or that ends on the disk.
    case wall

    var seconds: Double {
      var time = timespec()
      unsafe clock_gettime(self == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }

  /// The seconds of one round.
  struct Round {
    let ours: Double
    let reference: Double
    var ratio: Double { ours / reference }
  }

  let rounds: [Round]

  /// - Parameters:
  ///   - referenceShare: How much of the work the reference does, where all of it would take too
  ///     long.
  ///   - prepare: Runs before each measurement, and is not measured.
  package init(
    rounds count: Int, by clock: Clock = .processor, referenceShare: Double = 1,
    prepare: () throws -> Void = {},
    ours: () throws -> Void, reference: () throws -> Void
  ) throws {
    func seconds(_ work: () throws -> Void) throws -> Double {
      try prepare()
      let start = clock.seconds
      try work()
      return clock.seconds - start
    }
    func round(ours: Double, reference: Double) -> Round {
      Round(ours: ours, reference: reference / referenceShare)
    }
    // Once each without counting: caches fill, pages are touched.
    _ = (try seconds(ours), try seconds(reference))
    var rounds: [Round] = []
    for number in 0..<max(1, count) {
      if number.isMultiple(of: 2) {
        let (ours, reference) = (try seconds(ours), try seconds(reference))
        rounds.append(round(ours: ours, reference: reference))
      } else {
        let (reference, ours) = (try seconds(reference), try seconds(ours))
        rounds.append(round(ours: ours, reference: reference))
      }
    }
    self.rounds = rounds
  }

  /// The result, in nanoseconds for each of `items`.
  package func result(_ name: String, items: Int, limit: Double?) -> BenchmarkResult {
    let scale = 1e9 / Double(max(1, items))
    return BenchmarkResult(
      name: name, value: (median(\.ours) * scale).rounded(to: 1), unit: "ns/row",
      reference: (median(\.reference) * scale).rounded(to: 1),
      ratio: median(\.ratio).rounded(to: 3), limit: limit)
  }

  /// The result as a rate, how many of `items` a second; its ratio is one of costs all the same.
  package func rate(_ name: String, items: Int, limit: Double?) -> BenchmarkResult {
    BenchmarkResult(
      name: name, value: (Double(items) / median(\.ours)).rounded(to: 1), unit: "/s",
      reference: (Double(items) / median(\.reference)).rounded(to: 1),
      ratio: median(\.ratio).rounded(to: 3),
      limit: limit)
  }

  /// The smallest and the largest ratio of a round.
  package var spread: ClosedRange<Double> {
    let ratios = rounds.map(\.ratio)
    return (ratios.min() ?? 0).rounded(to: 3)...(ratios.max() ?? 0).rounded(to: 3)
  }

  private func median(_ quantity: (Round) -> Double) -> Double {
    let values = rounds.map(quantity).sorted()
    let middle = values.count / 2
    return values.count.isMultiple(of: 2)
      ? (values[middle - 1] + values[middle]) / 2 : values[middle]
  }
}

extension Double {
  /// Rounded to some decimals, for printing.
  func rounded(to decimals: Int) -> Double {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
