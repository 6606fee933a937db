import MirrorModel

/// The bounds of the ledger, each with its reason.
package enum LedgerLimits {
  /// The properties of one entity that the outbox distinguishes: 256 bits fit in four columns;
  /// further properties share one.
  package static let properties = 256
  /// The objects in one step of a backfill: some milliseconds, for which saves have to wait.
  static let backfilledRows = 2_000
  /// The objects that one transaction moves to another zone: some tens of milliseconds, for which
  /// saves have to wait.
  package static let movesInTransaction = 500
  /// The keys in one group of a backfill: about a request.
  static let keysInGroup: Int64 = 200
  /// The changes of the history in memory at once.
  static let historyChanges = 5_000
  /// The transactions of the history in memory at once.
  static let historyTransactions = 200
  /// The rows that are measured to estimate the pending bytes; others count as the mean of these.
  package static let measuredRows = 1_000
  /// The entries of the journal: at some hundred bytes each, a few megabytes.
  package static let journalEntries: Int64 = 10_000
  /// The events that are kept: months of them, in less than a megabyte.
  package static let events: Int64 = 1_000
  /// The numbers of readers of a public database: bits of one whole number, except the sign and the
  /// first one.
  package static let readers: ClosedRange<Int64> = 1...62
  /// The rows of a joined group: as many as one request takes.
  ///
  /// A larger group would be split anyway, and moving its rows would delay each save.
  package static let joinedGroupRows = MirrorLimits.recordsInRequest
}
