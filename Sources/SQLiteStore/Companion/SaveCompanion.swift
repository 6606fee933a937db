package import ObjectRows
package import SQLiteDriver
internal import Synchronization

/// A layer above the store that writes into the store's file together with each save.
///
/// A store has at most one companion. It works in the save's transaction: its changes commit with
/// the save, and an error that it throws rolls the save back. It keeps its own tables and touches
/// none of the store's.
package protocol SaveCompanion: AnyObject, Sendable {
  /// Called when the rows, memberships, and history of a save are written, before the transaction
  /// ends.
  ///
  /// Rows of `changes` can be read only during the call.
  ///
  /// - Parameters:
  ///   - changes: The changes of the save.
  ///   - receipt: The result so far. A save that changes only memberships has no history number.
  ///   - store: The store. Do not use its own connections here: the writing one is in use.
  ///   - connection: The connection with the open transaction.
  func noteSave(
    _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
    on connection: Connection) throws

  /// Called when the rows and history of a batch request are written, before the transaction ends.
  ///
  /// The history names the changed rows.
  func noteBatch(of store: SQLiteRowStore, on connection: Connection) throws

  /// Called before a part of the history is deleted, in the transaction that deletes it.
  func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws

  /// Whether a save is repeated if a power failure loses it, so that it need not wait for the disk.
  func repeats(_ changes: StoreChanges) -> Bool
}

extension SaveCompanion {
  package func repeats(_ changes: StoreChanges) -> Bool { false }
}

extension SQLiteRowStore {
  /// The companion that takes part in the saves of this store; nil for most stores.
  package var companion: (any SaveCompanion)? {
    get { companionBox.withLock { $0 } }
    set { companionBox.withLock { $0 = newValue } }
  }
}
