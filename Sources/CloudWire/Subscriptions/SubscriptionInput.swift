package import CloudRecords
import JSONCoding

/// A subscription as sent by a client.
package struct SubscriptionInput: Hashable, Sendable {
  package var identifier: String?
  /// `query`, `zone` or `database`, in upper or lower case.
  package var type: String?
  package var query: QueryInput?
  /// The query as received, for storage.
  package var queryText: [UInt8]?
  package var zone: ZoneReference?
  package var zoneWide: Bool?
  package var firesOn: [Subscription.Event]?
  package var firesOnce = false
  package var notification: NotificationInfo?

  package init() {}

  private enum Key: String, JSONKey {
    case subscriptionID, subscriptionType, query, zoneID, zoneWide, firesOn, firesOnce,
      notificationInfo
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .subscriptionID: identifier = try reader.optionalText()
      case .subscriptionType: type = try reader.optionalText()
      case .query: try takeQuery(&reader)
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .zoneWide: zoneWide = try reader.optionalBool()
      case .firesOn: firesOn = try Self.events(&reader)
      case .firesOnce: firesOnce = try reader.optionalBool() ?? false
      case .notificationInfo:
        notification = try reader.optional { (reader) throws(JSONError) in
          try NotificationInfo(from: &reader)
        }
      }
    }
  }

  private mutating func takeQuery(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.null() { return }
    let place = try reader.skipForLater()
    query = try reader.read(place) { (reader) throws(JSONError) in try QueryInput(from: &reader) }
    queryText = try reader.read(place) { (reader) throws(JSONError) in
      let bytes = try reader.rawValue()
      return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
  }

  private static func events(_ reader: inout JSONReader) throws(JSONError) -> [Subscription.Event]?
  {
    try reader.optional { (reader) throws(JSONError) in
      try reader.list(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
        let name = try reader.string()
        guard let event = Subscription.Event(name: name) else {
          throw reader.invalidValue("expected create, update or delete")
        }
        return event
      }
    }
  }
}

extension Subscription.Event {
  package var name: String {
    switch self {
    case .create: "create"
    case .update: "update"
    case .delete: "delete"
    }
  }

  package init?(name: String) {
    guard let event = Self.allCases.first(where: { $0.name == name.lowercased() }) else {
      return nil
    }
    self = event
  }
}

extension NotificationInfo {
  private enum Key: String, JSONKey {
    case alertBody, alertLocalizationKey, alertLocalizationArgs, alertActionLocalizationKey,
      alertLaunchImage
    case title, titleLocalizationKey, titleLocalizationArgs, subtitle, subtitleLocalizationKey,
      subtitleLocalizationArgs
    case soundName, category, shouldBadge, shouldSendContentAvailable, shouldSendMutableContent,
      additionalFields
    case collapseIDKey
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .alertBody: body.plain = try reader.optionalText()
      case .alertLocalizationKey: body.localizationKey = try reader.optionalText()
      case .alertLocalizationArgs: body.arguments = try reader.optionalTexts() ?? []
      case .title: title.plain = try reader.optionalText()
      case .titleLocalizationKey: title.localizationKey = try reader.optionalText()
      case .titleLocalizationArgs: title.arguments = try reader.optionalTexts() ?? []
      case .subtitle: subtitle.plain = try reader.optionalText()
      case .subtitleLocalizationKey: subtitle.localizationKey = try reader.optionalText()
      case .subtitleLocalizationArgs: subtitle.arguments = try reader.optionalTexts() ?? []
      case .alertActionLocalizationKey: alertActionLocalizationKey = try reader.optionalText()
      case .alertLaunchImage: alertLaunchImage = try reader.optionalText()
      case .soundName: soundName = try reader.optionalText()
      case .category: category = try reader.optionalText()
      case .shouldBadge: shouldBadge = try reader.optionalBool() ?? false
      case .shouldSendContentAvailable:
        shouldSendContentAvailable = try reader.optionalBool() ?? false
      case .shouldSendMutableContent: shouldSendMutableContent = try reader.optionalBool() ?? false
      case .additionalFields: additionalFields = try reader.optionalTexts() ?? []
      case .collapseIDKey: collapseField = try reader.optionalText()
      }
    }
  }
}
