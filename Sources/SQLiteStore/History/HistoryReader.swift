import Foundation
import ObjectRows
import SQLiteDriver

/// Reads parts of a history.
struct HistoryReader {
  let connection: Connection
  let tables: HistoryLayout
  let store: SQLiteRowStore

  /// The transactions that a query finds, by number.
  func transactions(_ query: HistoryQuery) throws -> [HistoryTransactionRow] {
    let condition = HistoryCondition(query)
    let texts = HistoryText.allCases.map(expression).joined(separator: ", ")
    let sql =
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts) FROM ATRANSACTION t\(joins)\(condition.sql) ORDER BY t.Z_PK"
      + (query.limit.map { " LIMIT \($0)" } ?? "")
    return try connection.withIntegers(condition.arrays) {
      try connection.rows(sql, condition.values).map(Self.transaction)
    }
  }

  func count(_ query: HistoryQuery) throws -> Int {
    let condition = HistoryCondition(query)
    let source = "ATRANSACTION t\(condition.sql)" + (query.limit.map { " ORDER BY t.Z_PK LIMIT \($0)" } ?? "")
    let sql =
      query.includesChanges
      ? "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT t.Z_PK FROM \(source))"
      : "SELECT count(*) FROM (SELECT t.Z_PK FROM \(source))"
    return try connection.withIntegers(condition.arrays) {
      guard case .integer(let count)? = try connection.value(sql, condition.values) else { return 0 }
      return Int(count)
    }
  }

  /// The column of a text, as a text.
  private func expression(_ text: HistoryText) -> String {
    guard tables.has(text) else { return "NULL" }
    return tables.isInterned(text) ? "coalesce(\(text.alias).ZNAME, t.\(text.column))" : "t.\(text.column)"
  }

  private var joins: String {
    HistoryText.allCases.filter(tables.isInterned)
      .map { " LEFT JOIN ATRANSACTIONSTRING \($0.alias) ON \($0.alias).Z_PK = t.\($0.keyColumn)" }.joined()
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
      number: row[0].historyNumber, date: Date(timeIntervalSinceReferenceDate: seconds), author: text(row[2]),
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

/// The condition of a query on transactions, as SQL.
struct HistoryCondition {
  private(set) var sql = ""
  private(set) var values: [Value] = []
  private(set) var arrays: [[Int64]] = []

  init(_ query: HistoryQuery) {
    var parts: [String] = []
    if let number = query.after {
      parts.append("t.Z_PK > ?")
      values.append(.integer(number))
    }
    if let date = query.afterDate {
      parts.append("t.ZTIMESTAMP > ?")
      values.append(.real(date.timeIntervalSinceReferenceDate))
    }
    if let numbers = query.numbers {
      parts.append("t.Z_PK IN (SELECT value FROM _Z_intarray0)")
      arrays.append(numbers)
    }
    if !parts.isEmpty { sql = " WHERE " + parts.joined(separator: " AND ") }
  }
}
