public import Foundation
import Synchronization

// Sendable: what can change is under the lock.
/// Asks to be told when something changes in a zone.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
  /// The zone.
  public let zoneID: CKRecordZone.ID

  private let chosenType: Mutex<CKRecord.RecordType?>

  /// The type of the records that count; nil where all do.
  ///
  /// It stays on this device: the protocol has no place for it, so that the server tells of records
  /// of all types.
  open var recordType: CKRecord.RecordType? {
    get { chosenType.withLock { $0 } }
    set { chosenType.withLock { $0 = newValue } }
  }

  /// A subscription to a zone, with a new name.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
  }

  /// A subscription to a zone, by its name.
  public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
    self.zoneID = zoneID
    chosenType = Mutex(nil)
    super.init(.recordZone, subscriptionID: Self.chosen(subscriptionID))
  }

  /// A subscription to a zone, by a name that the server gave.
  init(zoneID: CKRecordZone.ID, received subscriptionID: CKSubscription.ID) {
    self.zoneID = zoneID
    chosenType = Mutex(nil)
    super.init(.recordZone, subscriptionID: subscriptionID)
  }

  /// Reads a subscription from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    guard let zoneID = coder.object(CKRecordZone.ID.self, Key.zone) else { return nil }
    self.zoneID = zoneID
    chosenType = Mutex(coder.text(Key.recordType))
    super.init(coder: coder)
  }

  /// Writes the subscription into an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(zoneID, forKey: Key.zone)
    if let recordType { coder.encode(recordType as NSString, forKey: Key.recordType) }
  }

  private enum Key {
    static let zone = "ZoneID"
    static let recordType = "RecordType"
  }

  /// Another subscription that says the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKRecordZoneSubscription(zoneID: zoneID, received: subscriptionID)
    copy.recordType = recordType
    copy.notificationInfo = notificationInfo
    return copy
  }
}
