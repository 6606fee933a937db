import BinaryCoding
import CloudRecords

/// The stored encoding of subscriptions.
enum SubscriptionEncoding {
  private static let version: UInt8 = 1

  private enum Kind: UInt8 {
    case query = 1
    case zone = 2
    case database = 3
  }

  static func bytes(_ subscription: Subscription) -> [UInt8] {
    var form = BinaryWriter(capacity: 256)
    form.byte(version)
    form.text(subscription.identifier)
    write(subscription.kind, to: &form)
    form.byte(subscription.firesOn.reduce(0) { $0 | 1 << $1.rawValue })
    form.byte(subscription.firesOnce ? 1 : 0)
    form.optional(subscription.notification) { write($1, to: &$0) }
    return form.bytes
  }

  static func subscription(bytes: [UInt8]) throws -> Subscription {
    var form = BinaryReader(bytes)
    guard try form.byte() == version else { throw form.error("an unknown form of subscription") }
    var subscription = Subscription(identifier: try form.text(), kind: try kind(from: &form))
    let events = try form.byte()
    subscription.firesOn = Set(
      Subscription.Event.allCases.filter { events & 1 << $0.rawValue != 0 })
    subscription.firesOnce = try form.byte() == 1
    subscription.notification = try form.optional(notification)
    guard form.isAtEnd else { throw form.error("bytes after the end of a subscription") }
    return subscription
  }
}

// MARK: - Kinds

extension SubscriptionEncoding {
  private static func write(_ kind: Subscription.Kind, to form: inout BinaryWriter) {
    switch kind {
    case .query(let query, let zone):
      form.byte(Kind.query.rawValue)
      form.text(query.recordType)
      form.optional(query.filters) { $0.data($1) }
      form.optional(zone) { write($1, to: &$0) }
    case .zone(let zone):
      form.byte(Kind.zone.rawValue)
      write(zone, to: &form)
    case .database: form.byte(Kind.database.rawValue)
    }
  }

  private static func kind(from form: inout BinaryReader) throws(BinaryCodingError)
    -> Subscription.Kind
  {
    switch Kind(rawValue: try form.byte()) {
    case .query:
      let type = try form.text()
      let filters = try form.optional { (form) throws(BinaryCodingError) in try form.data() }
      let zone = try form.optional { (form) throws(BinaryCodingError) in try self.zone(from: &form)
      }
      return .query(SubscriptionQuery(recordType: type, filters: filters), zone: zone)
    case .zone: return .zone(try zone(from: &form))
    case .database: return .database
    case nil: throw form.error("an unknown kind of subscription")
    }
  }

  private static func write(_ zone: RecordZoneIdentifier, to form: inout BinaryWriter) {
    form.text(zone.ownerName)
    form.text(zone.zoneName)
  }

  private static func zone(from form: inout BinaryReader) throws(BinaryCodingError)
    -> RecordZoneIdentifier
  {
    let owner = try form.text()
    return RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
  }
}

// MARK: - Notifications

extension SubscriptionEncoding {
  private static func write(_ info: NotificationInfo, to form: inout BinaryWriter) {
    for text in [
      info.body.plain, info.body.localizationKey, info.alertActionLocalizationKey,
      info.alertLaunchImage,
      info.soundName, info.category,
    ] {
      form.optional(text) { $0.text($1) }
    }
    write(info.body.arguments, to: &form)
    write(info.additionalFields, to: &form)
    form.byte(
      (info.shouldBadge ? 1 : 0) | (info.shouldSendContentAvailable ? 2 : 0)
        | (info.shouldSendMutableContent ? 4 : 0))
    write(info.title, to: &form)
    write(info.subtitle, to: &form)
    form.optional(info.collapseField) { $0.text($1) }
  }

  private static func notification(from form: inout BinaryReader) throws(BinaryCodingError)
    -> NotificationInfo
  {
    var info = NotificationInfo()
    info.body.plain = try text(from: &form)
    info.body.localizationKey = try text(from: &form)
    info.alertActionLocalizationKey = try text(from: &form)
    info.alertLaunchImage = try text(from: &form)
    info.soundName = try text(from: &form)
    info.category = try text(from: &form)
    info.body.arguments = try texts(from: &form)
    info.additionalFields = try texts(from: &form)
    let marks = try form.byte()
    info.shouldBadge = marks & 1 != 0
    info.shouldSendContentAvailable = marks & 2 != 0
    info.shouldSendMutableContent = marks & 4 != 0
    info.title = try shown(from: &form)
    info.subtitle = try shown(from: &form)
    info.collapseField = try text(from: &form)
    return info
  }

  private static func write(_ shown: NotificationInfo.Text, to form: inout BinaryWriter) {
    form.optional(shown.plain) { $0.text($1) }
    form.optional(shown.localizationKey) { $0.text($1) }
    write(shown.arguments, to: &form)
  }

  private static func shown(from form: inout BinaryReader) throws(BinaryCodingError)
    -> NotificationInfo.Text
  {
    let plain = try text(from: &form)
    let key = try text(from: &form)
    return NotificationInfo.Text(plain, localizationKey: key, arguments: try texts(from: &form))
  }

  private static func text(from form: inout BinaryReader) throws(BinaryCodingError) -> String? {
    try form.optional { (form) throws(BinaryCodingError) in try form.text() }
  }

  private static func write(_ texts: [String], to form: inout BinaryWriter) {
    form.count(texts.count)
    for text in texts { form.text(text) }
  }

  private static func texts(from form: inout BinaryReader) throws(BinaryCodingError) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try form.count()) { texts.append(try form.text()) }
    return texts
  }
}
