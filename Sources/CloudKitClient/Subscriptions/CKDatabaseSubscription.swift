public import Foundation
import Synchronization

/// Asks to be told when something changes in any zone of a private or shared database.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
  private let chosenType: Mutex<CKRecord.RecordType?>

  /// The type of the records that count; nil where all do.
  ///
  /// It stays on this device: the protocol has no place for it, so that the server tells of records
  /// of all types.
  open var recordType: CKRecord.RecordType? {
    get { chosenType.withLock { $0 } }
    set { chosenType.withLock { $0 = newValue } }
  }

  /// A subscription with a new name.
  public convenience init() {
    self.init(subscriptionID: UUID().uuidString)
  }

  /// A subscription by its name.
  public init(subscriptionID: CKSubscription.ID) {
    chosenType = Mutex(nil)
    super.init(.database, subscriptionID: Self.chosen(subscriptionID))
  }

  /// A subscription by a name that the server gave.
  init(received subscriptionID: CKSubscription.ID) {
    chosenType = Mutex(nil)
    super.init(.database, subscriptionID: subscriptionID)
  }

  /// Reads a subscription from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    chosenType = Mutex(coder.text(Self.typeKey))
    super.init(coder: coder)
  }

  /// Writes the subscription into an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if let recordType { coder.encode(recordType as NSString, forKey: Self.typeKey) }
  }

  private static let typeKey = "RecordType"

  /// Another subscription that says the same.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKDatabaseSubscription(received: subscriptionID)
    copy.recordType = recordType
    copy.notificationInfo = notificationInfo
    return copy
  }
}
