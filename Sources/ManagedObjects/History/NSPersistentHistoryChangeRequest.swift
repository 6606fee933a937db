public import Foundation
public import ManagedObjectModel

/// A request to fetch or delete persistent history.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] { … }
/// ```
///
/// A store keeps a history if it is added with the option `NSPersistentHistoryTrackingKey`.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// The operation of the request.
  enum Purpose {
    case fetch(after: HistoryPosition)
    case deletion(before: HistoryPosition)
  }

  let purpose: Purpose

  /// The form of the result.
  ///
  /// The default is `transactionsAndChanges` for a fetch, and `statusOnly` for a deletion.
  open var resultType: NSPersistentHistoryResultType

  /// A fetch request for the transactions or changes to return.
  ///
  /// Its entity is that of `NSPersistentHistoryTransaction.fetchRequest` or
  /// `NSPersistentHistoryChange.fetchRequest`.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

  init(_ purpose: Purpose) {
    self.purpose = purpose
    resultType = if case .fetch = purpose { .transactionsAndChanges } else { .statusOnly }
    super.init()
  }

  /// The type of the request: a fetch or a deletion.
  open override var requestType: NSPersistentStoreRequestType {
    if case .fetch = purpose { .fetchRequestType } else { .batchDeleteRequestType }
  }

  /// The token with which the request was created.
  open var token: NSPersistentHistoryToken? {
    switch purpose {
    case .fetch(let position), .deletion(let position): position.token
    }
  }

  /// Returns an equal request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentHistoryChangeRequest(purpose)
    copy.resultType = resultType
    copy.fetchRequest = fetchRequest?.duplicate()
    copy.limitedToStores = limitedToStores
    return copy
  }

  // MARK: Fetching

  /// Creates a request for the history after a date.
  open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.fetch(after: .date(date)))
  }

  /// Creates a request for the history after a token, or the whole history for nil.
  ///
  /// Executing it throws `NSPersistentHistoryTokenExpiredError` if part of that history was
  /// deleted.
  open class func fetchHistory(after token: NSPersistentHistoryToken?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.fetch(after: .token(token)))
  }

  /// Creates a request for the history after a transaction, or the whole history for nil.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.fetch(after: .transaction(transaction)))
  }

  /// Creates a request for the transactions or changes that match a fetch request.
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
  ) -> NSPersistentHistoryChangeRequest {
    let request = NSPersistentHistoryChangeRequest(.fetch(after: .token(nil)))
    request.fetchRequest = fetchRequest
    return request
  }

  // MARK: Deleting

  /// Creates a request that deletes the history before a date.
  open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.deletion(before: .date(date)))
  }

  /// Creates a request that deletes the history before the token's transaction.
  ///
  /// With nil it deletes nothing.
  open class func deleteHistory(before token: NSPersistentHistoryToken?)
    -> NSPersistentHistoryChangeRequest
  {
    NSPersistentHistoryChangeRequest(.deletion(before: .token(token)))
  }

  /// Creates a request that deletes the history before a transaction, in the transaction's store.
  ///
  /// With nil it deletes nothing.
  open class func deleteHistory(
    before transaction: NSPersistentHistoryTransaction?
  ) -> NSPersistentHistoryChangeRequest {
    NSPersistentHistoryChangeRequest(.deletion(before: .transaction(transaction)))
  }
}

/// The position in histories that a request names.
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
