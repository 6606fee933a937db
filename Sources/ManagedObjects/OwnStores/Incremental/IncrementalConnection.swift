import ManagedObjectModel
import ObjectRows

/// An open incremental store, and what is known of its objects.
final class IncrementalConnection: Sendable {
  private struct State {
    /// The store, until it is closed.
    var store: NSIncrementalStore?
    /// The members of to-many relationships that nodes contained.
    var members: [RowKey: [String: [RowKey]]] = [:]
  }

  private let state: LockedBox<State>
  let versions = NodeVersions()

  init(_ store: NSIncrementalStore) {
    state = LockedBox(State(store: store))
  }

  func store() throws(StoreError) -> NSIncrementalStore {
    if let store = state.withLock({ $0.store }) { return store }
    throw StoreError(
      .foreignStore, "The store was removed from its coordinator. Add it again to read it.")
  }

  func close() {
    let former = state.withLock { state in
      defer { state = State() }
      return state
    }
    // They are released outside the lock, because they may belong to the program.
    withExtendedLifetime(former) {}
  }

  // MARK: Members

  func members(named name: String, of key: RowKey) -> [RowKey]? {
    state.withLock { $0.members[key]?[name] }
  }

  func setMembers(_ members: [String: [RowKey]], of key: RowKey) {
    state.withLock { $0.members[key] = members.isEmpty ? nil : members }
  }

  // MARK: Saving

  /// Records the versions after a save, and forgets what the save may have changed.
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
    state.withLock { for key in changed { $0.members[key] = nil } }
  }
}

extension RowChange {
  var rowKey: RowKey { RowKey(key: row.key, layoutIndex: Int32(layout.index)) }
}

extension RowDeletion {
  var rowKey: RowKey { RowKey(key: key, layoutIndex: Int32(layout.index)) }
}
