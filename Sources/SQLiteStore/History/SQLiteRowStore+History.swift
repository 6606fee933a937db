import Foundation
package import ObjectRows
package import SQLiteDriver
import Synchronization

extension SQLiteRowStore {
  package func history(_ query: HistoryQuery) throws -> HistoryRows {
    try readHistory(HistoryRows()) { reader in try reader.rows(query) }
  }

  /// Reads the history over a connection with an open transaction, such as a companion's.
  package func history(_ query: HistoryQuery, on connection: Connection) throws -> HistoryRows {
    guard let tables = try historyTables(connection) else { return HistoryRows() }
    return try HistoryReader(connection: connection, tables: tables, store: self).rows(query)
  }

  /// The numbers of the first transaction still present, or of the next one if there is none, and
  /// of the latest one.
  ///
  /// Both are read over a connection with an open transaction.
  package func historyNumbers(on connection: Connection) throws -> (earliest: Int64, latest: Int64)
  {
    guard try historyTables(connection) != nil else { return (1, 0) }
    let latest = try connection.latestHistoryNumber()
    guard case .integer(let earliest)? = try connection.value("SELECT min(Z_PK) FROM ATRANSACTION")
    else {
      return (latest + 1, latest)
    }
    return (earliest, latest)
  }

  /// The number of the latest transaction, read over a connection.
  package func latestHistoryNumber(on connection: Connection) throws -> Int64 {
    try historyTables(connection) == nil ? 0 : connection.latestHistoryNumber()
  }

  package func historyCount(_ query: HistoryQuery) throws -> Int {
    try readHistory(0) { reader in try reader.count(query) }
  }

  package func latestHistoryNumber() throws -> Int64 {
    // One statement reads one state.
    try pool.read { try latestHistoryNumber(on: $0) }
  }

  package func earliestHistoryNumber() throws -> Int64 {
    try readHistory(1) { reader in
      let earliest = try reader.connection.value("SELECT min(Z_PK) FROM ATRANSACTION")
      if case .integer(let number)? = earliest { return number }
      return try reader.connection.latestHistoryNumber() + 1
    }
  }

  package func deleteHistory(_ range: HistoryDeletion) throws -> Int {
    try pool.write { connection in
      guard let tables = try historyTables(connection) else { return 0 }
      let count = try connection.transaction(.exclusive) {
        try companion?.willDeleteHistory(of: self, on: connection)
        return try connection.deleteHistory(range, tables)
      }
      if count > 0 { try? connection.releaseFreePages() }
      return count
    }
  }

  private func historyTables(_ connection: Connection) throws -> HistoryLayout? {
    if let known = historyLayout.withLock({ $0 }) { return known }
    let tables = try HistoryLayout(connection)
    historyLayout.withLock { $0 = tables }
    return tables
  }

  /// Reads one state of the history, or returns `nothing` if the file has no history.
  private func readHistory<Result>(_ nothing: Result, _ body: (HistoryReader) throws -> Result)
    throws -> Result
  {
    try pool.read { connection in
      try connection.readingOneState {
        guard let tables = try historyTables(connection) else { return nothing }
        return try body(HistoryReader(connection: connection, tables: tables, store: self))
      }
    }
  }
}

extension HistoryReader {
  /// The transactions and changes that match a query.
  fileprivate func rows(_ query: HistoryQuery) throws -> HistoryRows {
    var rows = HistoryRows()
    if query.changeFilter != nil {
      rows.changes = try filteredChanges(query)
      guard query.includesTransactions else { return rows }
      var owners = HistoryQuery()
      owners.numbers = rows.changes.map(\.transaction).withoutRepeats
      rows.transactions = try transactions(owners)
      return rows
    }
    let found = try transactions(query)
    if query.includesTransactions { rows.transactions = found }
    if query.includesChanges { rows.changes = try changes(of: found.map(\.number)) }
    return rows
  }
}

extension Connection {
  /// Runs statements in one read transaction: the open one, or a new one.
  fileprivate func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
    isInTransaction ? try body() : try transaction(.deferred, body)
  }

  /// The number of the latest transaction; the counter also covers deleted ones.
  fileprivate func latestHistoryNumber() throws(SQLiteError) -> Int64 {
    let latest = try value(
      "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1), 0), "
        + "ifnull((SELECT max(Z_PK) FROM ATRANSACTION), 0))",
      [.integer(Int64(HistoryEntity.transaction))])
    guard case .integer(let number)? = latest else { return 0 }
    return number
  }

  /// Deletes transactions, their changes, and the texts that no other transaction uses.
  fileprivate func deleteHistory(_ range: HistoryDeletion, _ tables: HistoryLayout)
    throws(SQLiteError) -> Int
  {
    let (condition, value): (String, Value) =
      switch range {
      case .before(let number): ("Z_PK < ?", .integer(number))
      case .beforeDate(let date): ("ZTIMESTAMP < ?", .real(date.timeIntervalSinceReferenceDate))
      }
    try run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition))",
      [value])
    try run("DELETE FROM ATRANSACTION WHERE \(condition)", [value])
    let count = changes
    let uses = HistoryText.allCases.filter(tables.isInterned).map { text in
      "NOT EXISTS (SELECT 1 FROM ATRANSACTION WHERE \(text.keyColumn) = ATRANSACTIONSTRING.Z_PK)"
    }
    if count > 0, !uses.isEmpty {
      try run("DELETE FROM ATRANSACTIONSTRING WHERE \(uses.joined(separator: " AND "))")
    }
    return count
  }
}

extension [Int64] {
  /// The numbers without consecutive duplicates.
  fileprivate var withoutRepeats: [Int64] {
    reduce(into: []) { numbers, number in
      if numbers.last != number { numbers.append(number) }
    }
  }
}
