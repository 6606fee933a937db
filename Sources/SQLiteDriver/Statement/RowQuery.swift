/// A SELECT whose rows are all read, with the statement that reads them fastest.
///
/// A stepped statement returns to its caller for every row, and has a cost for every column that is
/// read. An aggregate function gets the same values in one call per row, within one step. So the
/// SELECT becomes the source of a statement that passes its rows to such a function:
///
/// ```sql
/// WITH ParhelionRows(c0, c1) AS (SELECT t0.Z_ENT, t0.Z_PK FROM ZNOTE t0)
/// SELECT ParhelionRows(c0, c1) FROM ParhelionRows
/// ```
///
/// SQLite flattens the two into one with the plan of the SELECT, unless the SELECT has an order, a
/// limit, or groups: then each row would be copied, which costs more than it saves.
package struct RowQuery: Hashable, Sendable {
  /// The original SELECT, for logs and errors.
  package let sql: String
  /// The compiled statement: the SELECT, or the aggregate over it.
  package let statement: String

  /// Creates a query that is stepped.
  package init(stepping sql: String) {
    self.sql = sql
    statement = sql
  }

  /// Creates a query that uses the aggregate function, unless its rows have too many columns.
  ///
  /// - Parameter sql: A SELECT without ORDER BY, LIMIT, DISTINCT, or groups.
  package init(collecting sql: String, columns: Int) {
    self.sql = sql
    guard columns <= Limits.collectedColumns else {
      statement = sql
      return
    }
    let names = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
    statement =
      "\(Self.start)\(names)\(Self.source)\(sql)\(Self.end)\(names)) FROM \(Self.function)"
  }

  /// The name of the aggregate function.
  static let function = "ParhelionRows"
  private static let start = "WITH \(function)("
  private static let source = ") AS ("
  private static let end = ") SELECT \(function)("
}

// MARK: - Wrapped statements

extension RowQuery {
  /// Whether a statement uses the aggregate function.
  static func collects(_ statement: String) -> Bool { statement.hasPrefix(start) }

  /// The SELECT inside a statement, and its byte offset; any other statement unchanged.
  static func shown(_ statement: String) -> (sql: String, offset: Int) {
    guard collects(statement), let source = statement.firstRange(of: source),
      let end = statement.ranges(of: end).last, source.upperBound <= end.lowerBound
    else { return (statement, 0) }
    return (
      String(statement[source.upperBound..<end.lowerBound]),
      statement.utf8[..<source.upperBound].count
    )
  }
}
