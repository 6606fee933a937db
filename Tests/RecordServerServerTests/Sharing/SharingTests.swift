import CloudRecords
import CloudWire
import RecordServer
import Testing

@Suite struct `Sharing` {
  private let cloud = Cloud()

  private func node(_ name: String, parent: String? = nil) -> (String, String) {
    let parent = parent.map { #","parent":{"recordName":"\#($0)"}"# } ?? ""
    return (
      "create",
      #""recordName":"\#(name)","recordType":"Node","fields":{"t":{"value":"\#(name)"}}\#(parent)"#
    )
  }

  private func update(_ name: String, _ text: String) -> (String, String) {
    ("forceUpdate", #""recordName":"\#(name)","fields":{"t":{"value":"\#(text)"}}"#)
  }

  private func gone(_ name: String) -> (String, String) {
    ("forceDelete", #""recordName":"\#(name)""#)
  }

  private func invite(_ users: [(String, String)]) -> String {
    let list = users.map {
      #"{"userIdentity":{"userRecordName":"\#($0.0)"},"type":"USER","permission":"\#($0.1)","acceptanceStatus":"PENDING"}"#
    }
    return #","participants":[\#(list.joined(separator: ","))]"#
  }

  private func share(of root: String, named name: String = "Share-1", _ more: String = "") -> (
    String, String
  ) {
    (
      "create",
      #""recordName":"\#(name)","recordType":"cloudkit.share","fields":{"cloudkit.title":{"value":"T"}},"forRecord":{"recordName":"\#(root)"}\#(more)"#
    )
  }

  private func zoneShare(_ more: String = "") -> (String, String) {
    (
      "create",
      #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{}\#(more)"#
    )
  }

  private func accept(_ client: Client, _ short: String?) async throws -> Reply {
    try await client.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short ?? "")"}]}"#)[
      "results"][0]
  }

  /// Ada's zone with a tree (root, leaf) and a record outside it.
  ///
  /// Bob is invited to the tree.
  private func tree(_ permission: String = "READ_WRITE") async throws -> (
    ada: Client, bob: Client, short: String
  ) {
    let ada = try await cloud.user("_ada")
    let bob = try await cloud.user("_bob")
    try await ada.makeZone("Z")
    _ = try await ada.modify(zone: "Z", node("root"), node("leaf", parent: "root"), node("other"))
    let reply = try await ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"root""#),
      share(of: "root", invite([("_bob", permission)])))
    let short = try #require(reply["records"][1]["shortGUID"].text, "\(reply)")
    #expect(reply["records"][0]["shortGUID"].text == short)
    #expect(reply["records"][0]["share"]["recordName"].text == "Share-1")
    return (ada, bob, short)
  }

  @Test func `A share shows its participants, and the root shows its share`() async throws {
    let (ada, _, _) = try await tree()
    let share = try await ada.lookUp(zone: "Z", "Share-1")["records"][0]
    #expect(share["publicPermission"].text == "NONE")
    #expect(
      share["participants"].list.map { $0["userIdentity"]["userRecordName"].text } == [
        "_ada", "_bob",
      ])
    #expect(share["participants"][1]["acceptanceStatus"].text == "INVITED")
    #expect(share["owner"]["type"].text == "OWNER")
    #expect(share["currentUserParticipant"]["userIdentity"]["userRecordName"].text == "_ada")
    #expect(share.field("cloudkit.title") == "T")
  }

  @Test func `A participant sees the tree after accepting and nothing else`() async throws {
    let (_, bob, short) = try await tree()
    #expect(
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "root").records == [
        "root: ZONE_NOT_FOUND"
      ])
    let metadata = try await bob.ask(
      .public, .recordsResolve,
      #"{"shortGUIDs":[{"value":"\#(short)","shouldFetchRootRecord":true}]}"#)["results"][0]
    #expect(metadata["rootRecordName"].text == "root")
    #expect(metadata["rootRecord"].field("t") == "root")
    #expect(metadata["participantStatus"].text == "INVITED")
    #expect(metadata["databaseScope"].text == "SHARED")
    #expect(metadata["zoneID"]["ownerRecordName"].text == "_ada")
    #expect(metadata["containerIdentifier"].text == "iCloud.test")
    #expect(try await bob.databaseChanges(in: .shared)["zones"].list.isEmpty)

    #expect(try await accept(bob, short)["participantStatus"].text == "ACCEPTED")
    let names = ["root", "leaf", "Share-1", "other"]
    let seen = try await bob.lookUp(
      in: .shared, zone: "Z", owner: "_ada", names[0], names[1], names[2], names[3])
    #expect(seen.records.map { $0.hasSuffix("NOT_FOUND") } == [false, false, false, true])
    #expect(seen["records"][2]["participants"].list.count == 2)
    let feed = try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0]
    #expect(
      Set(feed["records"].list.compactMap { $0["recordName"].text }) == ["root", "leaf", "Share-1"])
    #expect(
      try await bob.databaseChanges(in: .shared)["zones"][0]["zoneID"]["ownerRecordName"].text
        == "_ada")
    let zones = try await bob.ask(.shared, .zonesList)["zones"].list
    #expect(zones.compactMap { $0["zoneID"]["zoneName"].text } == ["Z"])
  }

  @Test func `A participant with write permission writes within the tree`() async throws {
    let (ada, bob, short) = try await tree()
    _ = try await accept(bob, short)
    func write(_ operation: (String, String)) async throws -> String {
      try await bob.modify(in: .shared, zone: "Z", owner: "_ada", operation).records[0]
    }
    #expect(try await write(update("leaf", "bob's")).hasPrefix("leaf@"))
    #expect(try await write(node("new", parent: "leaf")).hasPrefix("new@"))
    #expect(try await write(node("stray")) == "stray: ACCESS_DENIED")
    #expect(try await write(node("stray", parent: "other")) == "stray: ACCESS_DENIED")
    #expect(try await write(update("other", "x")) == "other: ACCESS_DENIED")
    // A record that Bob cannot see does not exist for him, and stays.
    #expect(try await write(gone("other")) == "other: deleted")
    #expect(
      try await write(("delete", #""recordName":"other","recordChangeTag":"1""#))
        == "other: NOT_FOUND")
    #expect(try await ada.lookUp(zone: "Z", "other").records[0].hasPrefix("other@"))
    #expect(try await write(node("other", parent: "root")) == "other: ACCESS_DENIED")
    #expect(try await write(gone("new")) == "new: deleted")
    #expect(try await write(gone("root")) != "root: deleted")
    let leaf = try await ada.lookUp(zone: "Z", "leaf")["records"][0]
    #expect(leaf["modified"]["userRecordName"].text == "_bob")
    #expect(leaf["created"]["userRecordName"].text == "_ada")
  }

  @Test func `A participant with read permission can only read`() async throws {
    let (_, bob, short) = try await tree("READ_ONLY")
    _ = try await accept(bob, short)
    for operation in [update("leaf", "x"), node("new", parent: "leaf"), gone("leaf")] {
      let reply = try await bob.modify(in: .shared, zone: "Z", owner: "_ada", operation)
      #expect(reply["records"][0]["serverErrorCode"].text == "ACCESS_DENIED")
    }
    let title = #""recordName":"Share-1","fields":{"cloudkit.title":{"value":"mine"}}"#
    let share = try await bob.modify(in: .shared, zone: "Z", owner: "_ada", ("forceUpdate", title))
    #expect(share.records == ["Share-1: ACCESS_DENIED"])
  }

  @Test func `Records that join the tree appear to participants, and those that leave disappear`()
    async throws
  {
    let (ada, bob, short) = try await tree()
    _ = try await accept(bob, short)
    let start = try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0][
      "syncToken"
    ].text
    let deep = try await ada.modify(zone: "Z", node("deep", parent: "other"))["records"][0]
    #expect(
      try await bob.changes(in: .shared, zone: "Z", owner: "_ada", since: start)["zones"][0].records
        == [])
    _ = try await ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"other","parent":{"recordName":"leaf"}"#))
    let entered = try await bob.changes(in: .shared, zone: "Z", owner: "_ada", since: start)[
      "zones"][0]
    #expect(Set(entered["records"].list.compactMap { $0["recordName"].text }) == ["other", "deep"])
    // Only the changed record has another tag.
    let shown = entered["records"].list.first { $0["recordName"].text == "deep" }
    #expect(deep["recordChangeTag"].isThere)
    #expect(shown?["recordChangeTag"].text == deep["recordChangeTag"].text, "\(entered)")
    _ = try await ada.modify(zone: "Z", ("forceUpdate", #""recordName":"other","parent":null"#))
    let left = try await bob.changes(
      in: .shared, zone: "Z", owner: "_ada", since: entered["syncToken"].text)["zones"][
        0]
    #expect(Set(left.records) == ["other: deleted", "deep: deleted"])
    #expect(
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "deep").records == [
        "deep: NOT_FOUND"
      ])
  }

  @Test func `A zone that is shared as a whole is visible as a whole`() async throws {
    let ada = try await cloud.user("_ada")
    let bob = try await cloud.user("_bob")
    try await ada.makeZone("Z")
    _ = try await ada.modify(zone: "Z", node("a"))
    let reply = try await ada.modify(zone: "Z", zoneShare(invite([("_bob", "READ_WRITE")])))
    _ = try await accept(bob, reply["records"][0]["shortGUID"].text)
    #expect(
      try await bob.modify(in: .shared, zone: "Z", owner: "_ada", node("b")).records == ["b@4"])
    let feed = try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0]
    #expect(
      Set(feed["records"].list.compactMap { $0["recordName"].text }) == [
        "a", "b", "cloudkit.zoneshare",
      ])
    // The zone refers to its share for both.
    for zones in [try await ada.ask(.private, .zonesList), try await bob.ask(.shared, .zonesList)] {
      let share = zones["zones"].list.first { $0["zoneID"]["zoneName"].text == "Z" }?["share"]
      #expect(
        share?["recordName"].text == "cloudkit.zoneshare"
          && share?["zoneID"]["ownerRecordName"].text == "_ada")
    }
    let mixed = try await ada.modify(zone: "Z", share(of: "a"))
    #expect(mixed["records"][0]["extensionErrorCode"].text == "ALREADY_SHARED")
  }

  @Test(arguments: [(3, 0), (0, 3), (1, 1)])
  func `Zones shared in one request have their own links and participants`(
    first: Int, second: Int
  ) async throws {
    let ada = try await cloud.user("_ada")
    var operations: [String] = []
    for (zone, count) in [("A", first), ("B", second)] {
      try await ada.makeZone(zone)
      let people = (0..<count).map { ("_guest\(zone)\($0)", "READ_ONLY") }
      let share = zoneShare(invite(people) + #","zoneID":{"zoneName":"\#(zone)"}"#)
      operations.append(#"{"operationType":"\#(share.0)","record":{\#(share.1)}}"#)
    }
    let reply = try await ada.ask(
      .private, .recordsModify,
      #"{"operations":[\#(operations.joined(separator: ","))],"atomic":true}"#)
    let shares = reply["records"].list
    #expect(shares.map { $0["participants"].list.count } == [first + 1, second + 1], "\(reply)")
    #expect(Set(shares.compactMap { $0["shortGUID"].text }).count == 2)
    let people = shares.flatMap { $0["participants"].list.compactMap { $0["participantId"].text } }
    #expect(Set(people).count == people.count && people.count == first + second + 2)
  }

  @Test func `A record belongs to one share`() async throws {
    let (ada, _, _) = try await tree()
    for root in ["root", "leaf"] {
      let again = try await ada.modify(zone: "Z", share(of: root, named: "Share-2"))
      #expect(again["records"][0]["extensionErrorCode"].text == "ALREADY_SHARED")
    }
    #expect(
      try await ada.modify(zone: "Z", zoneShare())["records"][0]["extensionErrorCode"].text
        == "ALREADY_SHARED")
    let missing = try await ada.modify(zone: "Z", share(of: "nothing", named: "Share-3"))
    #expect(missing.records == ["Share-3: NOT_FOUND"])
    #expect(try await ada.modify(share(of: "x", named: "S")).records == ["S: ACCESS_DENIED"])
  }

  @Test func `Ending a share removes all participants and keeps the owner's data`() async throws {
    let (ada, bob, short) = try await tree()
    _ = try await accept(bob, short)
    let token = try await bob.databaseChanges(in: .shared)["syncToken"].text
    #expect(try await ada.modify(zone: "Z", gone("Share-1")).records == ["Share-1: deleted"])
    #expect(
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "root").records == [
        "root: ZONE_NOT_FOUND"
      ])
    let zones = try await bob.databaseChanges(in: .shared, since: token)["zones"]
    #expect(zones[0]["deleted"].flag == true)
    let root = try await ada.lookUp(zone: "Z", "root")["records"][0]
    #expect(root["share"].isThere == false)
    #expect(try await accept(bob, short)["serverErrorCode"].text == "NOT_FOUND")
    // The record can be shared again, and has the same link then.
    let restarted = try await ada.modify(zone: "Z", share(of: "root", named: "Share-2"))["records"][
      0]
    #expect(restarted["shortGUID"].text == short, "\(restarted)")
  }

  @Test func `A participant can leave, and return only by invitation`() async throws {
    let (ada, bob, short) = try await tree()
    _ = try await accept(bob, short)
    let token = try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0][
      "syncToken"
    ].text
    let left = try await bob.modify(in: .shared, zone: "Z", owner: "_ada", gone("Share-1"))
    #expect(left.records == ["Share-1: deleted"], "\(left)")
    #expect(
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "root").records == [
        "root: ZONE_NOT_FOUND"
      ])
    #expect(try await ada.lookUp(zone: "Z", "root").records[0].hasPrefix("root@"))
    #expect(
      try await ada.lookUp(zone: "Z", "Share-1")["records"][0]["participants"].list.count == 1)
    #expect(try await accept(bob, short)["serverErrorCode"].text == "NOT_FOUND")
    let list = #""recordName":"Share-1"\#(invite([("_ada", "READ_WRITE"), ("_bob", "READ_ONLY")]))"#
    _ = try await ada.modify(zone: "Z", ("forceUpdate", list))
    #expect(try await accept(bob, short)["participantPermission"].text == "READ_ONLY")
    // The token of the former participation has expired, so Bob starts over.
    _ = try await ada.modify(zone: "Z", gone("leaf"))
    let since = try await bob.changes(in: .shared, zone: "Z", owner: "_ada", since: token)["zones"][
      0]
    #expect(since["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED", "\(since)")
    let restarted = try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0]
    #expect(
      Set(restarted["records"].list.compactMap { $0["recordName"].text }) == ["root", "Share-1"],
      "\(restarted)")
  }

  @Test func `An administrator sends a share back unchanged except for its participants`()
    async throws
  {
    let (ada, bob, short) = try await tree()
    let role =
      #""recordName":"Share-1","participants":[{"userIdentity":{"userRecordName":"_ada"},"type":"OWNER"},"#
    func people(_ more: String) -> String {
      role
        + #"{"userIdentity":{"userRecordName":"_bob"},"type":"ADMINISTRATOR","permission":"READ_WRITE"}\#(more)]"#
    }
    _ = try await ada.modify(zone: "Z", ("forceUpdate", people("")))
    _ = try await accept(bob, short)
    func save(_ members: String, _ title: String) async throws -> String {
      let fields = #","fields":{"cloudkit.title":{"value":"\#(title)","type":"STRING"}}"#
      return try await bob.modify(
        in: .shared, zone: "Z", owner: "_ada", ("forceUpdate", members + fields)
      ).records[0]
    }
    #expect(try await save(people(""), "T").hasPrefix("Share-1@"))
    let carol =
      #",{"userIdentity":{"userRecordName":"_carol"},"type":"USER","permission":"READ_ONLY"}"#
    #expect(try await save(people(carol), "T").hasPrefix("Share-1@"))
    #expect(
      try await ada.lookUp(zone: "Z", "Share-1")["records"][0]["participants"].list.count == 3)
    #expect(try await save(people(carol), "Another title") == "Share-1: ACCESS_DENIED")
    let plain = people("").replacing("ADMINISTRATOR", with: "USER")
    _ = try await ada.modify(zone: "Z", ("forceUpdate", plain))
    #expect(try await save(plain, "T") == "Share-1: ACCESS_DENIED")
  }

  @Test func `Any user with the link can join an open share`() async throws {
    let ada = try await cloud.user("_ada")
    let bob = try await cloud.user("_bob")
    try await ada.makeZone("Z")
    _ = try await ada.modify(zone: "Z", node("root"))
    let created = try await ada.modify(
      zone: "Z", share(of: "root", #","publicPermission":"READ_ONLY""#))
    let short = created["records"][0]["shortGUID"].text
    #expect(try await accept(bob, short)["participantType"].text == "PUBLIC_USER")
    #expect(
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "root").records[0].hasPrefix(
        "root@"))
    #expect(try await accept(bob, "0000")["serverErrorCode"].text == "NOT_FOUND")
    let anonymous = try await cloud.client(.anonymous)
    #expect(
      try await anonymous.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"x"}]}"#).status
        == 421)
    _ = try await ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"Share-1","publicPermission":"NONE""#))
    #expect(
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "root").records == [
        "root: ZONE_NOT_FOUND"
      ])
  }

  @Test func `Deleting the root ends its share`() async throws {
    let (ada, bob, short) = try await tree()
    _ = try await accept(bob, short)
    #expect(
      try await ada.modify(zone: "Z", gone("root"), gone("leaf")).records == [
        "root: deleted", "leaf: deleted",
      ])
    #expect(
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "leaf").records == [
        "leaf: ZONE_NOT_FOUND"
      ])
    #expect(try await ada.lookUp(zone: "Z", "Share-1").records == ["Share-1: NOT_FOUND"])
    #expect(
      try await ada.modify(zone: "Z", zoneShare()).records[0].hasPrefix("cloudkit.zoneshare@"))
  }

  @Test func `The link of an ended share does not open another share of its name`() async throws {
    let ada = try await cloud.user("_ada")
    let bob = try await cloud.user("_bob")
    try await ada.makeZone("Z")
    _ = try await ada.modify(zone: "Z", node("a"), node("b"))
    let open = #","publicPermission":"READ_ONLY""#
    for (first, second) in [
      (zoneShare(open), zoneShare(open)), (share(of: "a", open), share(of: "b", open)),
    ] {
      let former = try await ada.modify(zone: "Z", first)["records"][0]
      let name = try #require(former["recordName"].text)
      _ = try await ada.modify(zone: "Z", gone(name))
      let later = try await ada.modify(zone: "Z", second)["records"][0]
      #expect(later["shortGUID"].text != former["shortGUID"].text)
      let link = former["shortGUID"].text ?? ""
      let seen = try await bob.ask(
        .public, .recordsResolve, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)["results"][0]
      #expect(seen["serverErrorCode"].text == "NOT_FOUND", "\(seen)")
      #expect(try await accept(bob, link)["serverErrorCode"].text == "NOT_FOUND")
      #expect(
        try await accept(bob, later["shortGUID"].text)["participantStatus"].text == "ACCEPTED")
      _ = try await ada.modify(zone: "Z", gone(name))
    }
  }

  @Test func `Records of participants do not prevent the end of a share`() async throws {
    let zone = try await SharedZone(cloud)
    let bob = try await cloud.user("_bob")
    try await zone.modify(.save("root"))
    try await zone.share("S", of: "root", with: [(bob, "READ_WRITE")])
    let below = try await zone.modify(by: bob, .save("kid", under: .record("S")))
    #expect(below.records == ["kid: BAD_REQUEST"])
    for action in ["VALIDATE", "DELETE_SELF"] {
      let link = SharedZoneOperation.Link(to: "S", action)
      let tied = try await zone.modify(by: bob, .save("kid", under: .record("root"), link))
      #expect(tied.records == ["kid: VALIDATING_REFERENCE_ERROR"])
    }
    #expect(try await zone.modify(.delete("S")).records == ["S: deleted"])

    let whole = try await zone.modify(.shareZone(with: [("_bob", "READ_WRITE")]))
    try await zone.accept(try #require(whole["records"][0]["shortGUID"].text), bob)
    let link = SharedZoneOperation.Link(to: "cloudkit.zoneshare", "DELETE_SELF")
    let saved = try await zone.modify(
      by: bob, .save("tied", link), .save("leaf", link), .save("kid", under: .record("tied")))
    #expect(saved["records"].list.allSatisfy { !$0["serverErrorCode"].isThere }, "\(saved)")
    let ended = try await zone.modify(.delete("cloudkit.zoneshare"))
    #expect(ended.records == ["cloudkit.zoneshare: deleted"])
    #expect(try await zone.lookUp("leaf") == ["leaf: NOT_FOUND"])
    #expect(try await zone.lookUp("tied", "kid").allSatisfy { !$0.contains(": ") })
  }
}
