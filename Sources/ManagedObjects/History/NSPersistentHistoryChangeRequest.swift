public import Foundation
public import ManagedObjectModel

/// A request for parts of the histories of stores, or to forget parts of them.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] { … }
/// ```
///
/// Stores keep a history when they are added with the option `NSPersistentHistoryTrackingKey`.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// What is asked for.
  enum Purpose {
    case fetch(after: HistoryPosition)
    case deletion(before: HistoryPosition)
  }

  let purpose: Purpose

  /// What the request gives.
  ///
  /// It is `transactionsAndChanges` for a fetch, and `statusOnly` for a deletion.
  open var resultType: NSPersistentHistoryResultType

  /// The fetch request for transactions or changes that the result must meet.
  ///
  /// Its entity is that of `NSPersistentHistoryTransaction.fetchRequest` or
  /// `NSPersistentHistoryChange.fetchRequest`.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

  init(_ purpose: Purpose) {
    self.purpose = purpose
    resultType = if case .fetch = purpose { .transactionsAndChanges } else { .statusOnly }
    super.init()
  }

  /// The kind of the request: a fetch, or a deletion.
  open override var requestType: NSPersistentStoreRequestType {
    if case .fetch = purpose { .fetchRequestType } else { .batchDeleteRequestType }
  }

  /// The token that was given.
  open var token: NSPersistentHistoryToken? {
    switch purpose {
    case .fetch(let position), .deletion(let position): position.token
    }
  }

  /// A request that says the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentHistoryChangeRequest(purpose)
    copy.resultType = resultType
    copy.fetchRequest = fetchRequest?.duplicate()
    copy.limitedToStores = limitedToStores
    return copy
  }

  // MARK: Fetching

  /// What was saved after a moment.
  open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.fetch(after: .date(date)))
  }

  /// What was saved after a place in the history; everything for nil.
  ///
  /// Carrying it out throws `NSPersistentHistoryTokenExpiredError` where part of that was deleted.
  open class func fetchHistory(after token: NSPersistentHistoryToken?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.fetch(after: .token(token)))
  }

  /// What was saved after a transaction; everything for nil.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.fetch(after: .transaction(transaction)))
  }

  /// The transactions or changes that a fetch request finds.
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  ) -> NSPersistentHistoryChangeRequest {
    let request = NSPersistentHistoryChangeRequest(.fetch(after: .token(nil)))
    request.fetchRequest = fetchRequest
    return request
  }

  // MARK: Deleting

  /// Forgets what was saved before a moment.
  open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.deletion(before: .date(date)))
  }

  /// Forgets what was saved before the transaction that a token comes from; nothing for nil.
  open class func deleteHistory(before token: NSPersistentHistoryToken?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.deletion(before: .token(token)))
  }

  /// Forgets what was saved before a transaction, in the transaction's store; nothing for nil.
  open class func deleteHistory(
    before transaction: NSPersistentHistoryTransaction?
  ) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.deletion(before: .transaction(transaction)))
  }
}

/// A place in histories, as a request names it.
enum HistoryPosition {
  case date(Date)
  case token(NSPersistentHistoryToken?)
  case transaction(NSPersistentHistoryTransaction?)

  var token: NSPersistentHistoryToken? {
    switch self {
    case .date: nil
    case .token(let token): token
    case .transaction(let transaction): transaction?.token
    }
  }
}
