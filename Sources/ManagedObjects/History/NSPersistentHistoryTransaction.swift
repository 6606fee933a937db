public import Foundation
public import ManagedObjectModel
import ObjectRows
public import PredicateLanguage

/// A save that a store remembers: when it was, who made it, and what it changed.
// Sendable: immutable.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, NSFetchRequestResult,
  @unchecked Sendable
{
  let record: HistoryRecord

  init(_ record: HistoryRecord) {
    self.record = record
    super.init()
  }

  /// When the save was made.
  open var timestamp: Date { record.row.date }

  /// What the save changed, in the order in which it was written; nil where only transactions were
  /// asked for.
  open var changes: [NSPersistentHistoryChange]? { record.publicChanges }

  /// The number of the transaction in its store.
  open var transactionNumber: Int64 { record.row.number }

  /// The UUID of the store.
  open var storeID: String { record.storeIdentity.uuid }

  /// The identifier of the program that saved.
  open var bundleID: String { record.row.bundleID ?? "" }

  /// The name of the process that saved.
  open var processID: String { record.row.processID ?? "" }

  /// The name of the context that saved.
  open var contextName: String? { record.row.contextName }

  /// The `transactionAuthor` of the context that saved.
  open var author: String? { record.row.author }

  /// The place after this transaction.
  ///
  /// In a history of several stores it is also the place after all transactions before this one in
  /// the result.
  open var token: NSPersistentHistoryToken { record.token }

  /// The changes as a notification that `mergeChanges(fromContextDidSave:)` takes.
  open func objectIDNotification() -> Notification {
    var identifiers: [HistoryChangeRow.Kind: Set<NSManagedObjectID>] = [:]
    for change in record.changes ?? [] {
      identifiers[change.kind, default: []].insert(record.objectID(of: change))
    }
    var userInfo: [AnyHashable: Any] = [:]
    userInfo[NSInsertedObjectIDsKey] = identifiers[.insertion]
    userInfo[NSUpdatedObjectIDsKey] = identifiers[.update]
    userInfo[NSDeletedObjectIDsKey] = identifiers[.deletion]
    return Notification(
      name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: userInfo)
  }

  // MARK: Fetching

  /// The entity of transactions, for fetch requests.
  ///
  /// Its attributes are `author`, `bundleID`, `contextName`, `processID`, `storeID`, `timestamp`,
  /// `token` and `transactionNumber`.
  open class var entityDescription: NSEntityDescription? { HistoryModel.shared.transaction }

  /// The entity of transactions in the histories of a context's stores.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryModel.shared.transaction
  }

  /// A new fetch request for transactions, to be given a predicate and put into a request to the
  /// history.
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.shared.fetchRequest(for: HistoryModel.shared.transaction)
  }

  // MARK: Identity

  /// The transaction itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Transactions are equal when they have the same number in the same store.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentHistoryTransaction else { return false }
    return other.transactionNumber == transactionNumber && other.storeID == storeID
  }

  /// Equal transactions have equal hashes.
  open override var hash: Int { transactionNumber.hashValue }

  /// The number, the time and the author.
  open override var description: String {
    "<NSPersistentHistoryTransaction: \(transactionNumber) of \(storeID) at \(timestamp) by \(author ?? "nobody"), \(record.changes.map { "\($0.count)" } ?? "unknown") changes>"
  }
}

extension NSPersistentHistoryTransaction: KeyValueCoding {
  /// The value of an attribute, for predicates and sort descriptors.
  ///
  /// Parhelion's addition.
  public func value(forKey key: String) -> Any? {
    switch key {
    case "author": author
    case "bundleID": bundleID
    case "contextName": contextName
    case "processID": processID
    case "storeID": storeID
    case "timestamp": timestamp
    case "token": token
    case "transactionNumber": NSNumber(value: transactionNumber)
    case "changes": changes
    default: nil
    }
  }

  /// Whether there is such an attribute.
  ///
  /// Parhelion's addition.
  public func hasValue(forKey key: String) -> Bool {
    HistoryModel.shared.transaction.propertiesByName[key] != nil
  }
}
