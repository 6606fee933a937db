import CoreData
import Foundation

/// Reads the changes of each store since the previous reading.
///
/// A change of a share is posted as a remote change without a transaction. So update the views
/// after each call of `process()`, even if it returns 0.
@MainActor public final class PhotoHistory {
  private let stack: PhotoStack
  private let folder: URL

  /// Creates a reader that keeps the last history token of each store in a folder.
  public init(stack: PhotoStack, folder: URL) { (self.stack, self.folder) = (stack, folder) }

  /// Returns the transactions of a store that were not read before.
  public func newTransactions(in store: NSPersistentStore) throws
    -> [NSPersistentHistoryTransaction]
  {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: try token(of: store))
    request.affectedStores = [store]
    request.resultType = .transactionsAndChanges
    let result = try stack.context.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    if let token = transactions.last?.token { try keep(token, of: store) }
    return transactions
  }

  /// Reads both stores, and removes duplicates if tags have changed.
  ///
  /// - Returns: The number of transactions that were read.
  @discardableResult
  public func process() async throws -> Int {
    let transactions =
      try newTransactions(in: stack.privateStore) + newTransactions(in: stack.sharedStore)
    let changes = transactions.flatMap { $0.changes ?? [] }
    if changes.contains(where: { $0.changedObjectID.entity.name == "Tag" }) {
      try await stack.deduplicate()
    }
    return transactions.count
  }

  private func place(of store: NSPersistentStore) -> URL {
    folder.appendingPathComponent("HistoryToken-\(store.identifier ?? "").data")
  }

  private func token(of store: NSPersistentStore) throws -> NSPersistentHistoryToken? {
    guard let data = try? Data(contentsOf: place(of: store)) else { return nil }
    return try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSPersistentHistoryToken.self, from: data)
  }

  private func keep(_ token: NSPersistentHistoryToken, of store: NSPersistentStore) throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: token, requiringSecureCoding: true)
    try data.write(to: place(of: store), options: .atomic)
  }
}
