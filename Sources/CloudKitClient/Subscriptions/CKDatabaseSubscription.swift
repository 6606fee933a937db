public import Foundation
import Synchronization

/// A subscription to changes in any zone of a private or shared database.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
  private let chosenType: Mutex<CKRecord.RecordType?>

  /// The record type to which the subscription is limited; nil for all types.
  ///
  /// The value stays on this device: the protocol cannot transmit it, so the server sends
  /// notifications for all types.
  open var recordType: CKRecord.RecordType? {
    get { chosenType.withLock { $0 } }
    set { chosenType.withLock { $0 = newValue } }
  }

  /// Creates a subscription with a new ID.
  public convenience init() {
    self.init(subscriptionID: UUID().uuidString)
  }

  /// Creates a subscription with an ID.
  public init(subscriptionID: CKSubscription.ID) {
    chosenType = Mutex(nil)
    super.init(.database, subscriptionID: Self.chosen(subscriptionID))
  }

  /// Creates a subscription from an ID that the server sent.
  init(received subscriptionID: CKSubscription.ID) {
    chosenType = Mutex(nil)
    super.init(.database, subscriptionID: subscriptionID)
  }

  /// Creates a subscription from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    chosenType = Mutex(coder.text(Self.typeKey))
    super.init(coder: coder)
  }

  /// Encodes the subscription into an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if let recordType { coder.encode(recordType as NSString, forKey: Self.typeKey) }
  }

  private static let typeKey = "RecordType"

  /// Returns an independent subscription with the same values.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKDatabaseSubscription(received: subscriptionID)
    copy.recordType = recordType
    copy.notificationInfo = notificationInfo
    return copy
  }
}
