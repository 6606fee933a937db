import CloudRecords
public import Foundation
import Synchronization

// Sendable: what can change is under the lock.
/// What a program wants to be told of: use one of the subclasses.
///
/// A notification is a hint that something changed; fetch what it was.
open class CKSubscription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The name of a subscription.
  public typealias ID = String

  /// What a subscription listens to.
  public enum SubscriptionType: Int, Sendable {
    /// Records that a predicate describes.
    case query = 1
    /// A zone.
    case recordZone = 2
    /// All zones of a database.
    case database = 3
  }

  /// The name of the subscription, which is unique among those of the user in the database.
  public let subscriptionID: ID
  /// What the subscription listens to.
  public let subscriptionType: SubscriptionType

  private let notification: Mutex<NotificationInfo?>

  init(
    _ subscriptionType: SubscriptionType, subscriptionID: ID,
    notificationInfo: NotificationInfo? = nil
  ) {
    self.subscriptionID = subscriptionID
    self.subscriptionType = subscriptionType
    notification = Mutex(notificationInfo.map(Self.copied))
  }

  /// A name that the program has chosen, and not the server: it has to be one.
  static func chosen(_ subscriptionID: ID) -> ID {
    CloudName.subscriptionIdentifier.require(subscriptionID, "The name of a subscription")
    return subscriptionID
  }

  /// What its notifications show; nil for the least that they can.
  ///
  /// Setting it takes a copy.
  open var notificationInfo: NotificationInfo? {
    get { notification.withLock { $0 } }
    set {
      let copy = newValue.map(Self.copied)
      notification.withLock { $0 = copy }
    }
  }

  private static func copied(_ info: NotificationInfo) -> NotificationInfo {
    NotificationInfo(info.content)
  }

  // MARK: Archives

  /// Reads a subscription from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    guard let subscriptionID = coder.text(Key.identifier),
      CloudName.subscriptionIdentifier.fault(in: subscriptionID) == nil,
      let subscriptionType = SubscriptionType(rawValue: coder.decodeInteger(forKey: Key.type))
    else { return nil }
    self.subscriptionID = subscriptionID
    self.subscriptionType = subscriptionType
    notification = Mutex(coder.object(NotificationInfo.self, Key.notification))
  }

  /// Writes the subscription into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(subscriptionID as NSString, forKey: Key.identifier)
    coder.encode(subscriptionType.rawValue, forKey: Key.type)
    if let notificationInfo { coder.encode(notificationInfo, forKey: Key.notification) }
  }

  private enum Key {
    static let identifier = "SubscriptionID"
    static let type = "SubscriptionType"
    static let notification = "NotificationInfo"
  }

  /// True: it holds names and numbers only.
  public static var supportsSecureCoding: Bool { true }

  /// Another subscription that says the same.
  open func copy(with zone: NSZone? = nil) -> Any {
    preconditionFailure(
      "\(type(of: self)) is not a subscription of its own. Use one of CKSubscription's subclasses.")
  }

  /// What kind it is, and its name.
  open override var description: String { "<\(type(of: self)): \(subscriptionID)>" }
}
