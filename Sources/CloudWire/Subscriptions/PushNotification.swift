package import CloudRecords
package import JSONCoding

/// A notification of a change, in the form of Apple's notifications.
package struct PushNotification: ClientResponse, Hashable {
  package enum Content: Hashable, Sendable {
    /// A record that matches a query subscription, with the fields that the subscription requests.
    case query(RecordIdentifier, event: Subscription.Event, fields: RecordFields)
    case zone(RecordZoneIdentifier)
    /// A change in a zone of a database; the zone is nil if it is not known.
    case database(RecordZoneIdentifier?)
  }

  package var identifier: String
  package var container: String
  /// The recipient.
  package var userRecordName: String
  package var scope: DatabaseScope
  package var subscriptionIdentifier: String
  package var content: Content
  package var info: NotificationInfo?
  /// A text that groups notifications of one subscription.
  ///
  /// Only the last one of a group is shown (an addition of Parhelion).
  package var collapse: String?
  /// Whether earlier notifications were dropped or this one was shortened, so that the client has
  /// to fetch changes.
  package var isPruned = false
  /// Whether this is the last notification of the subscription, which was deleted or replaced (an
  /// addition of Parhelion).
  package var isLast = false

  package init(
    identifier: String, container: String, userRecordName: String, scope: DatabaseScope,
    subscription: Subscription,
    content: Content
  ) {
    self.identifier = identifier
    self.container = container
    self.userRecordName = userRecordName
    self.scope = scope
    subscriptionIdentifier = subscription.identifier
    info = subscription.notification
    self.content = content
  }

  /// Creates a received notification.
  init(
    identifier: String, container: String, userRecordName: String, scope: DatabaseScope,
    subscriptionIdentifier: String, content: Content
  ) {
    self.identifier = identifier
    self.container = container
    self.userRecordName = userRecordName
    self.scope = scope
    self.subscriptionIdentifier = subscriptionIdentifier
    self.content = content
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("aps")
    writer.alert(self)
    writer.key("ck")
    writer.beginObject()
    writer.text("cid", container)
    writer.text("nid", identifier)
    writer.number("ce", 2)
    writer.text("ckuserid", userRecordName)
    if isPruned { writer.number("p", 1) }
    if isLast { writer.number("last", 1) }
    writer.text("collapse", ifPresent: collapse)
    writer.content(self)
    writer.endObject()
    writer.endObject()
  }
}

extension PushNotification {
  /// Shortens a notification that exceeds a size: first removes fields, then the visible part.
  package mutating func prune(to bytes: Int) {
    // The other parts are short, so a notification without these needs no measuring.
    guard info != nil || collapse != nil || hasFields, byteCount > bytes else { return }
    isPruned = true
    if case .query(let record, let event, _) = content {
      content = .query(record, event: event, fields: RecordFields())
      if byteCount <= bytes { return }
    }
    (info, collapse) = (nil, nil)
  }

  private var hasFields: Bool {
    if case .query(_, _, let fields) = content { !fields.isEmpty } else { false }
  }

  private var byteCount: Int {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.array().count
  }
}

extension JSONWriter {
  /// Writes the part that the device's system shows.
  fileprivate mutating func alert(_ notification: PushNotification) {
    let info = notification.info
    beginObject()
    if info?.shouldSendContentAvailable ?? true { number("content-available", 1) }
    if let info {
      if !info.isSilent { texts(of: info) }
      if info.shouldBadge { number("badge", 1) }
      text("sound", ifPresent: info.soundName)
      text("category", ifPresent: info.category)
      if info.shouldSendMutableContent { number("mutable-content", 1) }
    }
    endObject()
  }

  private mutating func texts(of info: NotificationInfo) {
    key("alert")
    beginObject()
    if !info.title.isSilent { shown(info.title, "title", "title-loc-key", "title-loc-args") }
    if !info.subtitle.isSilent {
      shown(info.subtitle, "subtitle", "subtitle-loc-key", "subtitle-loc-args")
    }
    if !info.body.isSilent { shown(info.body, "body", "loc-key", "loc-args") }
    text("action-loc-key", ifPresent: info.alertActionLocalizationKey)
    text("launch-image", ifPresent: info.alertLaunchImage)
    endObject()
  }

  fileprivate mutating func content(_ notification: PushNotification) {
    switch notification.content {
    case .query(let record, let event, let fields):
      key("qry")
      beginObject()
      place(record.zone, notification)
      text("rid", record.recordName)
      number("fo", Int64(event.rawValue))
      if !fields.isEmpty {
        key("af")
        beginObject()
        for entry in fields {
          key(text: entry.name)
          value(entry.field.value, FieldStyle())
        }
        endObject()
      }
    case .zone(let zone):
      key("fet")
      beginObject()
      place(zone, notification)
    case .database(let zone):
      key("met")
      beginObject()
      place(zone, notification)
    }
    endObject()
  }

  private mutating func place(_ zone: RecordZoneIdentifier?, _ notification: PushNotification) {
    text("zid", ifPresent: zone?.zoneName)
    text("zoid", ifPresent: zone?.ownerName)
    text("sid", notification.subscriptionIdentifier)
    // Apple's notifications number the databases from 0, `DatabaseScope` from 1.
    number("dbs", Int64(notification.scope.rawValue) - 1)
  }
}
