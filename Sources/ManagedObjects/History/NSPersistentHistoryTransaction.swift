public import Foundation
public import ManagedObjectModel
import ObjectRows
public import PredicateLanguage

/// A save that a store has recorded: its time, its author, and its changes.
// Sendable: immutable.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, NSFetchRequestResult,
  @unchecked Sendable
{
  let record: HistoryRecord

  init(_ record: HistoryRecord) {
    self.record = record
    super.init()
  }

  /// The time of the save.
  open var timestamp: Date { record.row.date }

  /// The changes of the save, in the order in which they were written; nil if only transactions
  /// were requested.
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

  /// The token for the position after this transaction.
  ///
  /// In a history of several stores, the position is also after all earlier transactions of the
  /// result.
  open var token: NSPersistentHistoryToken { record.token }

  /// Returns the changes as a notification for `mergeChanges(fromContextDidSave:)`.
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

  /// Returns the entity of transactions in the histories of a context's stores.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    HistoryModel.shared.transaction
  }

  /// A new fetch request for transactions.
  ///
  /// Give it a predicate and pass it to a history request.
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.shared.fetchRequest(for: HistoryModel.shared.transaction)
  }

  // MARK: Identity

  /// Returns the transaction itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns whether both transactions have the same number in the same store.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPersistentHistoryTransaction else { return false }
    return other.transactionNumber == transactionNumber && other.storeID == storeID
  }

  /// The hash, which is equal for equal transactions.
  open override var hash: Int { transactionNumber.hashValue }

  /// The number, time and author of the transaction.
  open override var description: String {
    "<NSPersistentHistoryTransaction: \(transactionNumber) of \(storeID) at \(timestamp) by \(author ?? "no author"), \(record.changes.map { "\($0.count)" } ?? "unknown") changes>"
  }
}

extension NSPersistentHistoryTransaction: KeyValueCoding {
  /// Returns the value of an attribute, for predicates and sort descriptors.
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

  /// Returns whether there is such an attribute.
  ///
  /// Parhelion's addition.
  public func hasValue(forKey key: String) -> Bool {
    HistoryModel.shared.transaction.propertiesByName[key] != nil
  }
}
