import SQLiteDriver

/// The lines of the SQL log, in Core Data's words where they are known.
enum LogText {
  /// The SQL, the time, and the rows, as far as the statement has them.
  static func lines(of statement: LoggedStatement) -> [String] {
    let sql = statement.expandedSQL.map(shortened) ?? statement.sql
    var lines = ["CoreData: sql: \(oneLine(sql))", timeLine(statement)]
    lines += statement.rows.map { "CoreData: details: row: \(oneLine($0))" }
    let hidden = statement.rowCount - statement.rows.count
    if !statement.rows.isEmpty, hidden > 0 {
      lines.append("CoreData: details: \(hidden) more rows")
    }
    return lines
  }

  private static func timeLine(_ statement: LoggedStatement) -> String {
    let time = seconds(statement.duration)
    return statement.returnsRows
      ? "CoreData: annotation: total fetch execution time: \(time)s for \(statement.rowCount) rows."
      : "CoreData: annotation: sql execution time: \(time)s"
  }

  /// A query plan, with its steps indented by depth.
  static func lines(of plan: QueryPlan) -> [String] {
    ["CoreData: details: SQLite: EXPLAIN QUERY PLAN \(oneLine(plan.sql))"]
      + plan.steps.map { step in
        "CoreData: details: " + String(repeating: "  ", count: step.depth + 1) + step.text
      }
  }

  /// Seconds with four decimals, as Core Data prints them.
  static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let tenThousandths = attoseconds / 100_000_000_000_000
    return "\(seconds)." + String(String(10_000 + tenThousandths).dropFirst())
  }

  /// A text without line breaks, so that a line of the log stays one line.
  static func oneLine(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) else { return text }
    return text.replacing("\r\n", with: "\\r\\n").replacing("\n", with: "\\n")
      .replacing("\r", with: "\\r")
  }

  /// SQL with long literals shortened; their length follows in parentheses.
  static func shortened(_ sql: String) -> String {
    var result = ""
    var rest = sql.unicodeScalars[...]
    while let start = rest.firstIndex(of: "'") {
      let end = endOfLiteral(rest, from: rest.index(after: start))
      let content = rest[rest.index(after: start)..<end]
      result += String(rest[..<start]) + "'" + shown(content)
      rest = rest[end...].dropFirst()
    }
    return result + String(rest)
  }

  /// The content and the closing quote, shortened if necessary.
  private static func shown(_ content: Substring.UnicodeScalarView) -> String {
    let count = content.count
    guard count > Limits.loggedLiteral else { return String(content) + "'" }
    return String(content.prefix(Limits.loggedLiteral)) + "…'(\(count))"
  }

  /// The index of the quote that ends a literal; a doubled quote is part of it.
  private static func endOfLiteral(
    _ sql: Substring.UnicodeScalarView, from start: Substring.Index
  ) -> Substring.Index {
    var index = start
    while let quote = sql[index...].firstIndex(of: "'") {
      let next = sql.index(after: quote)
      guard next < sql.endIndex, sql[next] == "'" else { return quote }
      index = sql.index(after: next)
    }
    return sql.endIndex
  }
}
