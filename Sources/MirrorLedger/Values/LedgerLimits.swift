import MirrorModel

/// The bounds of the ledger, each with its reason.
package enum LedgerLimits {
  /// The properties of one entity that the outbox tells apart: 256 bits fit in four columns; those
  /// beyond share one.
  package static let properties = 256
  /// The objects that one step of the first filling reads and writes: some milliseconds, for which
  /// saves have to wait.
  static let backfilledRows = 2_000
  /// The objects that one transaction moves to another zone: some tens of milliseconds, for which
  /// saves have to wait.
  package static let movesInTransaction = 500
  /// The keys that make a group when a whole store is put in: about a request.
  static let keysInGroup: Int64 = 200
  /// The changes of the history that are in memory at once.
  static let historyChanges = 5_000
  /// The transactions of the history that are in memory at once.
  static let historyTransactions = 200
  /// The rows whose bytes are measured to tell how much waits; beyond, their mean is taken.
  package static let measuredRows = 1_000
  /// The entries of the journal: at some hundred bytes each it stays within a few megabytes.
  package static let journalEntries: Int64 = 10_000
  /// The events that are kept: months of them, in less than a megabyte.
  package static let events: Int64 = 1_000
  /// The numbers of readers of a public database: a bit each in one whole number, but for its sign
  /// and the first one.
  package static let readers: ClosedRange<Int64> = 1...62
  /// The rows of groups that become one since they share an object: what goes into one request.
  ///
  /// More would be cut all the same, and moving them would cost each save.
  package static let unitedRows = MirrorLimits.recordsInRequest
}
