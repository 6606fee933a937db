/// Something that is wrong with a store.
struct StoreProblem: Encodable, Hashable {
  /// What is wrong, as a stable word: `integrity`, `metadata`, `model`, `layout`, `primaryKey`,
  /// `row`, `value`, `relationship`, `inverse`, `join`, `order`, `derived`, `region`, `uniqueness`,
  /// `externalFile`, `history`.
  let kind: String
  let table: String?
  /// The key of the row.
  let row: Int64?
  let message: String

  /// The problem in words.
  var text: String {
    let place = [table, row.map { "row \($0)" }].compactMap { $0 }.joined(separator: " ")
    return "\(kind): \(place.isEmpty ? "" : "\(place): ")\(message)"
  }
}

/// What a check found.
struct StoreFindings {
  /// What is wrong.
  var problems: [StoreProblem] = []
  /// What is odd, and is found in sound stores too.
  var warnings: [StoreProblem] = []

  mutating func append(_ others: StoreFindings) {
    problems += others.problems
    warnings += others.warnings
  }
}
