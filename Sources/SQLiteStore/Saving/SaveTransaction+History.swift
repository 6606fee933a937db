import ObjectRows
import SQLiteDriver
import Synchronization

extension SaveTransaction {
  /// The preserved values of a row that is about to be deleted, if the store has a history.
  func tombstone(of deletion: RowDeletion) throws -> HistoryTombstone? {
    guard store.keepsHistory else { return nil }
    var values: [Value] = []
    if let select = try store.historyPlans.plan(for: deletion.layout).selectPreserved {
      values = try connection.rows(select, [.integer(deletion.key)]).first ?? []
    }
    return HistoryTombstone(layout: deletion.layout, key: deletion.key, values: values)
  }

  /// Records the save, if the store has a history.
  func writeHistory() throws {
    let isEmpty = changes.inserted.isEmpty && changes.updated.isEmpty && tombstones.isEmpty
    guard store.keepsHistory, !isEmpty, let tables = store.historyLayout.withLock({ $0 }) else {
      return
    }
    var writer = try HistoryWriter(connection, store.historyPlans, tables)
    try writer.write(changes.transaction)
    try writer.write(changes.inserted, .insertion)
    try writer.write(changes.updated, .update)
    try writer.write(tombstones)
    try writer.finish()
    receipt.transactionNumber = writer.transaction
  }
}
