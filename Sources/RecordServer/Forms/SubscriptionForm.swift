import BinaryForms
import CloudRecords

/// Subscriptions in stored forms.
enum SubscriptionForm {
  private static let version: UInt8 = 1

  private enum Kind: UInt8 {
    case query = 1
    case zone = 2
    case database = 3
  }

  static func bytes(_ subscription: Subscription) -> [UInt8] {
    var form = FormWriter(capacity: 256)
    form.byte(version)
    form.text(subscription.identifier)
    write(subscription.kind, to: &form)
    form.byte(subscription.firesOn.reduce(0) { $0 | 1 << $1.rawValue })
    form.byte(subscription.firesOnce ? 1 : 0)
    form.optional(subscription.notification) { write($1, to: &$0) }
    return form.bytes
  }

  static func subscription(bytes: [UInt8]) throws -> Subscription {
    var form = FormReader(bytes)
    guard try form.byte() == version else { throw form.damage("an unknown form of subscription") }
    var subscription = Subscription(identifier: try form.text(), kind: try kind(from: &form))
    let events = try form.byte()
    subscription.firesOn = Set(Subscription.Event.allCases.filter { events & 1 << $0.rawValue != 0 })
    subscription.firesOnce = try form.byte() == 1
    subscription.notification = try form.optional { (form) throws(FormDamage) in try notification(from: &form) }
    guard form.isAtEnd else { throw form.damage("bytes behind the end of a subscription") }
    return subscription
  }
}

// MARK: - Kinds

extension SubscriptionForm {
  private static func write(_ kind: Subscription.Kind, to form: inout FormWriter) {
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

  private static func kind(from form: inout FormReader) throws(FormDamage) -> Subscription.Kind {
    switch Kind(rawValue: try form.byte()) {
    case .query:
      let type = try form.text()
      let filters = try form.optional { (form) throws(FormDamage) in try form.data() }
      let zone = try form.optional { (form) throws(FormDamage) in try self.zone(from: &form) }
      return .query(SubscriptionQuery(recordType: type, filters: filters), zone: zone)
    case .zone: return .zone(try zone(from: &form))
    case .database: return .database
    case nil: throw form.damage("an unknown kind of subscription")
    }
  }

  private static func write(_ zone: RecordZoneIdentifier, to form: inout FormWriter) {
    form.text(zone.ownerName)
    form.text(zone.zoneName)
  }

  private static func zone(from form: inout FormReader) throws(FormDamage) -> RecordZoneIdentifier {
    let owner = try form.text()
    return RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
  }
}

// MARK: - What notifications show

extension SubscriptionForm {
  private static func write(_ info: NotificationInfo, to form: inout FormWriter) {
    for text in [
      info.alertBody, info.alertLocalizationKey, info.alertActionLocalizationKey, info.alertLaunchImage,
      info.soundName, info.category,
    ] {
      form.optional(text) { $0.text($1) }
    }
    write(info.alertLocalizationArguments, to: &form)
    write(info.additionalFields, to: &form)
    form.byte((info.shouldBadge ? 1 : 0) | (info.shouldSendContentAvailable ? 2 : 0))
  }

  private static func notification(from form: inout FormReader) throws(FormDamage) -> NotificationInfo {
    var info = NotificationInfo()
    info.alertBody = try text(from: &form)
    info.alertLocalizationKey = try text(from: &form)
    info.alertActionLocalizationKey = try text(from: &form)
    info.alertLaunchImage = try text(from: &form)
    info.soundName = try text(from: &form)
    info.category = try text(from: &form)
    info.alertLocalizationArguments = try texts(from: &form)
    info.additionalFields = try texts(from: &form)
    let marks = try form.byte()
    info.shouldBadge = marks & 1 != 0
    info.shouldSendContentAvailable = marks & 2 != 0
    return info
  }

  private static func text(from form: inout FormReader) throws(FormDamage) -> String? {
    try form.optional { (form) throws(FormDamage) in try form.text() }
  }

  private static func write(_ texts: [String], to form: inout FormWriter) {
    form.count(texts.count)
    for text in texts { form.text(text) }
  }

  private static func texts(from form: inout FormReader) throws(FormDamage) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try form.count()) { texts.append(try form.text()) }
    return texts
  }
}
