package import CloudRecords
package import JSONCoding

/// What a device is told of a change, in the form of Apple's notifications.
package struct PushNotification: WireAnswer, Hashable {
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
  /// Values of fields that the alert's text has places for; in a notification that was received, they are all that is known of the text's arguments.
  package var alertArguments: [String] = []
  /// Others came before it and were dropped: there is more to be fetched than it says.
  package var isPruned = false
  /// Nothing more comes by the subscription, which was ended or is about something else now (Parhelion's addition).
  package var isLast = false

  package init(
    identifier: String, container: String, userRecordName: String, scope: DatabaseScope, subscription: Subscription,
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
    writer.content(self)
    writer.endObject()
    writer.endObject()
  }
}

extension JSONWriter {
  /// What the device's system shows.
  fileprivate mutating func alert(_ notification: PushNotification) {
    let info = notification.info
    beginObject()
    if info?.shouldSendContentAvailable ?? true { number("content-available", 1) }
    if let info {
      if info.alertBody != nil || info.alertLocalizationKey != nil {
        key("alert")
        beginObject()
        text("body", ifPresent: info.alertBody)
        text("loc-key", ifPresent: info.alertLocalizationKey)
        if !notification.alertArguments.isEmpty { texts("loc-args", notification.alertArguments) }
        text("action-loc-key", ifPresent: info.alertActionLocalizationKey)
        text("launch-image", ifPresent: info.alertLaunchImage)
        endObject()
      }
      if info.shouldBadge { number("badge", 1) }
      text("sound", ifPresent: info.soundName)
      text("category", ifPresent: info.category)
    }
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
