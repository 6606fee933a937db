import CloudRecords

/// The contents of a notification's dictionary, in Apple's format: `aps` is the alert, `ck` the
/// event.
struct NotificationPayload: Sendable {
  /// The alert that is shown.
  struct Alert: Sendable {
    var body: String?
    var localizationKey: String?
    var localizationArguments: [String]?
    var title: String?
    var titleLocalizationKey: String?
    var titleLocalizationArguments: [String]?
    var subtitle: String?
    var subtitleLocalizationKey: String?
    var subtitleLocalizationArguments: [String]?
    var actionLocalizationKey: String?
    var launchImage: String?
    var badge: Int?
    var sound: String?
    var category: String?
  }

  /// The change that a query, zone or database subscription reports.
  struct Event: Sendable {
    var kind: CKNotification.NotificationType
    var scope: CKDatabaseScope
    var subscription: String?
    var zone: RecordZoneIdentifier?
    var recordName: String?
    var reason: Int?
    var fields: [String: FieldContent] = [:]
  }

  var alert: Alert
  var event: Event
  var identifier: String?
  var container: String?
  var user: String?
  var isPruned: Bool
  /// Whether this is the subscription's last notification, because it was deleted or replaced.
  ///
  /// Only Parhelion's servers send this flag.
  var isLast: Bool

  /// Parses a dictionary; nil if it is not a CloudKit notification.
  init?(_ dictionary: [AnyHashable: Any]) {
    guard let cloud = dictionary["ck"] as? [String: Any], var event = Event(cloud) else {
      return nil
    }
    let user = cloud["ckuserid"] as? String
    // The recipient's own zones have the placeholder owner name of the API.
    if let zone = event.zone, zone.ownerName == user {
      event.zone?.ownerName = CKCurrentUserDefaultName
    }
    self.event = event
    alert = Alert(dictionary["aps"] as? [String: Any] ?? [:])
    identifier = cloud["nid"] as? String
    container = cloud["cid"] as? String
    self.user = user
    isPruned = (cloud["p"] as? Int ?? 0) != 0
    isLast = (cloud["last"] as? Int ?? 0) != 0
  }

  /// Creates a notification for missed changes: anything in the database may have changed.
  init(missedIn scope: CKDatabaseScope, of container: String?) {
    (alert, event) = (Alert(), Event(kind: .database, scope: scope))
    self.container = container
    (isPruned, isLast) = (true, false)
  }
}

extension NotificationPayload.Alert {
  fileprivate init(_ shown: [String: Any]) {
    // A plain string is an alert with this body.
    let alert =
      shown["alert"] as? [String: Any] ?? (shown["alert"] as? String).map { ["body": $0] } ?? [:]
    body = alert["body"] as? String
    localizationKey = alert["loc-key"] as? String
    localizationArguments = alert["loc-args"] as? [String]
    title = alert["title"] as? String
    titleLocalizationKey = alert["title-loc-key"] as? String
    titleLocalizationArguments = alert["title-loc-args"] as? [String]
    subtitle = alert["subtitle"] as? String
    subtitleLocalizationKey = alert["subtitle-loc-key"] as? String
    subtitleLocalizationArguments = alert["subtitle-loc-args"] as? [String]
    actionLocalizationKey = alert["action-loc-key"] as? String
    launchImage = alert["launch-image"] as? String
    badge = shown["badge"] as? Int
    sound = shown["sound"] as? String
    category = shown["category"] as? String
  }
}

extension NotificationPayload.Event {
  fileprivate init?(_ cloud: [String: Any]) {
    if let query = cloud["qry"] as? [String: Any] {
      self.init(.query, query)
    } else if let zone = cloud["fet"] as? [String: Any] {
      self.init(.recordZone, zone)
    } else if let database = cloud["met"] as? [String: Any] {
      self.init(.database, database)
    } else {
      return nil
    }
  }

  private init(_ kind: CKNotification.NotificationType, _ said: [String: Any]) {
    self.kind = kind
    // Public is 0, private is 1, shared is 2. The default is private.
    scope = (said["dbs"] as? Int).flatMap { CKDatabaseScope(rawValue: $0 &+ 1) } ?? .private
    subscription = said["sid"] as? String
    zone = (said["zid"] as? String).map { name in
      RecordZoneIdentifier(
        zoneName: name, ownerName: said["zoid"] as? String ?? CKCurrentUserDefaultName)
    }
    recordName = said["rid"] as? String
    reason = said["fo"] as? Int
    fields = (said["af"] as? [String: Any] ?? [:]).compactMapValues { FieldContent($0) }
  }
}
