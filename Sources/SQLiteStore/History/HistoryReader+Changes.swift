import ObjectRows
import SQLiteDriver

extension HistoryReader {
  /// The changes of transactions, by the transactions' numbers and their own.
  func changes(of transactions: [Int64]) throws -> [HistoryChangeRow] {
    guard !transactions.isEmpty else { return [] }
    let tombstones = tables.tombstoneCount
    let columns = (0..<tombstones).map { ", " + HistoryTables.tombstoneColumn($0) }.joined()
    let bitmap = tables.hasBitmaps ? "ZCOLUMNS" : "NULL"
    let sql =
      "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, \(bitmap)\(columns) FROM ACHANGE "
      + "WHERE ZTRANSACTIONID IN (SELECT value FROM _Z_intarray0) ORDER BY ZTRANSACTIONID, Z_PK"
    return try connection.withIntegers([transactions]) {
      var statement = try connection.prepare(sql)
      var changes: [HistoryChangeRow] = []
      while try statement.step() {
        if let change = try change(statement.row, tombstones) { changes.append(change) }
      }
      return changes
    }
  }

  /// A change; nil for one of an entity that the model does not have.
  private func change(_ row: borrowing Row, _ tombstones: Int) throws -> HistoryChangeRow? {
    guard let layout = store.layout(ofEntity: row.int64(at: 3)),
      let kind = HistoryChangeRow.Kind(rawValue: Int(row.int64(at: 2)))
    else { return nil }
    let plan = try store.historyPlans.plan(for: layout)
    let bits = kind == .update ? row.blob(at: 5) : nil
    return HistoryChangeRow(
      number: row.int64(at: 0), transaction: row.int64(at: 1), kind: kind, layout: layout, key: row.int64(at: 4),
      changed: bits.map(plan.bitmap.ordinals) ?? OrdinalSet(),
      tombstone: kind == .deletion ? tombstone(row, plan, tombstones) : nil)
  }

  private func tombstone(_ row: borrowing Row, _ plan: HistoryPlan, _ count: Int) -> [String: Any]? {
    var values: [String: Any] = [:]
    for (place, attribute) in plan.preserved.prefix(count).enumerated() {
      values[attribute.name] = row.anyValue(at: 6 + place, as: attribute.form, store.reader)
    }
    return plan.preserved.isEmpty ? nil : values
  }
}
