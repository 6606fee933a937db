import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Participants who are removed, or whose zone is deleted.
@Suite struct `Participants whose share ends` {
  private let push = PushCloud()

  private static let invitation =
    #""participants":[{"userIdentity":{"userRecordName":"_bob"},"type":"USER","permission":"READ_WRITE","acceptanceStatus":"PENDING"}]"#
  private static let rootShare =
    #""recordName":"share","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},\#(invitation)"#
  private static let zoneShare =
    #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},\#(invitation)"#

  private struct Scene {
    var ada: Client
    var bob: Client
    /// Bob's device, which is notified of his shared database.
    var device: String
    var feed: String
  }

  /// Bob participates in Ada's zone by a share of the whole zone or of a record.
  private func scene(wholeZone: Bool) async throws -> Scene {
    let ada = try await push.cloud.user("_ada")
    let bob = try await push.cloud.user("_bob")
    try await ada.makeZone("Z")
    _ = try await ada.put("root", "Note", zone: "Z")
    let share = wholeZone ? Self.zoneShare : Self.rootShare
    let created = try await ada.modify(zone: "Z", ("create", share))["records"][0]
    let short = try #require(created["shortGUID"].text, "\(created)")
    let accepted = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    #expect(accepted["results"][0]["participantStatus"].text == "ACCEPTED", "\(accepted)")
    let device = try await bob.device("phone")
    _ = try await bob.subscribe(in: .shared, #""subscriptionID":"s","subscriptionType":"database""#)
    let feed = try #require(try await bob.databaseChanges(in: .shared)["syncToken"].text)
    _ = try await push.notifications(for: device)
    return Scene(ada: ada, bob: bob, device: device, feed: feed)
  }

  private func checkNotified(_ scene: Scene) async throws {
    let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")
    #expect(try await push.notifications(for: scene.device).map(\.content) == [.database(zone)])
    let moved = try await scene.bob.databaseChanges(in: .shared, since: scene.feed)["zones"]
    #expect(moved.list.count == 1 && moved[0]["deleted"].flag == true, "\(moved)")
    _ = try await scene.ada.put("more", "Note", zone: "Z")
    #expect(
      try await push.notifications(for: scene.device).isEmpty,
      "later changes are not visible to Bob")
  }

  @Test(arguments: [true, false]) func `Participants are notified when the owner removes them`(
    wholeZone: Bool
  )
    async throws
  {
    let scene = try await scene(wholeZone: wholeZone)
    let name = wholeZone ? "cloudkit.zoneshare" : "share"
    let removed = try await scene.ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"\#(name)","participants":[{"type":"OWNER"}]"#))
    #expect(removed["records"][0]["participants"].list.count == 1, "\(removed)")
    try await checkNotified(scene)
  }

  @Test(arguments: [true, false]) func `Participants are notified when the zone is deleted`(
    wholeZone: Bool
  )
    async throws
  {
    let scene = try await scene(wholeZone: wholeZone)
    _ = try await scene.ada.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    try await push.cloud.server.runMaintenance()
    try await scene.ada.makeZone("Z")
    try await checkNotified(scene)
  }

  @Test(arguments: [true, false]) func `Participants' other devices are notified when they leave`(
    wholeZone: Bool
  ) async throws {
    let scene = try await scene(wholeZone: wholeZone)
    _ = try await scene.bob.modify(
      in: .shared, zone: "Z", owner: "_ada",
      ("forceDelete", #""recordName":"\#(wholeZone ? "cloudkit.zoneshare" : "share")""#))
    try await checkNotified(scene)
  }

  /// Deleting the share's root, or the target of the root's reference, ends it as well.
  @Test(arguments: ["share", "root", "target"])
  func `Participants are notified although another share of the zone remains`(deleted: String)
    async throws
  {
    let scene = try await scene(wholeZone: false)
    _ = try await scene.ada.put("other", "Note", zone: "Z")
    let link = #""fields":{"to":{"value":{"recordName":"target","action":"DELETE_SELF"}}}"#
    _ = try await scene.ada.put("target", "Note", zone: "Z")
    _ = try await scene.ada.modify(zone: "Z", ("forceUpdate", #""recordName":"root",\#(link)"#))
    let share = Self.rootShare.replacing(#""share""#, with: #""share 2""#).replacing(
      #""root""#, with: #""other""#)
    let created = try await scene.ada.modify(zone: "Z", ("create", share))["records"][0]
    let short = try #require(created["shortGUID"].text, "\(created)")
    _ = try await scene.bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    _ = try await push.notifications(for: scene.device)
    let gone = try await scene.ada.modify(
      zone: "Z", ("forceDelete", #""recordName":"\#(deleted)""#))
    #expect(gone.records == ["\(deleted): deleted"])
    let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")
    #expect(try await push.notifications(for: scene.device).map(\.content) == [.database(zone)])
    let moved = try await scene.bob.databaseChanges(in: .shared, since: scene.feed)["zones"]
    #expect(moved.list.count == 1 && !moved[0]["deleted"].isThere, "\(moved)")
  }

  @Test func `Participants are notified once of a record that left their view`() async throws {
    let scene = try await scene(wholeZone: false)
    func save(_ parent: String, _ text: String) async throws -> [PushNotification.Content] {
      let reply = try await scene.ada.modify(
        zone: "Z",
        (
          "forceUpdate",
          #""recordName":"kid","recordType":"Note","fields":{"t":{"value":"\#(text)"}},"parent":\#(parent)"#
        ))
      #expect(reply.records[0].hasPrefix("kid@"), "\(reply)")
      return try await push.notifications(for: scene.device).map(\.content)
    }
    let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")
    #expect(try await save(#"{"recordName":"root"}"#, "a") == [.database(zone)])
    #expect(try await save("null", "b") == [.database(zone)])
    #expect(try await save("null", "c") == [])
    #expect(
      try await scene.ada.modify(zone: "Z", ("forceDelete", #""recordName":"kid""#)).records == [
        "kid: deleted"
      ])
    #expect(try await push.notifications(for: scene.device).isEmpty)
  }

  @Test func `Participants cannot return by the link of a deleted zone`() async throws {
    let scene = try await scene(wholeZone: false)
    let share = try await scene.ada.lookUp(zone: "Z", "share")["records"][0]
    let short = try #require(share["shortGUID"].text)
    _ = try await push.cloud.server.resetDevelopment(of: "iCloud.test")
    for _ in 0..<2 {
      let answer = try await scene.bob.ask(
        .public, .recordsResolve, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
      #expect(answer["results"][0]["serverErrorCode"].text == "NOT_FOUND", "\(answer)")
      try await push.cloud.server.runMaintenance()
    }
  }
}

@Suite struct `Inactive devices` {
  private let push = PushCloud()
  private static let day: Int64 = 86_400

  private func isNotified(_ ada: Client, _ device: String) async throws -> Bool {
    _ = try await ada.put("r", "Note")
    return try await !push.notifications(for: device).isEmpty
  }

  @Test func `Inactive devices are forgotten, and active ones are not`() async throws {
    let ada = try await push.cloud.user("_ada")
    _ = try await ada.put("r", "Note")
    _ = try await ada.subscribe(
      #""subscriptionID":"s","subscriptionType":"query","query":{"recordType":"Note"},"firesOn":["create","update"]"#
    )
    let phone = try await ada.device("phone")
    let old = try await ada.device("old")
    for _ in 0..<2 {
      push.cloud.pass(seconds: 100 * Self.day)
      #expect(try await ada.device("phone") == phone)
      try await push.cloud.server.runMaintenance()
    }
    #expect(try await isNotified(ada, phone))
    #expect(try await !isNotified(ada, old))
    _ = try await push.notifications(for: phone)
    push.cloud.pass(seconds: 181 * Self.day)
    try await push.cloud.server.runMaintenance()
    #expect(try await !isNotified(ada, phone))
  }
}
