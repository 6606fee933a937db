import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Coalesces transactions of the history that this ledger has not seen into the outbox.
///
/// Such transactions come from processes that saved without mirroring. The reader works in the open
/// transaction, and loads only part of the history at once.
struct HistoryReader {
  package let store: SQLiteRowStore
  package let names: LedgerNames
  package let connection: Connection

  /// The result of reading the history.
  package enum Outcome {
    case done
    /// A part was deleted before it was coalesced.
    case lost
  }

  /// Coalesces the transactions after one number up to another.
  func coalesce(after noted: Int64, through last: Int64, into coalescer: inout OutboxCoalescer)
    throws
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
        try coalesce(transaction: transaction.number, into: &coalescer)
      }
      guard let next = transactions.last?.number else { break }
      after = next
    }
    return noted + 1 < earliest ? .lost : .done
  }

  private func coalesce(transaction: Int64, into coalescer: inout OutboxCoalescer) throws {
    var after: Int64 = 0
    while true {
      var query = HistoryQuery()
      query.numbers = [transaction]
      query.changeFilter = .number(.change, .greater, after)
      query.limit = LedgerLimits.historyChanges
      query.includesTransactions = false
      let changes = try store.history(query, on: connection).changes
      for change in changes { try coalesce(change, group: transaction, into: &coalescer) }
      guard let last = changes.last, changes.count == LedgerLimits.historyChanges else { return }
      after = last.number
    }
  }

  private func coalesce(
    _ change: HistoryChangeRow, group: Int64, into coalescer: inout OutboxCoalescer
  )
    throws
  {
    let object = RowKey(key: change.key, layoutIndex: Int32(change.layout.index))
    let members = MemberLayouts(store: store)
    try coalescer.unite(with: object, into: group)
    switch change.kind {
    case .insertion:
      try coalescer.insert(object, group: group)
      for side in names.sides(change.layout.index) {
        try coalescer.reconcilePairs(of: object, side, layouts: members, group: group)
      }
    case .update:
      try coalescer.update(object, change.changed, group: group)
      for side in names.sides(change.layout.index) where change.changed.contains(side.ordinal) {
        try coalescer.reconcilePairs(of: object, side, layouts: members, group: group)
      }
    case .deletion: try coalescer.delete(object, group: group)
    }
  }
}
