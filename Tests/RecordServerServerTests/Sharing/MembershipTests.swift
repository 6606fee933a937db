import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// The stored current and ended memberships of users in other users' zones.
@Suite struct `Memberships` {
  private let engine = MemoryStorageEngine()
  private let cloud: Cloud

  init() {
    var limits = ServiceLimits()
    limits.zonesPerDatabase = 3
    cloud = Cloud(limits: limits, engine: engine)
  }

  /// Shares a new zone by its link, and lets a user join.
  private func share(_ zone: String, of owner: Client, with guest: Client) async throws {
    try await owner.makeZone(zone)
    let created = try await owner.modify(
      zone: zone,
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"publicPermission":"READ_ONLY""#
      ))
    let link = try #require(created["records"][0]["shortGUID"].text, "\(created)")
    let joined = try await guest.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)["results"][0]
    #expect(joined["participantStatus"].text == "ACCEPTED", "\(joined)")
  }

  private func delete(_ zone: String, of owner: Client) async throws {
    let body =
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#
    #expect(try await owner.ask(.private, .zonesModify, body)["zones"][0]["deleted"].flag == true)
  }

  /// The number of stored memberships of all users.
  private func count() async throws -> Int {
    try await engine.read { transaction in
      try transaction.entries(in: .all).count { entry in
        let end = entry.key.bytes.firstIndex(of: 0) ?? 0
        // The keyspace of shared zones.
        return entry.key.bytes[end + 1] == 8
      }
    }
  }

  @Test func `Leaving a zone forgets the participant's one-time link`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    try await ada.makeZone("Z")
    let share = try await ada.modify(
      zone: "Z",
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"#
          + #""participants":[{"isOneTimeURLParticipant":true,"permission":"READ_ONLY"}]"#
      ))["records"][0]
    let link = try #require(share["participants"][1]["oneTimeShortGUID"].text, "\(share)")
    let joined = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)["results"][0]
    #expect(joined["participantStatus"].text == "ACCEPTED", "\(joined)")
    #expect(try await keys(with: "_short:\(link)") == 1)
    let zone = Client.zoneID("Z", "_ada")
    let body = #"{"operations":[{"operationType":"delete","zone":{"zoneID":\#(zone)}}]}"#
    #expect(try await bob.ask(.shared, .zonesModify, body)["zones"][0]["deleted"].flag == true)
    #expect(try await keys(with: "_short:\(link)") == 0)
    #expect(try await keys(with: "_short:") == 1, "the share's own link stays")
  }

  @Test func `Leaving a zone changes its share`() async throws {
    let zone = try await SharedZone(cloud)
    let bob = try await cloud.user("_bob")
    let created = try await zone.modify(.shareZone(with: [("_bob", "READ_ONLY")]))["records"][0]
    try await zone.accept(try #require(created["shortGUID"].text), bob)
    cloud.pass(seconds: 60)
    let place = Client.zoneID(SharedZone.name, "_ada")
    let body = #"{"operations":[{"operationType":"delete","zone":{"zoneID":\#(place)}}]}"#
    #expect(try await bob.ask(.shared, .zonesModify, body)["zones"][0]["deleted"].flag == true)
    let left = try await zone.lookUp(["cloudkit.zoneshare"])["records"][0]
    #expect(left["participants"].list.count == 1)
    let before = try #require(created["modified"]["timestamp"].number)
    #expect(left["modified"]["timestamp"].number == before + 60_000)
  }

  /// The number of stored keys that contain a text.
  private func keys(with text: String) async throws -> Int {
    try await engine.read { transaction in
      try transaction.entries(in: .all).count {
        String(decoding: $0.key.bytes, as: UTF8.self).contains(text)
      }
    }
  }

  @Test
  func `A few ended memberships are remembered, and current ones are kept`() async throws {
    let (ada, eve, bob) = (
      try await cloud.user("_ada"), try await cloud.user("_eve"), try await cloud.user("_bob")
    )
    try await share("Kept", of: eve, with: bob)
    try await share("Z0", of: ada, with: bob)
    let early = try await bob.databaseChanges(in: .shared)["syncToken"].text
    try await delete("Z0", of: ada)
    for number in 1..<20 {
      try await share("Z\(number)", of: ada, with: bob)
      if number < 19 { try await delete("Z\(number)", of: ada) }
    }
    #expect(try await count() <= 7)
    let listed = try await bob.ask(.shared, .zonesList)["zones"].list.map {
      $0["zoneID"]["zoneName"].text
    }
    #expect(Set(listed) == ["Kept", "Z19"])
    // A client that knew a forgotten one starts over. Others read the end in their feed.
    let expired = try await bob.databaseChanges(in: .shared, since: early)
    #expect(expired["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED", "\(expired)")
    let late = try await bob.databaseChanges(in: .shared)["syncToken"].text
    try await delete("Z19", of: ada)
    let reported = try await bob.databaseChanges(in: .shared, since: late)["zones"].list
    #expect(reported.map { $0["deleted"].flag } == [true])
  }
}
