import Foundation
import ObjectRows
import SQLiteDriver

/// Writes the history of one save, in the save's own transaction.
struct HistoryWriter {
  let connection: Connection
  let plans: HistoryPlans
  let tables: HistoryLayout
  /// The number of the transaction being written.
  let transaction: Int64
  var nextChange: Int64

  init(_ connection: Connection, _ plans: HistoryPlans, _ tables: HistoryLayout) throws {
    self.connection = connection
    self.plans = plans
    self.tables = tables
    transaction = try connection.nextHistoryNumber(HistoryEntity.transaction)
    nextChange = try connection.nextHistoryNumber(HistoryEntity.change)
  }

  /// Writes the row of the transaction.
  func write(_ description: TransactionDescription) throws {
    var columns = ["Z_PK", "Z_ENT", "ZTIMESTAMP"]
    var values: [Value] = [
      .integer(transaction), .integer(Int64(HistoryEntity.transaction)),
      .real(description.date.timeIntervalSinceReferenceDate),
    ]
    for text in HistoryText.allCases where tables.has(text) {
      guard let value = description.text(text) else { continue }
      columns.append(tables.isInterned(text) ? text.keyColumn : text.column)
      values.append(tables.isInterned(text) ? .integer(try key(of: value)) : .text(value))
    }
    let parameters = columns.map { _ in "?" }.joined(separator: ", ")
    try connection.run(
      "INSERT INTO ATRANSACTION(\(columns.joined(separator: ", "))) VALUES(\(parameters))", values)
  }

  /// The key of a text; each text is stored once.
  private func key(of text: String) throws -> Int64 {
    let known = try connection.value(
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(text)])
    if case .integer(let key)? = known { return key }
    let key = try connection.nextHistoryNumber(HistoryEntity.string)
    try connection.run(
      "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, ZNAME) VALUES(?, ?, ?)",
      [.integer(key), .integer(Int64(HistoryEntity.string)), .text(text)])
    try connection.setHistoryCounter(HistoryEntity.string, to: key)
    return key
  }

  /// Writes the rows of changes of one kind, with one statement whose common values are bound once.
  mutating func write(_ changes: ContiguousArray<RowChange>, _ kind: HistoryChangeRow.Kind) throws {
    guard !changes.isEmpty else { return }
    let hasBitmap = kind == .update && tables.hasBitmaps
    var statement = try connection.prepare(insert(kind, more: hasBitmap ? ["ZCOLUMNS"] : []))
    try statement.bind(transaction, at: 4)
    var next = 0
    while next < changes.count {
      let (layout, changed) = (changes[next].layout, changes[next].changed)
      let plan = try plans.plan(for: layout)
      try statement.bind(plan.schema.number, at: 2)
      if hasBitmap { try statement.bind(plan.bitmap.bytes(for: changed), at: 5) }
      while next < changes.count, changes[next].layout === layout,
        !hasBitmap || changes[next].changed == changed
      {
        try statement.bind(nextChange, at: 1)
        try statement.bind(changes[next].row.key, at: 3)
        try statement.run()
        nextChange += 1
        next += 1
      }
    }
  }

  /// Writes the rows of deletions, with the preserved values.
  mutating func write(_ deletions: [HistoryTombstone]) throws {
    for deletion in deletions {
      let values = deletion.values.prefix(tables.tombstoneCount)
      let columns = values.indices.map { HistoryTables.tombstoneColumn($0) }
      var statement = try connection.prepare(insert(.deletion, more: columns))
      try statement.bind(nextChange, at: 1)
      try statement.bind(try plans.plan(for: deletion.layout).schema.number, at: 2)
      try statement.bind(deletion.key, at: 3)
      try statement.bind(transaction, at: 4)
      for (place, value) in values.enumerated() { try statement.bind(value: value, at: 5 + place) }
      try statement.run()
      nextChange += 1
    }
  }

  private func insert(_ kind: HistoryChangeRow.Kind, more columns: [String]) -> String {
    let names =
      ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"] + columns
    let values =
      ["?", String(HistoryEntity.change), String(kind.rawValue), "?", "?", "?"]
      + columns.map { _ in "?" }
    return
      "INSERT INTO ACHANGE(\(names.joined(separator: ", "))) VALUES(\(values.joined(separator: ", ")))"
  }

  /// Advances the key counters, so that no number is used again.
  func finish() throws(SQLiteError) {
    try connection.setHistoryCounter(HistoryEntity.transaction, to: transaction)
    try connection.setHistoryCounter(HistoryEntity.change, to: nextChange - 1)
  }
}

/// A deleted row, with its preserved values in the order of their columns.
struct HistoryTombstone {
  let layout: RowLayout
  let key: Int64
  let values: [Value]
}

extension TransactionDescription {
  fileprivate func text(_ text: HistoryText) -> String? {
    switch text {
    case .author: author
    case .bundleID: bundleID
    case .contextName: contextName
    case .processID: processID
    }
  }
}

extension Connection {
  /// The number after the highest one of a key counter of the history.
  fileprivate func nextHistoryNumber(_ entity: Int) throws -> Int64 {
    let highest = try counter(entity)
    // The upper half leaves space for the numbers of any save.
    guard highest < Int64.max / 2 else {
      throw StoreError(
        .notAStore,
        """
        The store's table Z_PRIMARYKEY gives \(highest) as the highest key of the history's entity \
        \(entity), so no row can get the next one. Set Z_MAX to the highest key of its rows.
        """,
        context: ["table": "Z_PRIMARYKEY", "entity": String(entity)])
    }
    return highest + 1
  }

  /// Sets a key counter of the history, which a store of 2017 may lack.
  fileprivate func setHistoryCounter(_ entity: Int, to key: Int64) throws(SQLiteError) {
    let name = HistoryTables.entities.first { $0.0 == entity }?.1 ?? ""
    try run(
      "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(?, ?, 0, ?) "
        + "ON CONFLICT(Z_ENT) DO UPDATE SET Z_MAX = excluded.Z_MAX",
      [.integer(Int64(entity)), .text(name), .integer(key)])
  }
}
