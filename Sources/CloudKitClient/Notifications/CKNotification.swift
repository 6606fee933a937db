public import Foundation

// Sendable: immutable.
/// Word that something changed, as it comes from the server: a hint to fetch what it was.
open class CKNotification: NSObject, @unchecked Sendable {
  /// The name of a notification.
  public typealias ID = CKNotificationID

  /// What a notification tells of.
  public enum NotificationType: Int, Sendable {
    /// A record that a query's subscription describes.
    case query = 1
    /// A zone.
    case recordZone = 2
    /// A notification that was marked as read.
    case readNotification = 3
    /// A database.
    case database = 4
  }

  let payload: NotificationPayload

  init(_ payload: NotificationPayload) {
    self.payload = payload
  }

  /// What the notification tells of.
  open var notificationType: NotificationType { payload.event.kind }
  /// The name of the notification, where it has one.
  open var notificationID: CKNotification.ID? { payload.identifier.map { CKNotificationID($0) } }
  /// The container that it comes from.
  open var containerIdentifier: String? { payload.container }
  /// The user who is told.
  open var subscriptionOwnerUserRecordID: CKRecord.ID? {
    payload.user.map { CKRecord.ID(received: $0, zoneID: .default) }
  }
  /// Whether something was left out.
  open var isPruned: Bool { payload.isPruned }
  /// The subscription that led to it.
  open var subscriptionID: CKSubscription.ID? { payload.event.subscription }

  // MARK: What is shown

  /// The text.
  open var alertBody: String? { payload.alert.body }
  /// The name of the text among the program's translations.
  open var alertLocalizationKey: String? { payload.alert.localizationKey }
  /// What takes the places in the translated text.
  open var alertLocalizationArgs: [String]? { payload.alert.localizationArguments }
  /// The title.
  open var title: String? { payload.alert.title }
  /// The name of the title among the program's translations.
  open var titleLocalizationKey: String? { payload.alert.titleLocalizationKey }
  /// What takes the places in the translated title.
  open var titleLocalizationArgs: [String]? { payload.alert.titleLocalizationArguments }
  /// The second line of the title.
  open var subtitle: String? { payload.alert.subtitle }
  /// The name of the title's second line among the program's translations.
  open var subtitleLocalizationKey: String? { payload.alert.subtitleLocalizationKey }
  /// What takes the places in the translated second line.
  open var subtitleLocalizationArgs: [String]? { payload.alert.subtitleLocalizationArguments }
  /// The name of the button's text among the program's translations.
  open var alertActionLocalizationKey: String? { payload.alert.actionLocalizationKey }
  /// The picture that is shown while the program starts.
  open var alertLaunchImage: String? { payload.alert.launchImage }
  /// The number on the program's picture.
  open var badge: NSNumber? { payload.alert.badge.map { NSNumber(value: $0) } }
  /// The sound.
  open var soundName: String? { payload.alert.sound }
  /// What kind of notification it is, for the buttons that go with it.
  open var category: String? { payload.alert.category }
}

/// Lets an initialiser of `CKNotification` give an object of a subclass.
///
/// Assigning `self` is allowed in a protocol's extension only, hence the protocol.
public protocol NotificationFactory {}

extension NotificationFactory {
  init(made existing: Self) { self = existing }
}

extension CKNotification: NotificationFactory {}

extension CKNotification {
  /// The notification of a dictionary that came from the server, of the subclass that fits what it
  /// tells of.
  ///
  /// It is nil where the dictionary is something else, or a subclass is asked that does not fit.
  ///
  /// ```swift
  /// if let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) as? CKDatabaseNotification {
  ///   fetchChanges(in: notification.databaseScope)
  /// }
  /// ```
  public convenience init?(fromRemoteNotificationDictionary dictionary: [AnyHashable: Any]) {
    guard let payload = NotificationPayload(dictionary) else { return nil }
    let notification =
      switch payload.event.kind {
      case .query: CKQueryNotification(payload)
      case .recordZone: CKRecordZoneNotification(payload)
      case .database: CKDatabaseNotification(payload)
      case .readNotification: CKNotification(payload)
      }
    guard let fitting = notification as? Self else { return nil }
    self.init(made: fitting)
  }
}
