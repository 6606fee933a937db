import CloudRecords
import JSONCoding

extension JSONWriter {
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
