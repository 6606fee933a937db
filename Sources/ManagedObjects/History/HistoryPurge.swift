import Foundation
import ObjectRows

/// Deletes parts of the histories of stores.
struct HistoryPurge {
  let stores: [any HistoryStore]
  let position: HistoryPosition
  let resultType: NSPersistentHistoryResultType

  /// The value of the result: the number of deleted transactions, or success.
  func result() throws -> Any {
    var count = 0
    for store in stores {
      if let range = range(in: store) { count += try store.deleteHistory(range) }
    }
    switch resultType {
    case .count: return NSNumber(value: count)
    case .statusOnly: return NSNumber(value: true)
    case .objectIDs, .transactionsOnly, .changesOnly, .transactionsAndChanges: return [Any]()
    }
  }

  private func range(in store: any HistoryStore) -> HistoryDeletion? {
    let uuid = store.identity.uuid
    switch position {
    case .date(let date): return .beforeDate(date)
    case .token(let token): return token?.numbers[uuid].map(HistoryDeletion.before)
    case .transaction(let transaction):
      guard let transaction, transaction.storeID == uuid else { return nil }
      return .before(transaction.transactionNumber)
    }
  }
}
