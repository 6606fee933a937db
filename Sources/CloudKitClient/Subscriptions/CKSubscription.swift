import CloudRecords
public import Foundation
import Synchronization

// Sendable: mutable values are under the lock.
/// The base class of subscriptions.
///
/// Create an instance of a subclass.
///
/// A notification is a hint that something has changed. Fetch the changes then.
open class CKSubscription: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The type of a subscription's identifier.
  public typealias ID = String

  /// The kinds of subscriptions.
  public enum SubscriptionType: Int, Sendable {
    /// A subscription to records that match a predicate.
    case query = 1
    /// A subscription to a record zone.
    case recordZone = 2
    /// A subscription to a database.
    case database = 3
  }

  /// The identifier, which is unique among the user's subscriptions to the database.
  public let subscriptionID: ID
  /// The kind of the subscription.
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

  /// Validates an ID that the app has chosen.
  static func chosen(_ subscriptionID: ID) -> ID {
    CloudName.subscriptionIdentifier.require(subscriptionID, "The subscription ID")
    return subscriptionID
  }

  /// The contents of the notifications; nil for the default.
  ///
  /// The setter copies its value.
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

  /// Creates a subscription from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    guard let subscriptionID = coder.text(Key.identifier),
      CloudName.subscriptionIdentifier.defect(in: subscriptionID) == nil,
      let subscriptionType = SubscriptionType(rawValue: coder.decodeInteger(forKey: Key.type))
    else { return nil }
    self.subscriptionID = subscriptionID
    self.subscriptionType = subscriptionType
    notification = Mutex(coder.object(NotificationInfo.self, Key.notification))
  }

  /// Encodes the subscription into an archive.
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

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns a copy.
  ///
  /// Subclasses override it.
  open func copy(with zone: NSZone? = nil) -> Any {
    preconditionFailure("\(type(of: self)) is an abstract class. Use one of its subclasses.")
  }

  /// The class and the ID.
  open override var description: String { "<\(type(of: self)): \(subscriptionID)>" }
}
