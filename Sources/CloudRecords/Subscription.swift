/// What a client wants to hear of.
package struct Subscription: Hashable, Sendable {
  /// What a subscription listens to.
  package enum Kind: Hashable, Sendable {
    /// Records that a query describes, in one zone or in all.
    case query(SubscriptionQuery, zone: RecordZoneIdentifier?)
    /// A zone.
    case zone(RecordZoneIdentifier)
    /// All zones of a private or shared database.
    case database
  }

  /// What happens to a record.
  ///
  /// The raw value is part of stored forms and of notifications.
  package enum Event: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case create = 1
    case update = 2
    case delete = 3

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  package var identifier: String
  package var kind: Kind
  /// For queries: what must happen to a record.
  package var firesOn: Set<Event>
  /// The subscription goes once it has fired.
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

/// The query of a subscription: a type, and filters as the client wrote them.
package struct SubscriptionQuery: Hashable, Sendable {
  package var recordType: String
  /// The query's JSON, which is read again when it is asked; nil where every record of the type
  /// counts.
  package var filters: [UInt8]?

  package init(recordType: String, filters: [UInt8]? = nil) {
    self.recordType = recordType
    self.filters = filters
  }
}

/// What a notification shows.
package struct NotificationInfo: Hashable, Sendable {
  /// A text as it is, or its name among the program's translations.
  package struct Text: Hashable, Sendable {
    package var plain: String?
    package var localizationKey: String?
    /// What takes the places in the translation: names of fields in a subscription, and what these
    /// hold in a notification.
    package var arguments: [String] = []

    package init(_ plain: String? = nil, localizationKey: String? = nil, arguments: [String] = []) {
      self.plain = plain
      self.localizationKey = localizationKey
      self.arguments = arguments
    }

    /// It says nothing, whatever would take places in it.
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
  /// The program may change what is shown.
  package var shouldSendMutableContent = false
  /// Fields of the record whose values the notification carries.
  package var additionalFields: [String] = []
  /// A field: of notifications that hold the same in it, the last one is shown.
  package var collapseField: String?

  package init() {}

  /// No text is shown.
  package var isSilent: Bool { title.isSilent && subtitle.isSilent && body.isSilent }

  /// Where its texts are.
  package static var texts: [any WritableKeyPath<NotificationInfo, Text> & Sendable] {
    [\.title, \.subtitle, \.body]
  }
}
