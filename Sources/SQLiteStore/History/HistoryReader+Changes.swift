import ObjectRows
import SQLiteDriver

extension HistoryReader {
  /// The changes of transactions, sorted by transaction number and change number.
  func changes(of transactions: [Int64]) throws -> [HistoryChangeRow] {
    guard !transactions.isEmpty else { return [] }
    let condition = "WHERE c.ZTRANSACTIONID IN (SELECT value FROM _Z_intarray0)"
    let order = " ORDER BY c.ZTRANSACTIONID, c.Z_PK"
    return try connection.withIntegers([transactions]) {
      try changes("ACHANGE c \(condition)\(order)", [], limit: nil)
    }
  }

  /// The changes that pass a query's filter, in the transactions that the query names.
  func filteredChanges(_ query: HistoryQuery) throws -> [HistoryChangeRow] {
    var condition = HistoryCondition(
      tables, store.schema,
      hasInlineTexts: try hasInlineTexts(query.changeFilter ?? query.transactionFilter))
    condition.add(query, number: "c.ZTRANSACTIONID")
    for filter in [query.changeFilter, query.transactionFilter] { filter.map { condition.add($0) } }
    let source =
      "ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID\(condition.whereClause)"
      + condition.order("c.ZTRANSACTIONID", "c.Z_PK")
    return try connection.withIntegers(condition.arrays) {
      try changes(source, condition.values, limit: query.limit)
    }
  }

  private func changes(_ source: String, _ values: [Value], limit: Int?) throws
    -> [HistoryChangeRow]
  {
    let tombstones = tables.tombstoneCount
    let columns = (0..<tombstones).map { ", c." + HistoryTables.tombstoneColumn($0) }.joined()
    let bitmap = tables.hasBitmaps ? "c.ZCOLUMNS" : "NULL"
    var statement = try connection.prepare(
      "SELECT c.Z_PK, c.ZTRANSACTIONID, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, \(bitmap)\(columns) FROM \(source)"
    )
    for (place, value) in values.enumerated() { try statement.bind(value: value, at: place + 1) }
    var changes: [HistoryChangeRow] = []
    // The limit counts only changes of entities that the model has.
    while changes.count < limit ?? .max, try statement.step() {
      if let change = try change(statement.row, tombstones) { changes.append(change) }
    }
    return changes
  }

  /// A change; nil if the model does not have its entity.
  private func change(_ row: borrowing Row, _ tombstones: Int) throws -> HistoryChangeRow? {
    guard let layout = store.layout(ofEntity: row.int64(at: 3)),
      let kind = HistoryChangeRow.Kind(rawValue: Int(row.int64(at: 2)))
    else { return nil }
    let plan = try store.historyPlans.plan(for: layout)
    let bits = kind == .update ? row.blob(at: 5) : nil
    return HistoryChangeRow(
      number: row.int64(at: 0), transaction: row.int64(at: 1), kind: kind, layout: layout,
      key: row.int64(at: 4),
      changed: bits.map(plan.bitmap.ordinals) ?? OrdinalSet(),
      tombstone: kind == .deletion ? tombstone(row, plan, tombstones) : nil)
  }

  private func tombstone(_ row: borrowing Row, _ plan: HistoryPlan, _ count: Int) -> [String: Any]?
  {
    var values: [String: Any] = [:]
    for (place, attribute) in plan.preserved.prefix(count).enumerated() {
      values[attribute.name] = row.anyValue(at: 6 + place, as: attribute.form, store.reader)
    }
    return plan.preserved.isEmpty ? nil : values
  }
}
