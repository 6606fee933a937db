/// Something that is wrong with a store.
struct StoreProblem: Encodable, Hashable {
  /// What is wrong, as a stable word: `integrity`, `metadata`, `layout`, `primaryKey`, `row`, `relationship`, `inverse`,
  /// `join`, `order`, `externalFile`, `history`.
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
