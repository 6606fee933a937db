import Foundation
import ObjectRows
import SQLiteDriver

/// The SQL condition of a history query, on transactions `t` and changes `c`.
///
/// A negation takes NULL as false, so that an absent value differs from every value, as in memory.
struct HistoryCondition {
  private(set) var values: [Value] = []
  private(set) var arrays: [[Int64]] = []
  /// Whether an index finds the rows in an order other than the requested one.
  ///
  /// SQLite would scan all rows in the requested order rather than sort a few. A plus sign before
  /// the order's terms prevents that.
  private(set) var prefersIndex = false
  private var parts: [String] = []
  private let tables: HistoryLayout
  private let schema: StoreSchema
  private let hasInlineTexts: Bool

  init(_ tables: HistoryLayout, _ schema: StoreSchema, hasInlineTexts: Bool) {
    self.tables = tables
    self.schema = schema
    self.hasInlineTexts = hasInlineTexts
  }

  var whereClause: String { parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ") }

  /// Adds a query's range of transactions.
  ///
  /// - Parameter number: The column with the number of the transaction.
  mutating func add(_ query: HistoryQuery, number: String) {
    if let after = query.after {
      parts.append("\(number) > ?")
      values.append(.integer(after))
    }
    if let date = query.afterDate {
      prefersIndex = true
      parts.append("t.ZTIMESTAMP > ?")
      values.append(.real(date.timeIntervalSinceReferenceDate))
    }
    if let numbers = query.numbers {
      parts.append("\(number) IN (SELECT value FROM _Z_intarray0)")
      arrays.append(numbers)
    }
  }

  /// Adds a filter.
  ///
  /// The parts of a conjunction stay separate, so that each can use an index.
  mutating func add(_ filter: HistoryFilter) {
    switch filter {
    case .all(let filters): for filter in filters { add(filter) }
    case .date, .number(.change, _, _):
      prefersIndex = true
      parts.append(text(filter))
    default: parts.append(text(filter))
    }
  }

  /// The order of transactions.
  func order(_ order: HistoryQuery.Order) -> String {
    switch order {
    case .number(let ascending): self.order("t.Z_PK\(ascending ? "" : " DESC")")
    case .date(let ascending): " ORDER BY t.ZTIMESTAMP\(ascending ? "" : " DESC"), t.Z_PK"
    }
  }

  /// The terms of an order.
  func order(_ terms: String...) -> String {
    " ORDER BY " + terms.map { (prefersIndex ? "+" : "") + $0 }.joined(separator: ", ")
  }

  private mutating func text(_ filter: HistoryFilter) -> String {
    switch filter {
    case .constant(let value): return value ? "1" : "0"
    case .all(let filters): return joined(filters, "AND", empty: "1")
    case .any(let filters): return joined(filters, "OR", empty: "0")
    case .not(let filter): return "(\(text(filter))) IS NOT TRUE"
    case .number(let number, let comparison, let value):
      values.append(.integer(value))
      return "\(number.column) \(comparison.rawValue) ?"
    case .date(let comparison, let date):
      values.append(.real(date.timeIntervalSinceReferenceDate))
      return "t.ZTIMESTAMP \(comparison.rawValue) ?"
    case .text(let text, let texts): return condition(on: text.text, among: texts)
    case .entity(let names):
      let numbers = names.compactMap { schema.entity(named: $0)?.number }
      return "c.ZENTITY IN (\(numbers.map(String.init).joined(separator: ", ")))"
    case .object(let row):
      let number = schema.entity(schema.layouts[row.layoutIndex])?.number
      values.append(.integer(row.key))
      return "(c.ZENTITYPK = ? AND c.ZENTITY = \(number ?? -1))"
    }
  }

  private mutating func joined(_ filters: [HistoryFilter], _ word: String, empty: String) -> String
  {
    if filters.isEmpty { return empty }
    return "(\(filters.map { text($0) }.joined(separator: " \(word) ")))"
  }

  // MARK: Texts

  private mutating func condition(on text: HistoryText, among texts: [String?]) -> String {
    guard tables.has(text) else { return texts.contains(nil) ? "1" : "0" }
    let some = texts.compactMap(\.self)
    var parts: [String] = []
    if !some.isEmpty { parts += condition(on: text, amongTexts: some) }
    if texts.contains(nil) { parts.append("(\(isAbsent(text)))") }
    if parts.isEmpty { return "0" }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " OR ")))"
  }

  /// The condition on a text.
  ///
  /// The keys of matching texts are found first, so that the index on the keys finds the
  /// transactions.
  private mutating func condition(on text: HistoryText, amongTexts texts: [String]) -> [String] {
    let list = texts.map { _ in "?" }.joined(separator: ", ")
    var parts: [String] = []
    if tables.isInterned(text) {
      parts.append(
        "t.\(text.keyColumn) IN (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME IN (\(list)))")
      values += texts.map(Value.text)
    }
    if isInline(text) {
      let absence = tables.isInterned(text) ? "t.\(text.keyColumn) IS NULL AND " : ""
      parts.append("(\(absence)t.\(text.column) IN (\(list)))")
      values += texts.map(Value.text)
    }
    return parts
  }

  private func isAbsent(_ text: HistoryText) -> String {
    let columns =
      (tables.isInterned(text) ? [text.keyColumn] : []) + (isInline(text) ? [text.column] : [])
    return columns.map { "t.\($0) IS NULL" }.joined(separator: " AND ")
  }

  private func isInline(_ text: HistoryText) -> Bool {
    (hasInlineTexts || !tables.isInterned(text)) && tables.transactionColumns.contains(text.column)
  }
}

extension HistoryFilter.Number {
  fileprivate var column: String {
    switch self {
    case .transaction: "t.Z_PK"
    case .change: "c.Z_PK"
    case .kind: "c.ZCHANGETYPE"
    }
  }
}

extension HistoryFilter.Text {
  fileprivate var text: HistoryText {
    switch self {
    case .author: .author
    case .bundleID: .bundleID
    case .contextName: .contextName
    case .processID: .processID
    }
  }
}
