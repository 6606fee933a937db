public import Foundation
import PredicateLanguage
import Synchronization

// Sendable: predicates are immutable; mutable values are under the lock.
/// A subscription to changes of the records that match a predicate.
///
/// ```swift
/// let subscription = CKQuerySubscription(
///   recordType: "Note", predicate: NSPredicate(format: "stars >= 3"),
///   subscriptionID: "good-notes", options: [.firesOnRecordCreation, .firesOnRecordUpdate])
/// try await database.save(subscription)
/// ```
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
  /// The changes that trigger a notification.
  public struct Options: OptionSet, Sendable {
    /// The options as a bit mask.
    public let rawValue: UInt

    /// Creates options from a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A record that matches the predicate was created.
    public static let firesOnRecordCreation = Options(rawValue: 1 << 0)
    /// A record that matches the predicate was modified.
    public static let firesOnRecordUpdate = Options(rawValue: 1 << 1)
    /// A record that matched the predicate was deleted.
    public static let firesOnRecordDeletion = Options(rawValue: 1 << 2)
    /// The server deletes the subscription after its first notification.
    public static let firesOnce = Options(rawValue: 1 << 3)
  }

  /// The record type.
  public let recordType: CKRecord.RecordType?
  /// The predicate that the records match.
  public let predicate: NSPredicate
  /// The changes that trigger a notification.
  public let querySubscriptionOptions: Options

  private let zone: Mutex<CKRecordZone.ID?>

  /// The zone of the records; nil for all zones.
  open var zoneID: CKRecordZone.ID? {
    get { zone.withLock { $0 } }
    set { zone.withLock { $0 = newValue } }
  }

  /// Creates a subscription with a new ID.
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

  /// Creates a subscription to changes of the records that match a predicate.
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

  /// Creates a subscription from an ID that the server sent.
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

  /// Creates a subscription from an archive; nil if the archive contains none.
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

  /// Encodes the subscription into an archive.
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

  /// Returns an independent subscription with the same values.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuerySubscription(
      recordType: recordType ?? "", predicate: predicate, received: subscriptionID,
      options: querySubscriptionOptions)
    copy.zoneID = zoneID
    copy.notificationInfo = notificationInfo
    return copy
  }
}
