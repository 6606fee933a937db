import SQLiteDriver
import SQLiteStore

/// A part of the check of a store, with the findings of that part.
protocol StoreCheckPart {
  var snapshot: StoreSnapshot { get }
  var findings: StoreFindings { get set }
}

/// The maximum number of reported rows per rule.
///
/// If more rows have the issue, one last issue says so. This limits the memory of a check.
private let reportedRows = 100

extension StoreCheckPart {
  var connection: Connection { snapshot.connection }

  mutating func note(_ kind: String, table: String? = nil, row: Int64? = nil, _ message: String) {
    findings.issues.append(StoreIssue(kind: kind, table: table, row: row, message: message))
  }

  /// Adds a warning: a finding that is unusual but harmless.
  mutating func warn(_ kind: String, table: String? = nil, _ message: String) {
    findings.warnings.append(StoreIssue(kind: kind, table: table, row: nil, message: message))
  }

  /// Adds an issue for each row of a query, whose first column is the row's key.
  mutating func noteRows(
    _ kind: String, of table: String, _ sql: String, message: ([Value]) -> String
  ) throws(SQLiteError) {
    let rows = try connection.rows("\(sql) LIMIT \(reportedRows + 1)")
    for row in rows.prefix(reportedRows) {
      note(kind, table: table, row: row.first?.wholeNumber, message(row))
    }
    if rows.count > reportedRows { note(kind, table: table, "More rows have the same issue.") }
  }

  /// Adds an issue for each table, column, index or trigger that differs.
  mutating func note(_ differences: [LayoutDifference]) {
    for difference in differences { note("layout", table: difference.table, difference.message) }
  }
}

/// The SQL and the text that show a value in a finding.
///
/// The query itself truncates the value, so that a large value needs little memory.
enum ShownValue {
  /// The maximum length of a shown text.
  private static let characters = 40

  /// The two columns of a query that `text(_:at:)` shows.
  static func columns(_ value: String) -> String {
    "typeof(\(value)), CASE typeof(\(value)) WHEN 'blob' THEN length(\(value)) WHEN 'text' THEN substr(\(value), 1, \(characters)) ELSE \(value) END"
  }

  /// The SQL condition that a number is infinite: SQLite reads `9e999` as infinity.
  static func isInfinite(_ value: String) -> String { "\(value) IN (9e999, -9e999)" }

  /// The text for the two columns that begin at an index.
  static func text(_ row: [Value], at place: Int) -> String {
    switch (row[place], row[place + 1]) {
    case (.text("blob"), .integer(let count)): "a blob of \(count) bytes"
    case (_, .integer(let number)): "\(number)"
    case (_, .real(let number)): "\(number)"
    case (_, .text(let text)): "a text \(JSONText.string(text))"
    case (_, .blob), (_, .null): "NULL"
    }
  }
}
