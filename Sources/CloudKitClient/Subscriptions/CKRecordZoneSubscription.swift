public import Foundation
import Synchronization

// Sendable: mutable values are under the lock.
/// A subscription to changes in a record zone.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
  /// The ID of the zone.
  public let zoneID: CKRecordZone.ID

  private let chosenType: Mutex<CKRecord.RecordType?>

  /// The record type to which the subscription is limited; nil for all types.
  ///
  /// The value stays on this device: the protocol cannot transmit it, so the server sends
  /// notifications for all types.
  open var recordType: CKRecord.RecordType? {
    get { chosenType.withLock { $0 } }
    set { chosenType.withLock { $0 = newValue } }
  }

  /// Creates a subscription to a zone with a new ID.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
  }

  /// Creates a subscription to a zone with an ID.
  public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
    self.zoneID = zoneID
    chosenType = Mutex(nil)
    super.init(.recordZone, subscriptionID: Self.chosen(subscriptionID))
  }

  /// Creates a subscription from an ID that the server sent.
  init(zoneID: CKRecordZone.ID, received subscriptionID: CKSubscription.ID) {
    self.zoneID = zoneID
    chosenType = Mutex(nil)
    super.init(.recordZone, subscriptionID: subscriptionID)
  }

  /// Creates a subscription from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    guard let zoneID = coder.object(CKRecordZone.ID.self, Key.zone) else { return nil }
    self.zoneID = zoneID
    chosenType = Mutex(coder.text(Key.recordType))
    super.init(coder: coder)
  }

  /// Encodes the subscription into an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(zoneID, forKey: Key.zone)
    if let recordType { coder.encode(recordType as NSString, forKey: Key.recordType) }
  }

  private enum Key {
    static let zone = "ZoneID"
    static let recordType = "RecordType"
  }

  /// Returns an independent subscription with the same values.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKRecordZoneSubscription(zoneID: zoneID, received: subscriptionID)
    copy.recordType = recordType
    copy.notificationInfo = notificationInfo
    return copy
  }
}
