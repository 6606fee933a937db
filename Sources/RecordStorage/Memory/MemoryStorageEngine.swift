internal import Synchronization

/// An in-memory store for tests, simulations and servers without persistence.
///
/// Bodies run on the caller's thread, one write at a time. Readers use a snapshot of the tree and
/// never wait for a writer.
package final class MemoryStorageEngine: StorageEngine {
  private struct Committed {
    var tree = PersistentTree()
    var isClosed = false
    var isRestored = false
  }

  /// The state that readers see.
  ///
  /// The lock is held only briefly.
  private let committed = Mutex(Committed())

  /// Held while a write runs.
  private let writing = Mutex(())

  package init() {}

  /// Creates a store that is restored from another one's current contents.
  package convenience init(restoring backup: MemoryStorageEngine) throws {
    self.init()
    let tree = try backup.tree()
    committed.withLock { $0 = Committed(tree: tree, isRestored: true) }
  }

  package var isRestored: Bool { committed.withLock(\.isRestored) }

  package func endRestoration() async throws { committed.withLock { $0.isRestored = false } }

  package func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try body(MemoryTransaction(try tree()))
  }

  package func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try writing.withLock { _ in
      let transaction = MemoryTransaction(try tree())
      let result = try body(transaction)
      commit(transaction.tree)
      return result
    }
  }

  package func close() async {
    writing.withLock { _ in
      committed.withLock { $0 = Committed(isClosed: true) }
    }
  }

  /// The violated invariants of the committed tree; empty if there are none.
  package func checkInvariants() -> [String] {
    committed.withLock { $0.tree.checkInvariants() }
  }

  private func tree() throws(StorageError) -> PersistentTree {
    let (tree, isClosed) = committed.withLock { ($0.tree, $0.isClosed) }
    guard !isClosed else {
      throw StorageError(.closed, "the store in memory was closed; open another one")
    }
    return tree
  }

  private func commit(_ tree: PersistentTree) {
    committed.withLock { $0.tree = tree }
  }
}
