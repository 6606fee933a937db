/// A subscription to changes, for which the server sends notifications.
package struct Subscription: Hashable, Sendable {
  /// The changes that a subscription watches.
  package enum Kind: Hashable, Sendable {
    /// Records that match a query, in one zone or in all.
    case query(SubscriptionQuery, zone: RecordZoneIdentifier?)
    /// A zone.
    case zone(RecordZoneIdentifier)
    /// All zones of a private or shared database.
    case database
  }

  /// A change of a record.
  ///
  /// The raw value is stored and appears in notifications.
  package enum Event: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case create = 1
    case update = 2
    case delete = 3

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  package var identifier: String
  package var kind: Kind
  /// For queries: the changes that trigger a notification.
  package var firesOn: Set<Event>
  /// Whether the server deletes the subscription after its first notification.
  package var firesOnce: Bool
  package var notification: NotificationInfo?

  package init(
    identifier: String, kind: Kind, firesOn: Set<Event> = [], firesOnce: Bool = false,
    notification: NotificationInfo? = nil
  ) {
    self.identifier = identifier
    self.kind = kind
    self.firesOn = firesOn
    self.firesOnce = firesOnce
    self.notification = notification
  }
}

/// The query of a subscription: a record type and the filters as the client sent them.
package struct SubscriptionQuery: Hashable, Sendable {
  package var recordType: String
  /// The query's JSON, which is parsed for each evaluation; nil if it matches every record of the
  /// type.
  package var filters: [UInt8]?

  package init(recordType: String, filters: [UInt8]? = nil) {
    self.recordType = recordType
    self.filters = filters
  }
}

/// The contents of a notification.
package struct NotificationInfo: Hashable, Sendable {
  /// A literal text, or the key of a localized one.
  package struct Text: Hashable, Sendable {
    package var plain: String?
    package var localizationKey: String?
    /// The arguments of the localized text: names of fields in a subscription, their values in a
    /// notification.
    package var arguments: [String] = []

    package init(_ plain: String? = nil, localizationKey: String? = nil, arguments: [String] = []) {
      self.plain = plain
      self.localizationKey = localizationKey
      self.arguments = arguments
    }

    /// Whether there is no text to show.
    package var isSilent: Bool { plain == nil && localizationKey == nil }
  }

  package var title = Text()
  package var subtitle = Text()
  package var body = Text()
  package var alertActionLocalizationKey: String?
  package var alertLaunchImage: String?
  package var soundName: String?
  package var category: String?
  package var shouldBadge = false
  package var shouldSendContentAvailable = false
  /// Whether the app may change the notification before it is shown.
  package var shouldSendMutableContent = false
  /// The fields whose values the notification carries.
  package var additionalFields: [String] = []
  /// A field whose value identifies the notification: a newer one replaces an older one with the
  /// same value.
  package var collapseField: String?

  package init() {}

  /// Whether there is no text to show at all.
  package var isSilent: Bool { title.isSilent && subtitle.isSilent && body.isSilent }

  /// The key paths of all texts.
  package static var texts: [any WritableKeyPath<NotificationInfo, Text> & Sendable] {
    [\.title, \.subtitle, \.body]
  }
}
