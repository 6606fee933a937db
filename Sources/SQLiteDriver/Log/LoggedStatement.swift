/// A statement that finished, was reset, or failed.
package struct LoggedStatement: Hashable, Sendable {
  /// The contents of a statement log; each case includes the ones before it.
  package enum Detail: Int, Comparable, Sendable {
    /// The SQL and the duration.
    case statements
    /// The number of result rows.
    case rowCounts
    /// The bound values, which may be private.
    case values
    /// The first result rows.
    case rows

    package static func < (one: Detail, other: Detail) -> Bool { one.rawValue < other.rawValue }
  }

  /// The SQL, with parameters.
  package var sql: String
  /// The SQL with the bound values in place of the parameters; nil if the log does not report
  /// values.
  package var expandedSQL: String?
  /// The time from the first step to the end, including the reader's time between rows.
  package var duration: Duration
  /// The number of result rows that were read; 0 if the log does not count them.
  package var rowCount = 0
  /// The first result rows, as lists of shortened literals.
  package var rows: [String] = []
  /// Whether the statement has result columns.
  package var returnsRows = false

  package init(sql: String, duration: Duration, rowCount: Int = 0) {
    self.sql = sql
    self.duration = duration
    self.rowCount = rowCount
  }
}
