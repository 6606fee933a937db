import ManagedObjectModel
import ObjectRows

/// An open atomic store, and the rows of its nodes.
final class AtomicConnection: Sendable {
  let rows: MemoryRowStore
  private let dependencies: StackDependencies
  private let held: HeldStore<NSAtomicStore>
  /// Whether a save is in progress, whose new nodes have no rows yet.
  private let isSaving = LockedBox(false)

  init(_ store: NSAtomicStore, rows: MemoryRowStore, dependencies: StackDependencies) {
    held = HeldStore(store)
    self.rows = rows
    self.dependencies = dependencies
  }

  func store() throws(StoreError) -> NSAtomicStore { try held.store() }

  /// Calls a closure with the store, on one thread at a time.
  func withStore<Result>(_ body: (NSAtomicStore) throws -> Result) throws -> Result {
    try held.withStore(body)
  }

  func close() { held.close() }

  /// Adds rows for nodes that the store added since the last call.
  func takeAddedNodes() throws {
    try isSaving.withLock { isSaving throws in if !isSaving { try addRowsOfNewNodes() } }
  }

  /// Begins a save, after it has added rows for all nodes that exist.
  ///
  /// Until the save ends, `takeAddedNodes` ignores the nodes that the save adds.
  private func beginSave() throws {
    try isSaving.withLock { isSaving throws in
      try addRowsOfNewNodes()
      isSaving = true
    }
  }

  private func addRowsOfNewNodes() throws {
    let added = try store().takeAddedNodes()
    let nodes = added.filter { node in
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
    do {
      let read = try CacheNodeRows(nodes, rows.layouts, transaction: transaction)
      withExtendedLifetime(read.pages) { rows.fill(read.changes) }
    } catch {
      // The next call reports the error again, instead of losing the other nodes.
      try store().returnAddedNodes(added)
      throw error
    }
  }

  /// Writes the nodes, and then the rows.
  ///
  /// - Parameter write: Changes the nodes and saves the store.
  func save(_ changes: StoreChanges, _ write: (NSAtomicStore) throws -> Void) throws
    -> StoreSaveOutcome
  {
    try withStore { store in
      try beginSave()
      defer { isSaving.withLock { $0 = false } }
      let conflicts = try rows.conflicts(of: changes)
      guard conflicts.isEmpty else { return .conflicts(conflicts) }
      try write(store)
      return try rows.save(changes)
    }
  }
}
