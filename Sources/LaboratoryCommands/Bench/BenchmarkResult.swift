/// A measurement, compared with a target or with a reference that was measured in the same run.
package struct BenchmarkResult: Encodable, Hashable, Sendable {
  /// The name of the measurement, with dots between words.
  package let name: String
  /// This framework's median over the rounds.
  package let value: Double
  /// The unit of `value` and `reference`.
  package let unit: String
  /// The reference's median, or the target for `value`.
  package let reference: Double
  /// The cost relative to the reference: the median of the rounds' ratios.
  ///
  /// Below 1 is better than the reference.
  package let ratio: Double
  /// The maximum acceptable ratio; nil if there is no target.
  package let limit: Double?

  package init(
    name: String, value: Double, unit: String, reference: Double, ratio: Double, limit: Double?
  ) {
    self.name = name
    self.value = value
    self.unit = unit
    self.reference = reference
    self.ratio = ratio
    self.limit = limit
  }

  /// Whether the ratio is within its limit.
  ///
  /// The comparison is in hundredths: smaller differences are noise.
  package var isWithinLimit: Bool {
    limit.map { (ratio * 100).rounded() <= ($0 * 100).rounded() } ?? true
  }

  private enum CodingKeys: String, CodingKey {
    case name, value, unit, reference, ratio, limit
  }

  /// Encodes `limit` as null if there is none, so that every result has the same keys.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(value, forKey: .value)
    try container.encode(unit, forKey: .unit)
    try container.encode(reference, forKey: .reference)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(limit, forKey: .limit)
  }
}
