public import Foundation
import PredicateLanguage
import Synchronization

// Sendable: predicates never change; what can change is under the lock.
/// Asks to be told when something happens to records that a predicate describes.
///
/// ```swift
/// let subscription = CKQuerySubscription(
///   recordType: "Note", predicate: NSPredicate(format: "stars >= 3"), subscriptionID: "good-notes",
///   options: [.firesOnRecordCreation, .firesOnRecordUpdate])
/// try await database.save(subscription)
/// ```
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
  /// What must happen to a record.
  public struct Options: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt

    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A record was made, or came to be what the query describes.
    public static let firesOnRecordCreation = Options(rawValue: 1 << 0)
    /// A record was changed.
    public static let firesOnRecordUpdate = Options(rawValue: 1 << 1)
    /// A record was deleted, or ceased to be what the query describes.
    public static let firesOnRecordDeletion = Options(rawValue: 1 << 2)
    /// The subscription ends once it has fired.
    public static let firesOnce = Options(rawValue: 1 << 3)
  }

  /// The type of the records.
  public let recordType: CKRecord.RecordType?
  /// What the records are like.
  public let predicate: NSPredicate
  /// What must happen to a record.
  public let querySubscriptionOptions: Options

  private let zone: Mutex<CKRecordZone.ID?>

  /// The zone of the records; nil for all zones.
  open var zoneID: CKRecordZone.ID? {
    get { zone.withLock { $0 } }
    set { zone.withLock { $0 = newValue } }
  }

  /// A subscription with a new name.
  @available(
    *, deprecated,
    message: "Use init(recordType:predicate:subscriptionID:options:) with a name of your own."
  )
  public convenience init(
    recordType: CKRecord.RecordType, predicate: NSPredicate, options: Options = []
  ) {
    self.init(
      recordType: recordType, predicate: predicate, subscriptionID: UUID().uuidString,
      options: options)
  }

  /// A subscription to what happens to records of a type that a predicate describes.
  public init(
    recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID,
    options: Options = []
  ) {
    self.recordType = recordType
    self.predicate = predicate
    querySubscriptionOptions = options
    zone = Mutex(nil)
    super.init(.query, subscriptionID: Self.chosen(subscriptionID))
  }

  /// A subscription by a name that the server gave.
  init(
    recordType: CKRecord.RecordType, predicate: NSPredicate,
    received subscriptionID: CKSubscription.ID,
    options: Options
  ) {
    self.recordType = recordType
    self.predicate = predicate
    querySubscriptionOptions = options
    zone = Mutex(nil)
    super.init(.query, subscriptionID: subscriptionID)
  }

  // MARK: Archives

  /// Reads a subscription from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    guard let recordType = coder.text(Key.recordType),
      let predicate = coder.predicate(Key.predicate)
    else {
      return nil
    }
    self.recordType = recordType
    self.predicate = predicate
    querySubscriptionOptions = Options(
      rawValue: UInt(max(0, coder.decodeInteger(forKey: Key.options))))
    zone = Mutex(coder.object(CKRecordZone.ID.self, Key.zone))
    super.init(coder: coder)
  }

  /// Writes the subscription into an archive: the predicate as its format, with the constants that
  /// no format says.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode((recordType ?? "") as NSString, forKey: Key.recordType)
    coder.encode(predicate: predicate, forKey: Key.predicate)
    coder.encode(Int(querySubscriptionOptions.rawValue), forKey: Key.options)
    if let zoneID { coder.encode(zoneID, forKey: Key.zone) }
  }

  private enum Key {
    static let recordType = "RecordType"
    static let predicate = "Predicate"
    static let options = "Options"
    static let zone = "ZoneID"
  }

  /// Another subscription that says the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuerySubscription(
      recordType: recordType ?? "", predicate: predicate, received: subscriptionID,
      options: querySubscriptionOptions)
    copy.zoneID = zoneID
    copy.notificationInfo = notificationInfo
    return copy
  }
}
