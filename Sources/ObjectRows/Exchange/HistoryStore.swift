package import Foundation

/// A store that keeps a history of its saves: transactions, numbered from 1, and their changes.
package protocol HistoryStore: AnyObject, Sendable {
  var identity: StoreIdentity { get }
  /// Whether saves are recorded.
  var keepsHistory: Bool { get }

  /// The transactions and changes that a query matches; none if the store has no history.
  func history(_ query: HistoryQuery) throws -> HistoryRows
  /// The number of transactions that a query matches, or of their changes if it includes changes.
  ///
  /// `changeFilter` is ignored.
  func historyCount(_ query: HistoryQuery) throws -> Int
  /// The number of the latest transaction, even if it was deleted since; 0 before the first.
  func latestHistoryNumber() throws -> Int64
  /// The number of the earliest remaining transaction, or the number of the next one if none
  /// remains.
  ///
  /// A position below this number minus 1 has expired: transactions after it were deleted.
  func earliestHistoryNumber() throws -> Int64
  /// Deletes transactions and their changes.
  ///
  /// Returns the number of deleted transactions.
  func deleteHistory(_ range: HistoryDeletion) throws -> Int
}

/// The part of a history to read.
package struct HistoryQuery {
  /// Only transactions with a greater number.
  package var after: Int64?
  /// Only transactions with a later date.
  package var afterDate: Date?
  /// Only transactions with these numbers.
  package var numbers: [Int64]?
  /// The maximum number of transactions, or of changes if these are filtered.
  package var limit: Int?
  /// The order of transactions, which decides which ones are within the limit.
  package var order = Order.number(ascending: true)
  /// Only transactions that match a filter.
  package var transactionFilter: HistoryFilter?
  /// Only changes that match a filter, and their transactions.
  package var changeFilter: HistoryFilter?
  package enum Order: Hashable, Sendable {
    case number(ascending: Bool)
    /// By date, and by number for equal dates.
    case date(ascending: Bool)
  }

  package var includesTransactions = true
  package var includesChanges = true

  package init(after: Int64? = nil) { self.after = after }
}

/// The part of a history to delete.
package enum HistoryDeletion: Hashable, Sendable {
  /// Transactions with a smaller number.
  case before(Int64)
  /// Transactions with an earlier date.
  case beforeDate(Date)
}

/// A part of a history: transactions in the query's order, and changes sorted by transaction number
/// and then by change number.
package struct HistoryRows {
  package var transactions: [HistoryTransactionRow] = []
  package var changes: [HistoryChangeRow] = []

  package init() {}
}

/// A save in the history.
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

/// A change of one row in the history.
package struct HistoryChangeRow {
  /// The kind of the change.
  ///
  /// The raw values are Core Data's.
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
  /// The properties that an update changed, including to-many relationships; empty for other
  /// changes.
  package let changed: OrdinalSet
  /// The preserved attribute values of a deleted row, by name, in the form of key-value coding.
  ///
  /// Transformable values are `EncodedValue`.
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
