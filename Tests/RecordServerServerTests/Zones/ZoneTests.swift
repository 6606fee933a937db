import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

@Suite struct `Zones` {
  private let cloud = Cloud()

  private func edit(
    _ client: Client, _ kind: String, _ zone: String, owner: String? = nil,
    in scope: DatabaseScope = .private
  )
    async throws -> Reply
  {
    try await client.ask(
      scope, .zonesModify,
      #"{"operations":[{"operationType":"\#(kind)","zone":{"zoneID":\#(Client.zoneID(zone, owner))}}]}"#
    )["zones"][0]
  }

  private func names(_ reply: Reply) -> [String] {
    reply["zones"].list.compactMap { $0["zoneID"]["zoneName"].text }
  }

  @Test func `Zones are created, listed, looked up and deleted`() async throws {
    let ada = try await cloud.user("_ada")
    #expect(names(try await ada.ask(.private, .zonesList, "")) == ["_defaultZone"])
    let created = try await edit(ada, "create", "Notes")
    #expect(created["zoneID"]["zoneType"].text == "REGULAR_CUSTOM_ZONE")
    #expect(created["zoneID"]["ownerRecordName"].text == "_ada")
    #expect(created["atomic"].flag == true)
    #expect(try await edit(ada, "create", "Notes")["syncToken"].text == created["syncToken"].text)
    let list = try await ada.ask(.private, .zonesList)
    #expect(names(list) == ["_defaultZone", "Notes"])
    #expect(list["zones"][0]["atomic"].flag == false)
    let found = try await ada.ask(
      .private, .zonesLookup,
      #"{"zones":[{"zoneName":"Notes"},{"zoneID":{"zoneName":"_defaultZone"}},{"zoneName":"x"}]}"#)
    #expect(names(found) == ["Notes", "_defaultZone", "x"])
    #expect(found["zones"][2]["serverErrorCode"].text == "ZONE_NOT_FOUND")
    #expect(try await edit(ada, "delete", "Notes")["deleted"].flag == true)
    #expect(try await edit(ada, "delete", "Notes")["serverErrorCode"].text == "ZONE_NOT_FOUND")
  }

  @Test func `Zones are deleted with their records`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await edit(ada, "create", "Notes")
    let file = #"{"value":\#(try await ada.upload("1"))}"#
    _ = try await ada.modify(
      zone: "Notes", ("create", #""recordName":"r","recordType":"T","fields":{"file":\#(file)}"#))
    _ = try await edit(ada, "delete", "Notes")
    _ = try await edit(ada, "create", "Notes")
    #expect(try await ada.lookUp(zone: "Notes", "r").records == ["r: NOT_FOUND"])
  }

  @Test(arguments: ["", "_mine", "naïve", String(repeating: "z", count: 256)])
  func `Invalid zone names are rejected`(name: String) async throws {
    let ada = try await cloud.user("_ada")
    #expect(try await edit(ada, "create", name)["serverErrorCode"].text == "BAD_REQUEST")
  }

  @Test func `The number of zones is limited`() async throws {
    var limits = ServiceLimits()
    limits.zonesPerDatabase = 2
    let ada = try await Cloud(limits: limits).user("_ada")
    #expect(try await edit(ada, "create", "A")["syncToken"].isThere)
    #expect(try await edit(ada, "create", "B")["syncToken"].isThere)
    #expect(try await edit(ada, "create", "C")["serverErrorCode"].text == "QUOTA_EXCEEDED")
    _ = try await edit(ada, "delete", "A")
    #expect(try await edit(ada, "create", "C")["syncToken"].isThere)
  }

  @Test func `Zones belong to their owners`() async throws {
    let ada = try await cloud.user("_ada")
    let bob = try await cloud.user("_bob")
    _ = try await edit(ada, "create", "Notes")
    #expect(
      try await edit(bob, "create", "Notes", owner: "_ada")["serverErrorCode"].text
        == "ZONE_NOT_FOUND")
    #expect(
      try await edit(bob, "delete", "Notes", owner: "_ada")["serverErrorCode"].text
        == "ZONE_NOT_FOUND")
    #expect(
      try await bob.lookUp(zone: "Notes", owner: "_ada", "r").records == ["r: ZONE_NOT_FOUND"])
    #expect(
      try await bob.lookUp(in: .shared, zone: "Notes", owner: "_ada", "r").records == [
        "r: ZONE_NOT_FOUND"
      ])
    #expect(
      try await edit(bob, "create", "New", owner: "_ada", in: .shared)["serverErrorCode"].text
        == "ACCESS_DENIED")
    #expect(
      try await edit(ada, "create", "Notes", in: .public)["serverErrorCode"].text == "ACCESS_DENIED"
    )
    #expect(
      try await edit(ada, "delete", "_defaultZone")["serverErrorCode"].text == "ACCESS_DENIED")
    // The user's own name and the default owner name mean the same.
    #expect(try await edit(ada, "create", "Notes", owner: "__defaultOwner__")["syncToken"].isThere)
  }

  @Test func `Creating a default zone stores nothing for another owner`() async throws {
    let engine = MemoryStorageEngine()
    let cloud = Cloud(engine: engine)
    let ada = try await cloud.user("_ada")
    let before = try await engine.read { try $0.entries(in: .all) }
    let refused = try await edit(ada, "create", "_defaultZone", owner: "_invented")
    #expect(refused["serverErrorCode"].text == "ZONE_NOT_FOUND", "\(refused)")
    let after = try await engine.read { try $0.entries(in: .all) }
    #expect(after == before)
    // The user's own default zone exists.
    for owner in [nil, "_ada", "__defaultOwner__"] as [String?] {
      let reply = try await edit(ada, "create", "_defaultZone", owner: owner)
      #expect(reply["zoneID"]["ownerRecordName"].text == "_ada", "\(reply)")
      #expect(!reply["serverErrorCode"].isThere, "\(reply)")
    }
  }

  @Test func `Zones of the two environments are separate`() async throws {
    let here = try await cloud.user("_ada")
    _ = try await edit(here, "create", "Notes")
    let there = try await cloud.user("_ada", environment: .production)
    #expect(names(try await there.ask(.private, .zonesList)) == ["_defaultZone"])
  }
}
