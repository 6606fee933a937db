import CloudKitClient
import Foundation
import Testing

@Suite struct SubscriptionTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  @Test func `A subscription knows what it observes`() {
    let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "z")
    let database = CKDatabaseSubscription(subscriptionID: "d")
    #expect(
      zone.subscriptionID == "z" && zone.subscriptionType == .recordZone && zone.zoneID == zoneID)
    #expect(database.subscriptionID == "d" && database.subscriptionType == .database)
    #expect(zone.recordType == nil && database.recordType == nil && zone.notificationInfo == nil)
    #expect(CKDatabaseSubscription().subscriptionID != CKDatabaseSubscription().subscriptionID)
    #expect(CKSubscription.SubscriptionType.query.rawValue == 1)
  }

  @Test func `Notification content is copied when it is set`() {
    let subscription = CKDatabaseSubscription()
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    info.alertBody = "Later"
    #expect(subscription.notificationInfo?.alertBody == nil)
    #expect(subscription.notificationInfo?.shouldSendContentAvailable == true)
    subscription.notificationInfo?.alertBody = "Now"
    #expect(subscription.notificationInfo?.alertBody == "Now")
  }

  @Test func `Notification content can be set at once or one by one`() {
    let info = CKSubscription.NotificationInfo(
      alertBody: "a", alertLocalizationKey: "b", alertLocalizationArgs: ["c"], title: "d",
      titleLocalizationKey: "e",
      titleLocalizationArgs: ["f"], subtitle: "g", subtitleLocalizationKey: "h",
      subtitleLocalizationArgs: ["i"],
      alertActionLocalizationKey: "j", alertLaunchImage: "k", soundName: "l", desiredKeys: ["m"],
      shouldBadge: true,
      shouldSendContentAvailable: true, shouldSendMutableContent: true, category: "n",
      collapseIDKey: "o")
    let other = CKSubscription.NotificationInfo()
    #expect(
      other.alertBody == nil && other.desiredKeys == nil && !other.shouldBadge && other != info)
    other.alertBody = info.alertBody
    other.alertLocalizationKey = info.alertLocalizationKey
    other.alertLocalizationArgs = info.alertLocalizationArgs
    other.title = info.title
    other.titleLocalizationKey = info.titleLocalizationKey
    other.titleLocalizationArgs = info.titleLocalizationArgs
    other.subtitle = info.subtitle
    other.subtitleLocalizationKey = info.subtitleLocalizationKey
    other.subtitleLocalizationArgs = info.subtitleLocalizationArgs
    other.alertActionLocalizationKey = info.alertActionLocalizationKey
    other.alertLaunchImage = info.alertLaunchImage
    other.soundName = info.soundName
    other.desiredKeys = info.desiredKeys
    other.shouldBadge = info.shouldBadge
    other.shouldSendContentAvailable = info.shouldSendContentAvailable
    other.shouldSendMutableContent = info.shouldSendMutableContent
    other.category = info.category
    other.collapseIDKey = info.collapseIDKey
    #expect(other == info && other.hash == info.hash)
    #expect(
      [info.alertBody, info.title, info.subtitle, info.soundName, info.category] == [
        "a", "d", "g", "l", "n",
      ])
    #expect(info.copy() as? CKSubscription.NotificationInfo == info)
  }

  @Test func `Subscriptions survive archiving`() throws {
    let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "z")
    zone.recordType = "Note"
    zone.notificationInfo = CKSubscription.NotificationInfo(
      alertBody: "New", desiredKeys: ["title"])
    let read = try archived(zone)
    #expect(read.subscriptionID == "z" && read.zoneID == zoneID && read.recordType == "Note")
    #expect(read.notificationInfo == zone.notificationInfo && read.subscriptionType == .recordZone)
    let database = CKDatabaseSubscription(subscriptionID: "d")
    database.recordType = "Note"
    #expect(try archived(database).recordType == "Note")
  }

  @Test func `A copy is equal and changes independently`() throws {
    let zone = CKRecordZoneSubscription(zoneID: zoneID)
    zone.recordType = "Note"
    zone.notificationInfo = CKSubscription.NotificationInfo(alertBody: "New")
    let copy = try #require(zone.copy() as? CKRecordZoneSubscription)
    copy.notificationInfo?.alertBody = "Other"
    #expect(copy.subscriptionID == zone.subscriptionID && copy.recordType == "Note")
    #expect(zone.notificationInfo?.alertBody == "New")
    let database = CKDatabaseSubscription()
    database.recordType = "Note"
    #expect((database.copy() as? CKDatabaseSubscription)?.recordType == "Note")
  }

  @Test func `An invalid subscription name stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = CKDatabaseSubscription(subscriptionID: "") }
  }

  @Test func `Equal tokens are the same position and can be archived`() throws {
    let token = CKServerChangeToken("AAE=")
    #expect(try archived(token) == token && token != CKServerChangeToken("AAI="))
    #expect(token.hash == CKServerChangeToken("AAE=").hash)
  }

  private func archived<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }
}
