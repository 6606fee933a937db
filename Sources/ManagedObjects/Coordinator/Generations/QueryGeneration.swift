import ObjectRows

/// A generation of a coordinator's stores, to which contexts can be pinned.
///
/// It begins at the first read. Stores without snapshots return their current contents.
package final class QueryGeneration: Sendable {
  private weak let coordinator: NSPersistentStoreCoordinator?
  /// The pinned snapshots by store number; nil until the first read.
  private let snapshots = LockedBox<[UInt16: any RowStore]?>(nil)
  /// The numbers of the stores at the first read; nil until then.
  private let members = LockedBox<Set<UInt16>?>(nil)

  init(of coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  deinit {
    // A snapshot that cannot be closed is abandoned with its connection.
    snapshots.withLock { for snapshot in ($0 ?? [:]).values { try? snapshot.close() } }
  }

  /// The row store to read from: the snapshot, or the store itself.
  func rowStore(of open: OpenStore) throws -> any RowStore {
    try snapshots.withLock { snapshots throws in
      let pinned = try snapshots ?? pin()
      snapshots = pinned
      return pinned[open.number]
    } ?? open.rowStore
  }

  /// Whether fetches read a store: not if it was added after the generation began.
  func includes(storeNumber: UInt16) -> Bool {
    members.withLock { $0?.contains(storeNumber) ?? true }
  }

  /// Whether reads of a store are isolated from later saves.
  func pins(_ open: OpenStore) -> Bool {
    (try? rowStore(of: open)).map { $0 !== open.rowStore } ?? false
  }

  /// Pins all stores together, so that their contents are consistent.
  private func pin() throws -> [UInt16: any RowStore] {
    var pinned: [UInt16: any RowStore] = [:]
    let stores = coordinator?.openStores ?? []
    members.withLock { $0 = Set(stores.map(\.number)) }
    for open in stores {
      if let snapshot = try open.rowStore.snapshot() { pinned[open.number] = snapshot }
    }
    return pinned
  }
}
