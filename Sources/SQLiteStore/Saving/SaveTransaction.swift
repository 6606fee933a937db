import Foundation
import ObjectRows
import SQLiteDriver

/// One save: everything of it in one transaction.
///
/// Deletions come first, then updates, insertions, memberships and orders. A row that a uniqueness
/// constraint refuses is tried again when the others are written, since one of those may give its
/// values free. What stands against the save is collected to its end; then the transaction is
/// rolled back.
final class SaveTransaction {
  let store: SQLiteRowStore
  let connection: Connection
  let changes: StoreChanges
  let files: ExternalFiles
  let binder: RowBinder
  var conflicts: [StoreConflict] = []
  /// Rows that a uniqueness constraint refused so far.
  var refused: [RejectedRow] = []
  var receipt = StoreSaveReceipt()
  /// The rows that were deleted, where the store keeps a history.
  var tombstones: [HistoryTombstone] = []

  /// A row that could not be written yet: its place among the inserted or the updated ones.
  enum RejectedRow {
    case inserted(Int)
    case updated(Int)
  }

  /// Ends the transaction when something stands against the save.
  struct Conflicting: Error {}

  init(_ changes: StoreChanges, _ store: SQLiteRowStore, _ connection: Connection) {
    self.store = store
    self.connection = connection
    self.changes = changes
    files = ExternalFiles(folder: store.reader.externalFolder)
    binder = RowBinder(numbers: store.reader.numbers, files: files)
  }

  /// Writes everything and commits, or nothing.
  func run() throws -> StoreSaveOutcome {
    // What an earlier save left that failed is none of this one's.
    _ = store.derivedNotices?.takeAll()
    do {
      try connection.transaction(.exclusive) {
        try writeRows()
        try writeMemberships()
        try writeHistory()
        try store.companion?.noteSave(changes, receipt, of: store, on: connection)
      }
    } catch is Conflicting {
      files.cancel()
      return .conflicts(conflicts)
    } catch {
      files.cancel()
      throw error
    }
    files.finish()
    receipt.derivedRows = derivedRows
    return .saved(receipt)
  }

  /// Writes the rows and takes them back: gives what stands against the save.
  ///
  /// What is written beside the rows, the history and the companion's part, is left out.
  func check() throws -> [StoreConflict] {
    defer { files.cancel() }
    do {
      try connection.transaction(.exclusive) { () throws -> Void in
        try writeRows()
        try writeMemberships()
        throw Checked()
      }
    } catch is Checked {
      return []
    } catch is Conflicting {
      return conflicts
    }
    return []
  }

  /// Ends the transaction of a check, in which everything could be written.
  private struct Checked: Error {}

  /// The rows to which triggers gave values.
  private var derivedRows: [RowKey] {
    (store.derivedNotices?.takeAll() ?? []).compactMap { row in
      store.layout(ofEntity: row.entityNumber).map {
        RowKey(key: row.key, layoutIndex: Int32($0.index))
      }
    }
  }

  private func writeRows() throws {
    try deleteRows()
    try updateRows()
    try insertRows()
    if !refused.isEmpty { try writeRefusedRows() }
    guard conflicts.isEmpty else { throw Conflicting() }
  }
}
