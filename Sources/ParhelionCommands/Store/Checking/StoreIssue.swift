/// One issue of a store.
struct StoreIssue: Encodable, Hashable {
  /// The kind, as a stable word: `integrity`, `metadata`, `model`, `layout`, `primaryKey`, `row`,
  /// `value`, `relationship`, `inverse`, `join`, `order`, `derived`, `region`, `uniqueness`,
  /// `externalFile`, `history`, `words`.
  let kind: String
  let table: String?
  /// The key of the row.
  let row: Int64?
  let message: String

  /// The issue in words.
  var text: String {
    let place = [table, row.map { "row \($0)" }].compactMap { $0 }.joined(separator: " ")
    return "\(kind): \(place.isEmpty ? "" : "\(place): ")\(message)"
  }
}

/// The findings of a check.
struct StoreFindings {
  var issues: [StoreIssue] = []
  /// Unusual findings that intact stores have too.
  var warnings: [StoreIssue] = []

  mutating func append(_ others: StoreFindings) {
    issues += others.issues
    warnings += others.warnings
  }
}
