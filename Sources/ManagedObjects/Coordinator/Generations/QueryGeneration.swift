import ObjectRows

/// A moment in the life of a coordinator's stores, as contexts read it that are pinned to it.
///
/// It is the moment of the first read. Stores that have no means for it are read as they are.
package final class QueryGeneration: Sendable {
  private weak let coordinator: NSPersistentStoreCoordinator?
  /// What was pinned, by the number of the store; nil until the first read.
  private let snapshots = LockedBox<[UInt16: any RowStore]?>(nil)

  init(of coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  deinit {
    // A reader that cannot be closed is given up with its connection.
    snapshots.withLock { for snapshot in ($0 ?? [:]).values { try? snapshot.close() } }
  }

  /// What is read of a store.
  func rowStore(of open: OpenStore) throws -> any RowStore {
    try snapshots.withLock { snapshots throws in
      let pinned = try snapshots ?? pin()
      snapshots = pinned
      return pinned[open.number]
    } ?? open.rowStore
  }

  /// Whether reads of a store do not see what is saved from now on.
  func pins(_ open: OpenStore) -> Bool {
    (try? rowStore(of: open)).map { $0 !== open.rowStore } ?? false
  }

  /// Pins all stores at once, so that what they say belongs together.
  private func pin() throws -> [UInt16: any RowStore] {
    var pinned: [UInt16: any RowStore] = [:]
    for open in coordinator?.openStores ?? [] {
      if let snapshot = try open.rowStore.snapshot() { pinned[open.number] = snapshot }
    }
    return pinned
  }
}
