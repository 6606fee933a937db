import Foundation

/// Measures two implementations of the same work, alternating.
///
/// Each round runs both, in alternating order, so that a machine that slows down affects both.
package struct SideBySide {
  /// The kind of time to measure.
  package enum Clock: Sendable {
    /// The processor time of this process, of all threads.
    ///
    /// It excludes other processes and waiting for the disk.
    case processor
    /// The elapsed time, for work that involves another process or the disk.
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

  /// Measures our work and that of the reference, alternately.
  ///
  /// - Parameters:
  ///   - referenceShare: The share of the work that the reference does, if all of it would take too
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
    // A warm-up run of each: caches fill, pages are touched.
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

  /// The result, in nanoseconds per item.
  package func result(_ name: String, items: Int, limit: Double?) -> BenchmarkResult {
    let scale = 1e9 / Double(max(1, items))
    return BenchmarkResult(
      name: name, value: (median(\.ours) * scale).rounded(to: 1), unit: "ns/row",
      reference: (median(\.reference) * scale).rounded(to: 1),
      ratio: median(\.ratio).rounded(to: 3), limit: limit)
  }

  /// The result in items per second; its ratio still compares times, so less is better.
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
  /// The value, rounded to a number of decimals for printing.
  func rounded(to decimals: Int) -> Double {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
