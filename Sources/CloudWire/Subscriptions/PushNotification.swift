package import CloudRecords
package import JSONCoding

/// What a device is told of a change, in the form of Apple's notifications.
package struct PushNotification: ClientResponse, Hashable {
  package enum Content: Hashable, Sendable {
    /// A record that a query subscription is about, with the fields that the subscription wants.
    case query(RecordIdentifier, event: Subscription.Event, fields: RecordFields)
    case zone(RecordZoneIdentifier)
    /// A zone of a database moved; nil where it is not said which.
    case database(RecordZoneIdentifier?)
  }

  package var identifier: String
  package var container: String
  /// Who is told.
  package var userRecordName: String
  package var scope: DatabaseScope
  package var subscriptionIdentifier: String
  package var content: Content
  package var info: NotificationInfo?
  /// Of notifications of one subscription with the same text here, the last one is shown
  /// (Parhelion's addition).
  package var collapse: String?
  /// Others came before it and were dropped, or it was too large: there is more to be fetched than
  /// it says.
  package var isPruned = false
  /// Nothing more comes by the subscription, which was ended or is about something else now
  /// (Parhelion's addition).
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

  /// A notification that was received.
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
  /// Says less where it is larger than notifications may be: without fields, then without what is
  /// shown.
  package mutating func prune(to bytes: Int) {
    // Only these have no bound of their own.
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
  /// What the device's system shows.
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
    // Public is 0 here, and 1 elsewhere.
    number("dbs", Int64(notification.scope.rawValue) - 1)
  }
}
