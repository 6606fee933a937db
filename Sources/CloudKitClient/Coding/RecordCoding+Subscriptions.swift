import CloudRecords
import CloudWire
import Foundation
import JSONCoding

/// Encodes and decodes subscriptions.
extension RecordCoding {
  func input(_ subscription: CKSubscription) throws -> SubscriptionInput {
    var input = SubscriptionInput()
    input.identifier = subscription.subscriptionID
    input.notification = subscription.notificationInfo.map { NotificationInfo($0) }
    switch subscription {
    case let query as CKQuerySubscription:
      input.type = "query"
      let asked = CKQuery(recordType: query.recordType ?? "", predicate: query.predicate)
      input.query = try self.input(asked, in: query.zoneID ?? .default)
      input.zone = query.zoneID.map { reference($0) }
      input.zoneWide = query.zoneID == nil
      input.firesOn = Self.events(query.querySubscriptionOptions)
      input.firesOnce = query.querySubscriptionOptions.contains(.firesOnce)
    case let zone as CKRecordZoneSubscription:
      input.type = "zone"
      input.zone = reference(zone.zoneID)
    default: input.type = "database"
    }
    return input
  }

  private static let eventOptions: [(CKQuerySubscription.Options, Subscription.Event)] = [
    (.firesOnRecordCreation, .create), (.firesOnRecordUpdate, .update),
    (.firesOnRecordDeletion, .delete),
  ]

  private static func events(_ options: CKQuerySubscription.Options) -> [Subscription.Event] {
    eventOptions.filter { options.contains($0.0) }.map(\.1)
  }

  /// Decodes a subscription; nil if no predicate can express its query.
  func subscription(_ subscription: Subscription) -> CKSubscription? {
    guard let known = bare(subscription) else { return nil }
    known.notificationInfo = subscription.notification.map { CKSubscription.NotificationInfo($0) }
    return known
  }

  private func bare(_ subscription: Subscription) -> CKSubscription? {
    switch subscription.kind {
    case .database: return CKDatabaseSubscription(received: subscription.identifier)
    case .zone(let zone):
      return CKRecordZoneSubscription(zoneID: zoneID(zone), received: subscription.identifier)
    case .query(let query, let zone):
      var options: CKQuerySubscription.Options = subscription.firesOnce ? .firesOnce : []
      for (option, event) in Self.eventOptions where subscription.firesOn.contains(event) {
        options.insert(option)
      }
      guard let predicate = predicate(of: query, in: zone.map { zoneID($0) } ?? .default) else {
        return nil
      }
      let known = CKQuerySubscription(
        recordType: query.recordType, predicate: predicate, received: subscription.identifier,
        options: options)
      known.zoneID = zone.map { zoneID($0) }
      return known
    }
  }

  private func predicate(of query: SubscriptionQuery, in zoneID: CKRecordZone.ID) -> NSPredicate? {
    guard let text = query.filters else { return NSPredicate(value: true) }
    guard
      let input = try? JSONReader.read(
        text, { (reader) throws(JSONError) in try QueryInput(from: &reader) })
    else {
      return nil
    }
    return QueryTranslation.predicate(of: input.filters, self, in: zoneID)
  }
}

extension NotificationInfo {
  fileprivate init(_ info: CKSubscription.NotificationInfo) {
    self.init()
    title = Text(
      info.title, localizationKey: info.titleLocalizationKey,
      arguments: info.titleLocalizationArgs ?? [])
    subtitle = Text(
      info.subtitle, localizationKey: info.subtitleLocalizationKey,
      arguments: info.subtitleLocalizationArgs ?? [])
    body = Text(
      info.alertBody, localizationKey: info.alertLocalizationKey,
      arguments: info.alertLocalizationArgs ?? [])
    alertActionLocalizationKey = info.alertActionLocalizationKey
    alertLaunchImage = info.alertLaunchImage
    soundName = info.soundName
    category = info.category
    shouldBadge = info.shouldBadge
    shouldSendContentAvailable = info.shouldSendContentAvailable
    shouldSendMutableContent = info.shouldSendMutableContent
    additionalFields = info.desiredKeys ?? []
    collapseField = info.collapseIDKey
  }
}

extension CKSubscriptionNotificationInfo {
  fileprivate convenience init(_ info: NotificationInfo) {
    self.init(
      alertBody: info.body.plain, alertLocalizationKey: info.body.localizationKey,
      alertLocalizationArgs: info.body.arguments, title: info.title.plain,
      titleLocalizationKey: info.title.localizationKey, titleLocalizationArgs: info.title.arguments,
      subtitle: info.subtitle.plain, subtitleLocalizationKey: info.subtitle.localizationKey,
      subtitleLocalizationArgs: info.subtitle.arguments,
      alertActionLocalizationKey: info.alertActionLocalizationKey,
      alertLaunchImage: info.alertLaunchImage,
      soundName: info.soundName, desiredKeys: info.additionalFields, shouldBadge: info.shouldBadge,
      shouldSendContentAvailable: info.shouldSendContentAvailable,
      shouldSendMutableContent: info.shouldSendMutableContent, category: info.category,
      collapseIDKey: info.collapseField)
  }
}
