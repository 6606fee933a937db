import CloudRecords
import JSONCoding

extension JSONWriter {
  /// Writes a subscription in requests.
  mutating func subscription(_ subscription: SubscriptionInput) {
    beginObject()
    text("subscriptionID", ifPresent: subscription.identifier)
    text("subscriptionType", ifPresent: subscription.type)
    if let query = subscription.query {
      key("query")
      self.query(query)
    }
    zone("zoneID", ifPresent: subscription.zone)
    if let zoneWide = subscription.zoneWide { bool("zoneWide", zoneWide) }
    texts("firesOn", ifPresent: subscription.firesOn?.map(\.name))
    if subscription.firesOnce { bool("firesOnce", true) }
    if let info = subscription.notification {
      key("notificationInfo")
      notification(info)
    }
    endObject()
  }

  /// Writes a subscription in responses.
  mutating func subscription(_ subscription: Subscription) {
    beginObject()
    text("subscriptionID", subscription.identifier)
    switch subscription.kind {
    case .query(let query, let zone):
      text("subscriptionType", "query")
      key("query")
      self.query(query)
      if let zone {
        key("zoneID")
        self.zone(zone)
      }
      bool("zoneWide", zone == nil)
      texts("firesOn", subscription.firesOn.sorted().map(\.name))
      bool("firesOnce", subscription.firesOnce)
    case .zone(let zone):
      text("subscriptionType", "zone")
      key("zoneID")
      self.zone(zone)
    case .database: text("subscriptionType", "database")
    }
    if let info = subscription.notification {
      key("notificationInfo")
      notification(info)
    }
    endObject()
  }

  private mutating func query(_ query: SubscriptionQuery) {
    if let filters = query.filters {
      raw(filters.span)
    } else {
      beginObject()
      text("recordType", query.recordType)
      endObject()
    }
  }

  /// Writes the notification settings.
  ///
  /// Titles, mutable content and collapse identifiers are additions of Parhelion, so they are sent
  /// only if a program sets them.
  private mutating func notification(_ info: NotificationInfo) {
    beginObject()
    shown(info.body, "alertBody", "alertLocalizationKey", "alertLocalizationArgs")
    shown(info.title, "title", "titleLocalizationKey", "titleLocalizationArgs")
    shown(info.subtitle, "subtitle", "subtitleLocalizationKey", "subtitleLocalizationArgs")
    text("alertActionLocalizationKey", ifPresent: info.alertActionLocalizationKey)
    text("alertLaunchImage", ifPresent: info.alertLaunchImage)
    text("soundName", ifPresent: info.soundName)
    text("category", ifPresent: info.category)
    bool("shouldBadge", info.shouldBadge)
    bool("shouldSendContentAvailable", info.shouldSendContentAvailable)
    if info.shouldSendMutableContent { bool("shouldSendMutableContent", true) }
    if !info.additionalFields.isEmpty { texts("additionalFields", info.additionalFields) }
    text("collapseIDKey", ifPresent: info.collapseField)
    endObject()
  }

  /// Writes one of the texts with its keys.
  mutating func shown(
    _ shown: NotificationInfo.Text, _ plain: StaticString, _ key: StaticString,
    _ arguments: StaticString
  ) {
    text(plain, ifPresent: shown.plain)
    text(key, ifPresent: shown.localizationKey)
    if !shown.arguments.isEmpty { texts(arguments, shown.arguments) }
  }
}
