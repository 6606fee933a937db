package import CloudRecords
package import JSONCoding

extension PushNotification {
  /// Reads the response to long polling; nil for an empty body, after which the device polls again.
  package static func delivered(_ body: [UInt8]) throws(CloudError) -> PushNotification? {
    body.allSatisfy { $0 <= UInt8(ascii: " ") } ? nil : try PushNotification(answer: body)
  }

  private enum Key: String, JSONKey {
    case aps, ck
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var event: Event?
    var alert = Alert()
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .aps:
        alert =
          try reader.ifReadable { (reader) throws(JSONError) in try Alert(from: &reader) } ?? alert
      case .ck: event = try Event(from: &reader)
      }
    }
    guard let event else { throw reader.missingKey(Key.ck) }
    guard let place = event.place else {
      throw reader.invalidValue("expected one of qry, fet and met in ck")
    }
    self.init(
      identifier: event.identifier, container: event.container, userRecordName: event.user,
      scope: place.scope,
      subscriptionIdentifier: place.subscription, content: place.content)
    info = alert.info
    collapse = event.collapse
    isPruned = event.isPruned
    isLast = event.isLast
  }
}

/// The event of a notification.
private struct Event {
  var identifier = ""
  var container = ""
  var user = ""
  var isPruned = false
  var isLast = false
  var collapse: String?
  var place: EventPlace?

  private enum Key: String, JSONKey {
    case nid, cid, ckuserid, p, last, collapse, qry, fet, met
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .nid: identifier = try reader.optionalText() ?? ""
      case .cid: container = try reader.optionalText() ?? ""
      case .ckuserid: user = try reader.optionalText() ?? ""
      case .p: isPruned = try FieldValue(.int64, from: &reader) != .int64(0)
      case .last: isLast = try FieldValue(.int64, from: &reader) != .int64(0)
      case .collapse: collapse = try reader.optionalText()
      case .qry: place = try EventPlace(.query, from: &reader)
      case .fet: place = try EventPlace(.zone, from: &reader)
      case .met: place = try EventPlace(.database, from: &reader)
      }
    }
  }
}

/// The place of the event, and its subscription.
private struct EventPlace {
  enum Kind {
    case query, zone, database
  }

  var content = PushNotification.Content.database(nil)
  var scope = DatabaseScope.private
  var subscription = ""
  private var zoneName: String?
  private var ownerName: String?
  private var recordName: String?
  private var event: Subscription.Event?
  private var fields = RecordFields()

  private enum Key: String, JSONKey {
    case zid, zoid, rid, sid, dbs, fo, af
    static let table = JSONKeyTable<Key>()
  }

  init(_ kind: Kind, from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .zid: zoneName = try reader.optionalText()
      case .zoid: ownerName = try reader.optionalText()
      case .rid: recordName = try reader.optionalText()
      case .sid: subscription = try reader.optionalText() ?? ""
      case .dbs: scope = try Self.scope(&reader)
      case .fo: event = try Self.event(&reader)
      case .af: fields = try Self.fields(&reader)
      }
    }
    content = try content(kind, &reader)
  }

  private func content(_ kind: Kind, _ reader: inout JSONReader) throws(JSONError)
    -> PushNotification.Content
  {
    let named = zoneName.map {
      RecordZoneIdentifier(
        zoneName: $0, ownerName: ownerName ?? RecordZoneIdentifier.currentOwnerName)
    }
    switch kind {
    case .database: return .database(named)
    case .zone:
      guard let named else { throw reader.missingKey(Key.zid) }
      return .zone(named)
    case .query:
      guard let recordName else { throw reader.missingKey(Key.rid) }
      guard let event else { throw reader.missingKey(Key.fo) }
      return .query(
        RecordIdentifier(recordName: recordName, zone: named ?? .ownDefaultZone), event: event,
        fields: fields)
    }
  }

  /// Reads the scope.
  ///
  /// The public database is 0 here, and 1 elsewhere.
  private static func scope(_ reader: inout JSONReader) throws(JSONError) -> DatabaseScope {
    switch try reader.int64OrText() {
    case 0: .public
    case 1: .private
    case 2: .shared
    default: throw reader.invalidValue("expected the number of a database: 0, 1 or 2")
    }
  }

  private static func event(_ reader: inout JSONReader) throws(JSONError) -> Subscription.Event {
    let number = try reader.int64OrText()
    guard let event = UInt8(exactly: number).flatMap(Subscription.Event.init(rawValue:)) else {
      throw reader.invalidValue("expected what happened to a record: 1, 2 or 3")
    }
    return event
  }

  /// Reads bare values, whose types are inferred from their form.
  private static func fields(_ reader: inout JSONReader) throws(JSONError) -> RecordFields {
    if try reader.null() { return RecordFields() }
    var entries: [RecordFields.Entry] = []
    try reader.beginObject()
    while let name = try reader.nextKey() {
      if let field = try Field(bare: &reader) { entries.append(.init(name: name, field: field)) }
    }
    guard let fields = RecordFields(unsorted: entries) else {
      throw reader.invalidValue("a field appears twice")
    }
    return fields
  }
}

/// The visible part of a notification.
private struct Alert {
  private var shown = NotificationInfo()

  private enum Key: String, JSONKey {
    case alert, badge, sound, category
    case contentAvailable = "content-available"
    case mutableContent = "mutable-content"
    static let table = JSONKeyTable<Key>()
  }

  private enum AlertKey: String, JSONKey {
    case title, subtitle, body
    case titleKey = "title-loc-key"
    case titleArguments = "title-loc-args"
    case subtitleKey = "subtitle-loc-key"
    case subtitleArguments = "subtitle-loc-args"
    case bodyKey = "loc-key"
    case bodyArguments = "loc-args"
    case actionKey = "action-loc-key"
    case image = "launch-image"
    static let table = JSONKeyTable<AlertKey>()
  }

  init() {}

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .alert: try take(&reader)
      case .badge: shown.shouldBadge = try Self.number(&reader) != nil
      case .sound: shown.soundName = try Self.text(&reader)
      case .category: shown.category = try reader.optionalText()
      case .contentAvailable:
        shown.shouldSendContentAvailable = try FieldValue(.int64, from: &reader) == .int64(1)
      case .mutableContent:
        shown.shouldSendMutableContent = try FieldValue(.int64, from: &reader) == .int64(1)
      }
    }
  }

  /// Reads an alert.
  ///
  /// A text is an alert with only a body.
  private mutating func take(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.peek() != .object {
      shown.body.plain = try reader.optionalText()
      return
    }
    var object = try reader.beginObject(AlertKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .title: shown.title.plain = try reader.optionalText()
      case .titleKey: shown.title.localizationKey = try reader.optionalText()
      case .titleArguments: shown.title.arguments = try reader.optionalTexts() ?? []
      case .subtitle: shown.subtitle.plain = try reader.optionalText()
      case .subtitleKey: shown.subtitle.localizationKey = try reader.optionalText()
      case .subtitleArguments: shown.subtitle.arguments = try reader.optionalTexts() ?? []
      case .body: shown.body.plain = try reader.optionalText()
      case .bodyKey: shown.body.localizationKey = try reader.optionalText()
      case .bodyArguments: shown.body.arguments = try reader.optionalTexts() ?? []
      case .actionKey: shown.alertActionLocalizationKey = try reader.optionalText()
      case .image: shown.alertLaunchImage = try reader.optionalText()
      }
    }
  }

  private static func number(_ reader: inout JSONReader) throws(JSONError) -> Double? {
    try reader.ifReadable { (reader) throws(JSONError) in try reader.doubleOrText() }
  }

  /// Reads the name of a sound.
  ///
  /// Sounds that are objects are ignored.
  private static func text(_ reader: inout JSONReader) throws(JSONError) -> String? {
    try reader.ifReadable { (reader) throws(JSONError) in try reader.string() }
  }

  /// The visible part, or nil for a silent notification that only wakes the application.
  var info: NotificationInfo? {
    var silent = NotificationInfo()
    silent.shouldSendContentAvailable = true
    return shown == silent || shown == NotificationInfo() ? nil : shown
  }
}
