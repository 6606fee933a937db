public import Foundation

// Sendable: immutable.
/// A notification that something changed on the server, which is a hint to fetch the changes.
open class CKNotification: NSObject, @unchecked Sendable {
  /// The type of a notification's identifier.
  public typealias ID = CKNotificationID

  /// The kinds of notifications.
  public enum NotificationType: Int, Sendable {
    /// A record that matches a query subscription changed.
    case query = 1
    /// A record zone changed.
    case recordZone = 2
    /// A notification was marked as read.
    case readNotification = 3
    /// A database changed.
    case database = 4
  }

  let payload: NotificationPayload

  init(_ payload: NotificationPayload) {
    self.payload = payload
  }

  /// The kind of the notification.
  open var notificationType: NotificationType { payload.event.kind }
  /// The notification's identifier, if it has one.
  open var notificationID: CKNotification.ID? { payload.identifier.map { CKNotificationID($0) } }
  /// The identifier of the container that sent the notification.
  open var containerIdentifier: String? { payload.container }
  /// The user that the subscription belongs to.
  open var subscriptionOwnerUserRecordID: CKRecord.ID? {
    payload.user.map { CKRecord.ID(received: $0, zoneID: .default) }
  }
  /// Whether the server left out some of the notification's content.
  open var isPruned: Bool { payload.isPruned }
  /// The ID of the subscription that triggered the notification.
  open var subscriptionID: CKSubscription.ID? { payload.event.subscription }

  // MARK: Alert

  /// The alert's text.
  open var alertBody: String? { payload.alert.body }
  /// The localization key of the alert's text.
  open var alertLocalizationKey: String? { payload.alert.localizationKey }
  /// The arguments of the localized text.
  open var alertLocalizationArgs: [String]? { payload.alert.localizationArguments }
  /// The alert's title.
  open var title: String? { payload.alert.title }
  /// The localization key of the title.
  open var titleLocalizationKey: String? { payload.alert.titleLocalizationKey }
  /// The arguments of the localized title.
  open var titleLocalizationArgs: [String]? { payload.alert.titleLocalizationArguments }
  /// The alert's subtitle.
  open var subtitle: String? { payload.alert.subtitle }
  /// The localization key of the subtitle.
  open var subtitleLocalizationKey: String? { payload.alert.subtitleLocalizationKey }
  /// The arguments of the localized subtitle.
  open var subtitleLocalizationArgs: [String]? { payload.alert.subtitleLocalizationArguments }
  /// The localization key of the action button's title.
  open var alertActionLocalizationKey: String? { payload.alert.actionLocalizationKey }
  /// The name of the image that is shown while the app launches.
  open var alertLaunchImage: String? { payload.alert.launchImage }
  /// The number on the app's icon.
  open var badge: NSNumber? { payload.alert.badge.map { NSNumber(value: $0) } }
  /// The name of the sound.
  open var soundName: String? { payload.alert.sound }
  /// The name of the category, which determines the alert's actions.
  open var category: String? { payload.alert.category }
}

/// Allows an initializer of `CKNotification` to return an instance of a subclass.
///
/// For a class, Swift allows assigning `self` only in protocol extensions.
public protocol NotificationFactory {}

extension NotificationFactory {
  init(made existing: Self) { self = existing }
}

extension CKNotification: NotificationFactory {}

extension CKNotification {
  /// Creates the notification from a dictionary that the server sent, as an instance of the
  /// matching subclass.
  ///
  /// Returns nil if the dictionary is not a CloudKit notification, or if it does not match the
  /// subclass that the initializer is called on.
  ///
  /// ```swift
  /// let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
  /// if let notification = notification as? CKDatabaseNotification {
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
