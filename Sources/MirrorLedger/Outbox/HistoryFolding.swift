import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Folds transactions of the history that this ledger has not seen into the outbox: another process
/// saved without mirroring.
///
/// It works in a transaction that is open, and has a bounded part of the history in memory.
struct HistoryFolding {
  package let store: SQLiteRowStore
  package let names: LedgerNames
  package let connection: Connection

  /// What became of the attempt.
  package enum Outcome {
    case done
    /// A part was deleted before it was coalesced.
    case lost
  }

  /// Folds the transactions after a number up to another.
  func fold(after noted: Int64, through last: Int64, into folding: inout OutboxFolding) throws
    -> Outcome
  {
    guard noted < last else { return .done }
    let earliest = try store.historyNumbers(on: connection).earliest
    var after = noted
    while after < last {
      var query = HistoryQuery(after: after)
      query.limit = LedgerLimits.historyTransactions
      query.includesChanges = false
      let transactions = try store.history(query, on: connection).transactions.filter {
        $0.number <= last
      }
      for transaction in transactions where transaction.author != MirrorNames.importAuthor {
        try fold(transaction: transaction.number, into: &folding)
      }
      guard let next = transactions.last?.number else { break }
      after = next
    }
    return noted + 1 < earliest ? .lost : .done
  }

  private func fold(transaction: Int64, into folding: inout OutboxFolding) throws {
    var after: Int64 = 0
    while true {
      var query = HistoryQuery()
      query.numbers = [transaction]
      query.changeFilter = .number(.change, .greater, after)
      query.limit = LedgerLimits.historyChanges
      query.includesTransactions = false
      let changes = try store.history(query, on: connection).changes
      for change in changes { try fold(change, group: transaction, into: &folding) }
      guard let last = changes.last, changes.count == LedgerLimits.historyChanges else { return }
      after = last.number
    }
  }

  private func fold(_ change: HistoryChangeRow, group: Int64, into folding: inout OutboxFolding)
    throws
  {
    let object = RowKey(key: change.key, layoutIndex: Int32(change.layout.index))
    let members = MemberLayouts(store: store)
    try folding.unite(with: object, into: group)
    switch change.kind {
    case .insertion:
      try folding.insert(object, group: group)
      for side in names.sides(change.layout.index) {
        try folding.reconcilePairs(of: object, side, layouts: members, group: group)
      }
    case .update:
      try folding.update(object, change.changed, group: group)
      for side in names.sides(change.layout.index) where change.changed.contains(side.ordinal) {
        try folding.reconcilePairs(of: object, side, layouts: members, group: group)
      }
    case .deletion: try folding.delete(object, group: group)
    }
  }
}
