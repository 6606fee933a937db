import Foundation
package import ObjectRows
import SQLiteDriver
import Synchronization

extension SQLiteRowStore {
  package func history(_ query: HistoryQuery) throws -> HistoryRows {
    try readHistory(HistoryRows()) { reader in
      var rows = HistoryRows()
      let transactions = try reader.transactions(query)
      if query.includesTransactions { rows.transactions = transactions }
      if query.includesChanges { rows.changes = try reader.changes(of: transactions.map(\.number)) }
      return rows
    }
  }

  package func historyCount(_ query: HistoryQuery) throws -> Int {
    try readHistory(0) { reader in try reader.count(query) }
  }

  package func latestHistoryNumber() throws -> Int64 {
    try readHistory(0) { reader in try reader.connection.latestHistoryNumber() }
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
      guard let shape = try HistoryShape(connection) else { return 0 }
      let count = try connection.transaction(.exclusive) { try connection.deleteHistory(range, shape) }
      if count > 0 { try? connection.releaseFreePages() }
      return count
    }
  }

  /// Makes the tables of the history ready for a save.
  ///
  /// `historyShape` is set when the save is committed.
  func prepareHistory(_ connection: Connection) throws -> HistoryShape {
    if let shape = historyShape.withLock({ $0 }) { return shape }
    return try connection.prepareHistory(tombstones: schema.tombstoneCount)
  }

  private func presentShape(_ connection: Connection) throws -> HistoryShape? {
    if let shape = historyShape.withLock({ $0 }) { return shape }
    return try HistoryShape(connection)
  }

  /// Reads from the history in one state of it, or gives `nothing` where the file has none.
  private func readHistory<Result>(_ nothing: Result, _ body: (HistoryReader) throws -> Result) throws -> Result {
    try pool.read { connection in
      try connection.transaction(.deferred) {
        guard let shape = try presentShape(connection) else { return nothing }
        return try body(HistoryReader(connection: connection, shape: shape, store: self))
      }
    }
  }
}

extension Connection {
  /// The number of the latest transaction: the counter knows those that were deleted too.
  fileprivate func latestHistoryNumber() throws(SQLiteError) -> Int64 {
    let counted = try counter(HistoryEntity.transaction)
    guard case .integer(let present)? = try value("SELECT max(Z_PK) FROM ATRANSACTION") else { return counted }
    return max(counted, present)
  }

  /// Deletes transactions, their changes, and the texts that no other transaction names.
  fileprivate func deleteHistory(_ range: HistoryDeletion, _ shape: HistoryShape) throws(SQLiteError) -> Int {
    let (condition, value): (String, Value) =
      switch range {
      case .before(let number): ("Z_PK < ?", .integer(number))
      case .beforeDate(let date): ("ZTIMESTAMP < ?", .real(date.timeIntervalSinceReferenceDate))
      }
    try run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition))", [value])
    try run("DELETE FROM ATRANSACTION WHERE \(condition)", [value])
    let count = changes
    let uses = HistoryText.allCases.filter(shape.isInterned).map { text in
      "NOT EXISTS (SELECT 1 FROM ATRANSACTION WHERE \(text.keyColumn) = ATRANSACTIONSTRING.Z_PK)"
    }
    if count > 0, !uses.isEmpty { try run("DELETE FROM ATRANSACTIONSTRING WHERE \(uses.joined(separator: " AND "))") }
    return count
  }
}
