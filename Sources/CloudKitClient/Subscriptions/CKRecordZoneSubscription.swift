public import Foundation

/// Asks to be told when something changes in a zone.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
  /// The zone.
  public let zoneID: CKRecordZone.ID
  /// The type of the records that count; nil where all do.
  public let recordType: CKRecord.RecordType?

  /// A subscription to a zone, with a new name where nothing else is said.
  public init(
    zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID = UUID().uuidString,
    recordType: CKRecord.RecordType? = nil
  ) {
    self.zoneID = zoneID
    self.recordType = recordType
    super.init(.recordZone, subscriptionID: subscriptionID)
  }

  /// Reads a subscription from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    guard let zoneID = coder.object(CKRecordZone.ID.self, Key.zone) else { return nil }
    self.zoneID = zoneID
    recordType = coder.text(Key.recordType)
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
    let copy = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: subscriptionID, recordType: recordType)
    copy.notificationInfo = notificationInfo
    return copy
  }
}
