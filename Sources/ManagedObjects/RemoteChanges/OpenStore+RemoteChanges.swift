import Foundation
import ObjectRows

/// Handling changes of a coordinator's store.
extension OpenStore {
  /// Starts posting notifications of the store's changes.
  func startPostingChanges(for coordinator: NSPersistentStoreCoordinator) throws {
    guard let store = rowStore as? any ObservedStore, !store.filesWrittenBySaves.isEmpty else {
      return
    }
    monitor = try throwingPublicErrors {
      try RemoteChangeMonitor(store, observer: dependencies.fileObserver) {
        [weak self, weak coordinator] change in
        guard let self, let coordinator else { return }
        coordinator.queue.perform { self.take(change, coordinator) }
      }
    }
  }

  func stopPostingChanges() {
    monitor?.end()
    monitor = nil
  }

  /// Drops cached rows that others changed, lets contexts merge the changes, and notifies the
  /// program.
  private func take(
    _ change: RemoteChangeMonitor.Change, _ coordinator: NSPersistentStoreCoordinator
  ) {
    if change.isByOthers { merge(change, coordinator) }
    var userInfo: [AnyHashable: Any] = [NSStoreUUIDKey: identity.uuid]
    userInfo[NSPersistentStoreURLKey] = persistentStore?.url
    userInfo[RemoteChangeMonitor.isByOthersKey] = change.isByOthers
    if monitor?.countsTransactions == true {
      userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken(numbers: [
        identity.uuid: change.latest
      ])
    }
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: userInfo)
  }

  private func merge(
    _ change: RemoteChangeMonitor.Change, _ coordinator: NSPersistentStoreCoordinator
  ) {
    guard monitor?.countsTransactions == true, let changes = changes(in: change) else {
      return forgetCachedRows()
    }
    // Transactions that were deleted before they were read may have changed any row.
    if !hasAllTransactions(after: change.former) { forgetCachedRows() }
    for row in changes.updated + changes.deleted {
      forgetCachedRow(row.key, rootIndex: row.layout.rootIndex)
    }
    for context in coordinator.contextObservers.contexts(but: nil) {
      context.performLater { context.merge(changes) }
    }
  }

  /// The changes, according to the history.
  private func changes(in change: RemoteChangeMonitor.Change) -> SavedChanges? {
    var query = HistoryQuery(after: change.former)
    query.includesTransactions = false
    guard let rows = try? (rowStore as? any HistoryStore)?.history(query) else { return nil }
    var saved = SavedChanges()
    for change in rows.changes where change.transaction > query.after ?? 0 {
      let row = SavedChanges.Row(key: change.key, layout: change.layout, storeNumber: number)
      switch change.kind {
      case .insertion: saved.inserted.append(row)
      case .update: saved.updated.append(row)
      case .deletion: saved.deleted.append(row)
      }
    }
    return saved
  }

  /// Whether the history has all transactions after the one with this number.
  private func hasAllTransactions(after number: Int64) -> Bool {
    guard let earliest = try? (rowStore as? any HistoryStore)?.earliestHistoryNumber() else {
      return false
    }
    return earliest <= number + 1
  }
}
