import Foundation
import ObjectRows

/// A history transaction with the requested changes.
///
/// The public transactions and changes are views of it, so that they do not form a reference cycle.
// Sendable: immutable. The values of tombstones are only read.
final class HistoryRecord: @unchecked Sendable {
  let row: HistoryTransactionRow
  let storeIdentity: StoreIdentity
  /// The token of the transaction, in the histories that were requested.
  let token: NSPersistentHistoryToken
  /// The changes; nil if they were not requested.
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

  func with(token: NSPersistentHistoryToken) -> HistoryRecord {
    HistoryRecord(row: row, storeIdentity: storeIdentity, token: token, changes: changes)
  }

  var publicChanges: [NSPersistentHistoryChange]? {
    changes?.indices.map { NSPersistentHistoryChange(self, $0) }
  }

  func objectID(of change: HistoryChangeRow) -> NSManagedObjectID {
    NSManagedObjectID(layout: change.layout, key: change.key, storeIdentity: storeIdentity)
  }
}
