package import Foundation

/// A store that remembers its saves: transactions, numbered from 1, and the changes of each.
package protocol HistoryStore: AnyObject, Sendable {
  var identity: StoreIdentity { get }
  /// Whether saves are recorded.
  var keepsHistory: Bool { get }

  /// The transactions and changes that a query finds; none where the store has no history.
  func history(_ query: HistoryQuery) throws -> HistoryRows
  /// The number of transactions, or of changes, that a query finds.
  func historyCount(_ query: HistoryQuery) throws -> Int
  /// The number of the latest transaction, whether or not it was deleted since; 0 before the first.
  func latestHistoryNumber() throws -> Int64
  /// The number of the earliest transaction that is still there, or the number that the next one
  /// will have.
  ///
  /// A position before the one just below it has lost what followed it.
  func earliestHistoryNumber() throws -> Int64
  /// Forgets transactions and their changes.
  ///
  /// Returns the number of transactions.
  func deleteHistory(_ range: HistoryDeletion) throws -> Int
}

/// Which part of a history is asked for.
package struct HistoryQuery {
  /// Transactions with a greater number.
  package var after: Int64?
  /// Transactions of a later moment.
  package var afterDate: Date?
  /// Only transactions with these numbers.
  package var numbers: [Int64]?
  /// The greatest number of transactions, or of changes where they are filtered.
  package var limit: Int?
  /// The order of transactions where it decides which ones are within the limit.
  package var order = Order.number(ascending: true)
  /// Transactions that meet a condition.
  package var transactionFilter: HistoryFilter?
  /// Changes that meet a condition, and no other transactions than theirs.
  package var changeFilter: HistoryFilter?
  package enum Order: Hashable, Sendable {
    case number(ascending: Bool)
    /// By time; those of one time by number.
    case date(ascending: Bool)
  }

  package var includesTransactions = true
  package var includesChanges = true

  package init(after: Int64? = nil) { self.after = after }
}

/// Which part of a history is to be forgotten.
package enum HistoryDeletion: Hashable, Sendable {
  /// Transactions with a smaller number.
  case before(Int64)
  /// Transactions of an earlier moment.
  case beforeDate(Date)
}

/// A part of a history: transactions by number, changes by the transactions' numbers and their own.
package struct HistoryRows {
  package var transactions: [HistoryTransactionRow] = []
  package var changes: [HistoryChangeRow] = []

  package init() {}
}

/// A save, as the history remembers it.
package struct HistoryTransactionRow: Hashable, Sendable {
  package let number: Int64
  package let date: Date
  package let author: String?
  package let contextName: String?
  package let bundleID: String?
  package let processID: String?

  package init(
    number: Int64, date: Date, author: String?, contextName: String?, bundleID: String?,
    processID: String?
  ) {
    self.number = number
    self.date = date
    self.author = author
    self.contextName = contextName
    self.bundleID = bundleID
    self.processID = processID
  }
}

/// A change of one row, as the history remembers it.
package struct HistoryChangeRow {
  /// What happened to the row; the raw values are Core Data's.
  package enum Kind: Int, Sendable {
    case insertion = 0
    case update = 1
    case deletion = 2
  }

  package let number: Int64
  /// The number of the change's transaction.
  package let transaction: Int64
  package let kind: Kind
  package let layout: RowLayout
  package let key: Int64
  /// The properties that an update changed, to-many relationships included; empty for other
  /// changes.
  package let changed: OrdinalSet
  /// The values that a deleted row had in the attributes that are to be preserved, by name: as
  /// key-value coding gives them, transformable ones as `EncodedValue`.
  package let tombstone: [String: Any]?

  package init(
    number: Int64, transaction: Int64, kind: Kind, layout: RowLayout, key: Int64,
    changed: OrdinalSet,
    tombstone: [String: Any]?
  ) {
    self.number = number
    self.transaction = transaction
    self.kind = kind
    self.layout = layout
    self.key = key
    self.changed = changed
    self.tombstone = tombstone
  }
}
