import ManagedObjectModel
import ObjectRows

/// An open incremental store, with the known members and versions of its objects.
final class IncrementalConnection: Sendable {
  private let held: HeldStore<NSIncrementalStore>
  /// The members of to-many relationships that nodes contained.
  private let members = LockedBox<[RowKey: [String: [RowKey]]]>([:])
  let versions = NodeVersions()

  init(_ store: NSIncrementalStore) { held = HeldStore(store) }

  func store() throws(StoreError) -> NSIncrementalStore { try held.store() }

  /// Calls a closure with the store, on one thread at a time.
  func withStore<Result>(_ body: (NSIncrementalStore) throws -> Result) throws -> Result {
    try held.withStore(body)
  }

  func close() { held.close() }

  // MARK: Members

  func members(named name: String, of key: RowKey) -> [RowKey]? {
    self.members.withLock { $0[key]?[name] }
  }

  func setMembers(_ members: [String: [RowKey]], of key: RowKey) {
    self.members.withLock { $0[key] = members.isEmpty ? nil : members }
  }

  // MARK: Saving

  /// Records the versions after a save, and drops members that the save may have changed.
  func recordSave(
    _ changes: StoreChanges, _ layouts: ModelLayouts, _ receipt: inout StoreSaveReceipt
  ) {
    for change in changes.inserted { versions.recordInsertion(of: change.rowKey, layouts) }
    for change in changes.updated {
      let version = versions.recordUpdate(
        of: change.rowKey, expecting: change.expectedVersion, layouts)
      if change.expectedVersion == nil { receipt.versions[change.rowKey] = version }
    }
    for deletion in changes.deleted { versions.forget(deletion.rowKey, layouts) }
    let changed =
      changes.inserted.map(\.rowKey) + changes.updated.map(\.rowKey)
      + changes.deleted.map(\.rowKey)
    members.withLock { for key in changed { $0[key] = nil } }
  }
}

extension RowChange {
  var rowKey: RowKey { RowKey(key: row.key, layoutIndex: Int32(layout.index)) }
}

extension RowDeletion {
  var rowKey: RowKey { RowKey(key: key, layoutIndex: Int32(layout.index)) }
}
