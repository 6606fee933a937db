extension LocalBenchmark.Measured {
  /// A measurement with its reference, where less is better.
  package static func figure(
    _ name: String, _ value: Double, _ unit: String, beside reference: Double, limit: Double? = nil
  ) -> Self {
    make(name, value, unit, reference, ratio: value / reference, limit)
  }

  /// A measurement with an upper limit.
  package static func figure(_ name: String, _ value: Double, _ unit: String, atMost aim: Double)
    -> Self
  {
    make(name, value, unit, aim, ratio: value / aim, 1)
  }

  /// A measurement with a lower limit.
  package static func figure(_ name: String, _ value: Double, _ unit: String, atLeast aim: Double)
    -> Self
  {
    make(name, value, unit, aim, ratio: aim / value, 1)
  }

  private static func make(
    _ name: String, _ value: Double, _ unit: String, _ reference: Double, ratio: Double,
    _ limit: Double?
  ) -> Self {
    let rounded = ratio.rounded(to: 3)
    let result = BenchmarkResult(
      name: name, value: value.rounded(to: 3), unit: unit, reference: reference.rounded(to: 3),
      ratio: rounded,
      limit: limit)
    return Self(result: result, spread: rounded...rounded)
  }
}
