import CloudRecords
import JSONCoding

extension JSONWriter {
  /// A subscription in requests.
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

  /// A subscription in responses.
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

  private mutating func notification(_ info: NotificationInfo) {
    beginObject()
    text("alertBody", ifPresent: info.alertBody)
    text("alertLocalizationKey", ifPresent: info.alertLocalizationKey)
    if !info.alertLocalizationArguments.isEmpty { texts("alertLocalizationArgs", info.alertLocalizationArguments) }
    text("alertActionLocalizationKey", ifPresent: info.alertActionLocalizationKey)
    text("alertLaunchImage", ifPresent: info.alertLaunchImage)
    text("soundName", ifPresent: info.soundName)
    text("category", ifPresent: info.category)
    bool("shouldBadge", info.shouldBadge)
    bool("shouldSendContentAvailable", info.shouldSendContentAvailable)
    if !info.additionalFields.isEmpty { texts("additionalFields", info.additionalFields) }
    endObject()
  }
}
