package import ObjectRows
package import SQLiteDriver
internal import Synchronization

/// What a layer above the store writes into the store's file together with each save.
///
/// A store has one at most. It works in the transaction of the save: what it writes is there
/// exactly when the save is, and what it throws ends the save without a trace. It keeps its own
/// tables and touches none of the store's.
package protocol SaveCompanion: AnyObject, Sendable {
  /// Called when the rows, memberships and history of a save were written, before the transaction
  /// ends.
  ///
  /// Rows of `changes` are read during the call only.
  ///
  /// - Parameters:
  ///   - changes: What the save was asked for.
  ///   - receipt: What is known so far; a save that changes memberships alone has no number in the
  ///     history.
  ///   - store: The store, whose own connections must not be asked for here: the writing one is
  ///     taken.
  ///   - connection: The connection with the open transaction.
  func noteSave(
    _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
    on connection: Connection) throws

  /// Called before a part of the history is deleted, in the transaction that deletes it.
  func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws
}

extension SQLiteRowStore {
  /// What writes beside the saves of this store; nil for most stores.
  package var companion: (any SaveCompanion)? {
    get { companionBox.withLock { $0 } }
    set { companionBox.withLock { $0 = newValue } }
  }
}
