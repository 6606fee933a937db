import Foundation
import ObjectRows

/// A transaction of a history with its changes, as far as they were asked for.
///
/// The public transactions and changes are views of it, so that neither keeps the other alive in a
/// circle.
// Sendable: immutable; values of tombstones are only read.
final class HistoryRecord: @unchecked Sendable {
  let row: HistoryTransactionRow
  let storeIdentity: StoreIdentity
  /// The place after the transaction, in the histories that were asked for.
  let token: NSPersistentHistoryToken
  /// The changes; nil where they were not asked for.
  let changes: [HistoryChangeRow]?

  init(
    row: HistoryTransactionRow, storeIdentity: StoreIdentity, token: NSPersistentHistoryToken,
    changes: [HistoryChangeRow]?
  ) {
    self.row = row
    self.storeIdentity = storeIdentity
    self.token = token
    self.changes = changes
  }

  func with(changes: [HistoryChangeRow]) -> HistoryRecord {
    HistoryRecord(row: row, storeIdentity: storeIdentity, token: token, changes: changes)
  }

  var publicChanges: [NSPersistentHistoryChange]? {
    changes?.indices.map { NSPersistentHistoryChange(self, $0) }
  }

  func objectID(of change: HistoryChangeRow) -> NSManagedObjectID {
    NSManagedObjectID(layout: change.layout, key: change.key, storeIdentity: storeIdentity)
  }
}
