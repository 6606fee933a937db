/// What one benchmark measured: ours and a reference, which is of the same run where it was
/// measured.
package struct BenchmarkResult: Encodable, Hashable, Sendable {
  /// What was measured, with dots between the words.
  package let name: String
  /// Ours: the median over the rounds.
  package let value: Double
  /// What `value` and `reference` count.
  package let unit: String
  /// The reference's median, or the number that `value` is to keep to.
  package let reference: Double
  /// Ours over the reference as a cost: the median of the rounds' own ratios.
  ///
  /// Below 1 is better than the reference.
  package let ratio: Double
  /// The highest ratio that is good enough; nil where there is no aim.
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

  /// Whether the ratio keeps within its limit.
  ///
  /// They are compared in hundredths: what lies below is not told apart by runs of one program.
  package var isWithinLimit: Bool {
    limit.map { (ratio * 100).rounded() <= ($0 * 100).rounded() } ?? true
  }

  private enum CodingKeys: String, CodingKey {
    case name, value, unit, reference, ratio, limit
  }

  /// Writes `limit` as null where there is none, so that every result has the same keys.
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
