/// A `SELECT` under construction: the tables that it reads.
///
/// Conditions, orders, and columns add the joins that they need; the text is written at the end.
final class Select {
  /// The table that the rows come from, with its alias.
  private let source: String
  private var joins: [RowSource] = []

  init(from source: String) { self.source = source }

  func add(_ join: RowSource) { joins.append(join) }

  /// The text after `FROM`.
  var from: String { ([source] + joins.map(\.joinText)).joined(separator: " ") }
}
