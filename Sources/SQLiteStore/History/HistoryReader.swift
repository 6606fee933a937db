import Foundation
import ObjectRows
import SQLiteDriver

/// Reads parts of a history.
struct HistoryReader {
  let connection: Connection
  let tables: HistoryLayout
  let store: SQLiteRowStore

  /// The transactions that match a query, in its order.
  func transactions(_ query: HistoryQuery) throws -> [HistoryTransactionRow] {
    let condition = try condition(query)
    let texts = HistoryText.allCases.map(expression).joined(separator: ", ")
    let sql =
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts) FROM ATRANSACTION t\(joins)\(condition.whereClause)"
      + condition.order(query.order)
      + (query.limit.map { " LIMIT \($0)" } ?? "")
    return try connection.withIntegers(condition.arrays) {
      try connection.rows(sql, condition.values).map(Self.transaction)
    }
  }

  func count(_ query: HistoryQuery) throws -> Int {
    let condition = try condition(query)
    let source =
      "ATRANSACTION t\(condition.whereClause)"
      + (query.limit.map { condition.order(query.order) + " LIMIT \($0)" } ?? "")
    let sql =
      query.includesChanges
      ? "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT t.Z_PK FROM \(source))"
      : "SELECT count(*) FROM (SELECT t.Z_PK FROM \(source))"
    return try connection.withIntegers(condition.arrays) {
      guard case .integer(let count)? = try connection.value(sql, condition.values) else {
        return 0
      }
      return Int(count)
    }
  }

  private func condition(_ query: HistoryQuery) throws(SQLiteError) -> HistoryCondition {
    var condition = HistoryCondition(
      tables, store.schema, hasInlineTexts: try hasInlineTexts(query.transactionFilter))
    condition.add(query, number: "t.Z_PK")
    if let filter = query.transactionFilter { condition.add(filter) }
    return condition
  }

  /// Whether transaction rows may contain their texts, although the file has a table for texts.
  ///
  /// Rows of an older layout do. These rows come first, and every row names a program and a
  /// process, so the first row decides.
  func hasInlineTexts(_ filter: HistoryFilter?) throws(SQLiteError) -> Bool {
    guard filter != nil, tables.hasStrings else { return true }
    let columns = [HistoryText.bundleID, .processID].filter {
      tables.transactionColumns.contains($0.column)
    }
    guard !columns.isEmpty else { return false }
    let first = try connection.rows(
      "SELECT \(columns.map(\.column).joined(separator: ", ")) FROM ATRANSACTION ORDER BY Z_PK LIMIT 1"
    )
    return first.first?.contains { $0 != .null } ?? false
  }

  /// The SQL expression for a text of a transaction.
  private func expression(_ text: HistoryText) -> String {
    guard tables.has(text) else { return "NULL" }
    return tables.isInterned(text)
      ? "coalesce(\(text.alias).ZNAME, t.\(text.column))" : "t.\(text.column)"
  }

  private var joins: String {
    HistoryText.allCases.filter(tables.isInterned)
      .map { " LEFT JOIN ATRANSACTIONSTRING \($0.alias) ON \($0.alias).Z_PK = t.\($0.keyColumn)" }
      .joined()
  }

  private static func transaction(_ row: [Value]) -> HistoryTransactionRow {
    func text(_ value: Value) -> String? { if case .text(let text) = value { text } else { nil } }
    let seconds: Double =
      switch row[1] {
      case .real(let seconds): seconds
      case .integer(let seconds): Double(seconds)
      default: 0
      }
    // In the order of `HistoryText.allCases`.
    return HistoryTransactionRow(
      number: row[0].historyNumber, date: Date(timeIntervalSinceReferenceDate: seconds),
      author: text(row[2]),
      contextName: text(row[4]), bundleID: text(row[3]), processID: text(row[5]))
  }
}

extension HistoryText {
  fileprivate var alias: String {
    switch self {
    case .author: "a"
    case .bundleID: "b"
    case .contextName: "c"
    case .processID: "p"
    }
  }
}

extension Value {
  fileprivate var historyNumber: Int64 { if case .integer(let number) = self { number } else { 0 } }
}
