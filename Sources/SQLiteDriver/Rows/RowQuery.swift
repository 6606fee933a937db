/// A SELECT whose rows are all read, and the statement that gives them at the least cost.
///
/// A statement that is stepped comes back to its caller for every row, and looks at itself for
/// every column that it is asked for. An aggregate function gets the same values in one call for
/// each row, out of one step. So the SELECT becomes the source of one that hands its rows to such a
/// function:
///
/// ```sql
/// WITH ParhelionRows(c0, c1) AS (SELECT t0.Z_ENT, t0.Z_PK FROM ZNOTE t0) SELECT ParhelionRows(c0, c1) FROM ParhelionRows
/// ```
///
/// SQLite takes the two for one statement, with the plan of the SELECT alone, unless that has an
/// order, a limit or groups: then each row would be copied on its way, which costs more than it
/// saves.
package struct RowQuery: Hashable, Sendable {
  /// The SELECT itself, which logs and errors show.
  package let sql: String
  /// What is compiled: the SELECT, or what hands its rows on.
  package let statement: String

  /// A query that is stepped.
  package init(stepping sql: String) {
    self.sql = sql
    statement = sql
  }

  /// A query that hands its rows on, unless they have too many columns.
  ///
  /// - Parameter sql: A SELECT without ORDER BY, LIMIT, DISTINCT and groups.
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

  /// The name of the function.
  static let function = "ParhelionRows"
  private static let start = "WITH \(function)("
  private static let source = ") AS ("
  private static let end = ") SELECT \(function)("
}

// MARK: - The other way

extension RowQuery {
  /// Whether a statement hands its rows on.
  static func collects(_ statement: String) -> Bool { statement.hasPrefix(start) }

  /// The SELECT inside of a statement, and how many bytes stand before it; any other statement as
  /// it is.
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
