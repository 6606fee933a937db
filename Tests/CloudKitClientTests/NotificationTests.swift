import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudWire
import Foundation
import JSONCoding
import Testing

/// The client reads what the server sends.
@Suite struct NotificationTests {
  private let zone = RecordZoneIdentifier(zoneName: "Notes", ownerName: "_me")

  @Test func `A query's notification names the record and has the requested fields`() throws {
    let content = PushNotification.Content.query(
      RecordIdentifier(recordName: "n1", zone: zone), event: .update,
      fields: ["title": Field(.string("Milk")), "stars": Field(.int64(3))])
    let read = try #require(try received(content) as? CKQueryNotification)
    #expect(read.notificationType == .query && read.queryNotificationReason == .recordUpdated)
    #expect(
      read.recordID == CKRecord.ID(recordName: "n1", zoneID: CKRecordZone.ID(zoneName: "Notes")))
    #expect(
      read.recordFields?["title"] as? String == "Milk" && read.recordFields?["stars"] as? Int == 3)
    #expect(
      read.databaseScope == .private && read.subscriptionID == "s1"
        && read.containerIdentifier == "iCloud.x")
    #expect(read.subscriptionOwnerUserRecordID?.recordName == "_me" && !read.isPruned)
  }

  @Test(arguments: [
    (CloudRecords.Subscription.Event.create, CKQueryNotification.Reason.recordCreated),
    (.delete, .recordDeleted),
  ])
  func `A query's notification gives the reason`(
    _ event: CloudRecords.Subscription.Event, _ reason: CKQueryNotification.Reason
  ) throws {
    let read = try received(
      .query(RecordIdentifier(recordName: "n1", zone: zone), event: event, fields: [:]))
    #expect((read as? CKQueryNotification)?.queryNotificationReason == reason)
    #expect((read as? CKQueryNotification)?.recordFields == nil)
  }

  @Test func `A zone's notification names the zone`() throws {
    let read = try #require(try received(.zone(zone), .shared) as? CKRecordZoneNotification)
    #expect(read.recordZoneID?.zoneName == "Notes" && read.databaseScope == .shared)
    #expect(read.notificationType == .recordZone)
  }

  @Test(arguments: [
    ("_me", CKCurrentUserDefaultName), ("__defaultOwner__", CKCurrentUserDefaultName),
    ("_other", "_other"),
  ])
  func `A zone's owner has the name that programs use`(_ ownerName: String, _ name: String) throws {
    let read =
      try received(.zone(RecordZoneIdentifier(zoneName: "Notes", ownerName: ownerName)))
      as? CKRecordZoneNotification
    #expect(read?.recordZoneID == CKRecordZone.ID(zoneName: "Notes", ownerName: name))
  }

  @Test func `A database's notification names the database`() throws {
    let read = try #require(try received(.database(zone)) as? CKDatabaseNotification)
    #expect(read.databaseScope == .private && read.notificationType == .database)
  }

  @Test func `A notification has the content that its subscription requests`() throws {
    var info = NotificationInfo()
    info.body = NotificationInfo.Text("New", localizationKey: "new", arguments: ["a"])
    info.title = NotificationInfo.Text("Title", localizationKey: "title", arguments: ["b"])
    info.subtitle = NotificationInfo.Text("Second", localizationKey: "second", arguments: ["c"])
    info.alertActionLocalizationKey = "open"
    info.alertLaunchImage = "start"
    info.soundName = "bell"
    info.category = "notes"
    info.shouldBadge = true
    let read = try received(.database(zone), info: info)
    #expect(
      read.alertBody == "New" && read.alertLocalizationKey == "new" && read.soundName == "bell")
    #expect(
      read.alertActionLocalizationKey == "open" && read.alertLaunchImage == "start"
        && read.category == "notes")
    #expect(
      read.title == "Title" && read.titleLocalizationKey == "title"
        && read.titleLocalizationArgs == ["b"])
    #expect(read.subtitle == "Second" && read.subtitleLocalizationKey == "second")
    #expect(
      read.subtitleLocalizationArgs == ["c"] && read.alertLocalizationArgs == ["a"]
        && read.badge == 1)
    let silent = try received(.database(zone))
    #expect(
      silent.alertBody == nil && silent.title == nil && silent.subtitle == nil
        && silent.badge == nil)
  }

  @Test func `Titles may be localisation keys`() throws {
    let alert: [String: Any] = [
      "title-loc-key": "TITLE", "title-loc-args": ["one"], "subtitle-loc-key": "SECOND",
      "subtitle-loc-args": ["two"],
    ]
    let read = try #require(
      CKNotification(fromRemoteNotificationDictionary: [
        "aps": ["alert": alert], "ck": ["met": ["dbs": 1, "zid": "Notes"]],
      ]))
    #expect(read.titleLocalizationKey == "TITLE" && read.titleLocalizationArgs == ["one"])
    #expect(read.subtitleLocalizationKey == "SECOND" && read.subtitleLocalizationArgs == ["two"])
  }

  @Test func `A notification's identifier is stable and survives archiving`() throws {
    let (one, same) = (try received(.database(zone)), try received(.database(zone)))
    let name = try #require(one.notificationID)
    let data = try NSKeyedArchiver.archivedData(withRootObject: name, requiringSecureCoding: true)
    #expect(name == same.notificationID)
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKNotification.ID.self, from: data) == name)
  }

  @Test(arguments: ["{}", #"{"aps":{"alert":"x"}}"#, #"{"ck":5}"#, #"{"ck":{"cid":"x"}}"#])
  func `Another dictionary is not a notification`(_ text: String) throws {
    let dictionary =
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    #expect(CKNotification(fromRemoteNotificationDictionary: dictionary) == nil)
  }

  @Test func `A text alone is an alert, and invalid values are left out`() throws {
    let text = #"{"aps":{"alert":"Hello","badge":"x"},"ck":{"p":1,"met":{"dbs":9,"sid":7}}}"#
    let dictionary = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let read = try #require(
      CKNotification(fromRemoteNotificationDictionary: dictionary) as? CKDatabaseNotification)
    #expect(
      read.alertBody == "Hello" && read.badge == nil && read.isPruned && read.subscriptionID == nil)
    #expect(read.databaseScope == .private && read.notificationID == nil)
  }

  @Test(arguments: [
    "9223372036854775807", "-9223372036854775808", "1e300", "-1", "3", "\"1\"", "null",
  ])
  func `An unknown database number counts as the private database`(_ number: String) throws {
    let text = #"{"ck":{"met":{"dbs":\#(number),"sid":"s"}}}"#
    let dictionary = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let read =
      CKNotification(fromRemoteNotificationDictionary: dictionary) as? CKDatabaseNotification
    #expect(read?.databaseScope == .private)
  }

  @Test func `The initializer of an unrelated subclass returns nil`() throws {
    let text = #"{"ck":{"met":{"dbs":1,"sid":"s"}}}"#
    let dictionary = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(CKDatabaseNotification(fromRemoteNotificationDictionary: dictionary) != nil)
    #expect(CKQueryNotification(fromRemoteNotificationDictionary: dictionary) == nil)
  }

  private func received(
    _ content: PushNotification.Content, _ scope: DatabaseScope = .private,
    info: NotificationInfo? = nil
  ) throws -> CKNotification {
    let subscription = CloudRecords.Subscription(
      identifier: "s1", kind: .database, notification: info)
    let sent = PushNotification(
      identifier: "m1", container: "iCloud.x", userRecordName: "_me", scope: scope,
      subscription: subscription,
      content: content)
    var writer = JSONWriter()
    sent.write(to: &writer)
    let json = try JSONSerialization.jsonObject(with: Data(writer.array())) as? [String: Any]
    return try #require(CKNotification(fromRemoteNotificationDictionary: json ?? [:]))
  }
}
