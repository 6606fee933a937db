/// A `SELECT` that is being written: the tables that it reads.
///
/// Conditions, orders and columns add the joins that they need; the text is made at the end.
final class Select {
  /// The table that the rows come from, with its alias.
  private let source: String
  private var joins: [RowSource] = []

  init(from source: String) { self.source = source }

  func add(_ join: RowSource) { joins.append(join) }

  /// What stands after `FROM`.
  var from: String { ([source] + joins.map(\.joinText)).joined(separator: " ") }
}
