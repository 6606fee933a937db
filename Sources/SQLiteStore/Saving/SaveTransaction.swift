import Foundation
import ObjectRows
import SQLiteDriver

/// One save, as one transaction.
///
/// Deletions come first, then updates, insertions, memberships, and orders. A row that a uniqueness
/// constraint rejects is retried after the others, because one of those may free its values. All
/// conflicts are collected before the transaction rolls back.
final class SaveTransaction {
  let store: SQLiteRowStore
  let connection: Connection
  let changes: StoreChanges
  let files: ExternalFiles
  let binder: RowBinder
  let writer: RowWriter
  var conflicts: [StoreConflict] = []
  /// Rows that a uniqueness constraint has rejected so far.
  var rejected: [RejectedRow] = []
  var receipt = StoreSaveReceipt()
  /// The deleted rows, if the store has a history.
  var tombstones: [HistoryTombstone] = []

  /// A row that could not be written yet: its index among the inserted or the updated ones.
  enum RejectedRow {
    case inserted(Int)
    case updated(Int)
  }

  /// The error that rolls the transaction back if there are conflicts.
  struct Conflicting: Error {}

  init(_ changes: StoreChanges, _ store: SQLiteRowStore, _ connection: Connection) {
    self.store = store
    self.connection = connection
    self.changes = changes
    files = ExternalFiles(folder: store.reader.externalFolder)
    binder = RowBinder(numbers: store.reader.numbers, files: files)
    writer = RowWriter(connection: connection, files: files, binder: binder)
  }

  /// Writes everything and commits, or writes nothing.
  func run() throws -> StoreSaveOutcome {
    // Discards notices of an earlier save that failed.
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
    files.finish(on: connection)
    receipt.derivedRows = store.takeDerivedRows()
    return .saved(receipt)
  }

  /// Writes the rows, rolls back, and returns the conflicts.
  ///
  /// The history and the companion take no part.
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

  /// The error that rolls back the transaction of a check without conflicts.
  private struct Checked: Error {}

  private func writeRows() throws {
    try deleteRows()
    try updateRows()
    try insertRows()
    if !rejected.isEmpty { try writeRejectedRows() }
    guard conflicts.isEmpty else { throw Conflicting() }
  }
}
