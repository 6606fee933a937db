import ManagedObjectModel
import ObjectRows
import Synchronization

/// An open atomic store, and the rows of its nodes.
final class AtomicConnection: Sendable {
  private struct State {
    /// The store, until it is closed.
    var store: NSAtomicStore?
  }

  let rows: MemoryRowStore
  private let dependencies: StackDependencies
  private let state: LockedBox<State>
  /// Serializes saves.
  private let saving = LockedBox(())
  /// Whether a save is changing nodes, which then have no rows yet.
  private let isSaving = Atomic(false)

  init(_ store: NSAtomicStore, rows: MemoryRowStore, dependencies: StackDependencies) {
    state = LockedBox(State(store: store))
    self.rows = rows
    self.dependencies = dependencies
  }

  func store() throws(StoreError) -> NSAtomicStore {
    if let store = state.withLock({ $0.store }) { return store }
    throw StoreError(
      .foreignStore, "The store was removed from its coordinator. Add it again to read it.")
  }

  func close() {
    let former = state.withLock { state in
      defer { state = State() }
      return state
    }
    // The class of the program may run code when it is released.
    withExtendedLifetime(former) {}
  }

  /// Adds rows for nodes that the store added since the last call.
  func takeAddedNodes() throws {
    guard !isSaving.load(ordering: .acquiring) else { return }
    let nodes = try store().takeAddedNodes().filter { node in
      guard let layout = node.objectID.entity.name.flatMap({ rows.layouts[named: $0] }) else {
        return true
      }
      let key = RowKey(key: node.objectID.key, layoutIndex: Int32(layout.index))
      return rows.heldRow(for: key) == nil
    }
    guard !nodes.isEmpty else { return }
    let transaction = TransactionDescription(
      author: nil, contextName: nil, bundleID: dependencies.bundleID,
      processID: dependencies.processName, date: dependencies.now())
    let read = try CacheNodeRows(nodes, rows.layouts, transaction: transaction)
    withExtendedLifetime(read.pages) { rows.fill(read.changes) }
  }

  /// Writes the nodes, and then the rows.
  ///
  /// - Parameter write: Changes the nodes and saves the store.
  func save(_ changes: StoreChanges, _ write: (NSAtomicStore) throws -> Void) throws
    -> StoreSaveOutcome
  {
    try saving.withLock { _ throws in
      try takeAddedNodes()
      let conflicts = try rows.conflicts(of: changes)
      guard conflicts.isEmpty else { return .conflicts(conflicts) }
      let store = try store()
      isSaving.store(true, ordering: .releasing)
      defer { isSaving.store(false, ordering: .releasing) }
      try write(store)
      // The rows of these nodes come from the changes.
      _ = store.takeAddedNodes()
      return try rows.save(changes)
    }
  }
}
