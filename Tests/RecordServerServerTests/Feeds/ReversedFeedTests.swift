import CloudRecords
import CloudWire
import RecordServer
import TestSupport
import Testing

@Suite struct `Reversed zone feeds` {
  private let cloud = Cloud()

  private func note(_ name: String, _ text: String = "", parent: String? = nil) -> (String, String)
  {
    let parent = parent.map { #","parent":{"recordName":"\#($0)"}"# } ?? ""
    return (
      "forceUpdate",
      #""recordName":"\#(name)","recordType":"Note"\#(parent),"fields":{"text":{"value":"\#(text)"}}"#
    )
  }

  private func gone(_ name: String) -> (String, String) {
    ("forceDelete", #""recordName":"\#(name)""#)
  }

  private func client() async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    return ada
  }

  private func older(_ client: Client, since token: String? = nil, limit: Int? = nil) async throws
    -> Reply
  {
    try await client.changes(zone: "Z", since: token, limit: limit, reverse: true)["zones"][0]
  }

  @Test func `Each record appears once, the last change first`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"), note("b"), note("c"))
    _ = try await ada.modify(zone: "Z", note("a", "again"), gone("b"))
    let page = try await older(ada)
    #expect(page.records == ["a@4", "c@3"])
    #expect(page["moreComing"].flag == false)
    #expect(page["records"][0].field("text") == "again")
  }

  @Test(arguments: 1...5) func `A feed has pages of the requested size`(limit: Int) async throws {
    let ada = try await client()
    for name in ["a", "b", "c", "d"] { _ = try await ada.modify(zone: "Z", note(name)) }
    var (seen, pages): ([String], Int) = ([], 0)
    var token: String?
    while true {
      let page = try await older(ada, since: token, limit: limit)
      seen += page.records
      token = page["syncToken"].text
      pages += 1
      if page["moreComing"].flag == false { break }
      try #require(pages < 10)
    }
    #expect(seen == ["d@4", "c@3", "b@2", "a@1"])
    #expect(pages == (4 + limit - 1) / limit)
  }

  @Test func `Changes during a listing are reported after its end, earlier deletions never`()
    async throws
  {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"), note("b"), note("c"))
    _ = try await ada.modify(zone: "Z", gone("c"))
    let first = try await older(ada, limit: 1)
    #expect(first.records == ["b@2"])
    // Changes during a reversed listing are newer than its start, so they are reported after its
    // end.
    _ = try await ada.modify(zone: "Z", note("a", "new"), gone("b"), note("d"))
    let second = try await older(ada, since: first["syncToken"].text, limit: 1)
    #expect(second.records == [])
    #expect(second["moreComing"].flag == false)
    let third = try await older(ada, since: second["syncToken"].text)
    #expect(third.records == ["d@7", "b: deleted", "a@5"])
    #expect(try await older(ada, since: third["syncToken"].text).records == [])
  }

  @Test func `Tokens of the other direction are rejected with a reason`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"), note("b"))
    let forward = try #require(
      try await ada.changes(zone: "Z", limit: 1)["zones"][0]["syncToken"].text)
    let reversed = try #require(try await older(ada, limit: 1)["syncToken"].text)
    let wrong = [
      try await older(ada, since: forward),
      try await ada.changes(zone: "Z", since: reversed)["zones"][0],
      try await ada.changes(zone: "Z", since: reversed, reverse: false)["zones"][0],
    ]
    for reply in wrong {
      #expect(reply["serverErrorCode"].text == "BAD_REQUEST")
      #expect(reply["reason"].text?.contains("reverse") == true, "\(reply)")
      #expect(!reply["extensionErrorCode"].isThere)
    }
  }

  @Test func `A feed of a deleted or recreated zone cannot continue`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"))
    let token = try await older(ada)["syncToken"].text
    let delete = #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}]}"#
    #expect(try await ada.ask(.private, .zonesModify, delete)["zones"][0]["deleted"].flag == true)
    let missing = try await older(ada, since: token)
    let forward = try await ada.changes(zone: "Z", since: token)["zones"][0]
    #expect(
      missing["serverErrorCode"].text == "ZONE_NOT_FOUND" && missing["extensionErrorCode"].isThere)
    #expect(forward["serverErrorCode"].text == "ZONE_NOT_FOUND")
    try await ada.makeZone("Z")
    #expect(try await older(ada, since: token)["extensionErrorCode"].text == "ZONE_RECREATED")
  }

  @Test func `The older endpoint supports reversed feeds and says so`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"), note("b"))
    let zone = #""zoneID":{"zoneName":"Z"}"#
    let page = try await ada.ask(
      .private, .recordsChanges, #"{\#(zone),"reverse":true,"resultsLimit":1}"#)
    #expect(
      page.records == ["b@2"] && page["reverse"].flag == true && page["moreComing"].flag == true,
      "\(page)")
    let forward = try await ada.ask(.private, .recordsChanges, #"{\#(zone),"reverse":false}"#)
    #expect(forward.records == ["a@1", "b@2"] && forward["reverse"].flag == false)
    #expect(try await ada.ask(.private, .recordsChanges, "{\(zone)}")["reverse"].isThere == false)
    // One option may apply to all zones.
    let all = try await ada.ask(.private, .changesZone, #"{"reverse":true,"zones":[{\#(zone)}]}"#)[
      "zones"][0]
    #expect(all.records == ["b@2", "a@1"] && !all["reverse"].isThere)
  }

  @Test func `A participant sees visible records and those that became invisible`() async throws {
    let ada = try await client()
    let bob = try await cloud.user("_bob")
    _ = try await ada.modify(zone: "Z", note("other"), note("root"))
    let share =
      #""recordName":"Share-1","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},"publicPermission":"READ_ONLY""#
    let created = try await ada.modify(zone: "Z", note("root"), ("create", share))
    let link = try #require(created["records"][1]["shortGUID"].text, "\(created)")
    _ = try await ada.modify(zone: "Z", note("child", parent: "root"), note("hidden"))
    let joined = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)
    try #require(!joined["results"][0]["serverErrorCode"].isThere, "\(joined)")
    func page(_ token: String? = nil) async throws -> Reply {
      try await bob.changes(in: .shared, zone: "Z", owner: "_ada", since: token, reverse: true)[
        "zones"][0]
    }
    let first = try await page()
    let names = first["records"].list.compactMap { $0["recordName"].text }
    #expect(
      names.filter { ["other", "hidden", "child", "root"].contains($0) } == ["child", "root"],
      "\(first)")
    _ = try await ada.modify(zone: "Z", gone("child"), gone("hidden"), note("late"))
    #expect(try await page(first["syncToken"].text).records == ["child: deleted"])
  }

  /// Readers of both directions that read at any time, with pages of any size, reach the same
  /// current state.
  @Test func `Every replica reaches the same state as with forward feeds`() async throws {
    var random = SeededGenerator.forTest()
    let ada = try await client()
    var replicas = (0..<6).map { Follower(reverse: $0 % 2 == 0) }
    for step in 0..<150 {
      let name = "r\(Int.random(in: 0..<12, using: &random))"
      let change = Bool.random(using: &random) ? note(name, "\(step)") : gone(name)
      _ = try await ada.modify(zone: "Z", atomic: false, change)
      let reader = Int.random(in: 0..<10, using: &random)
      guard replicas.indices.contains(reader) else { continue }
      _ = try await replicas[reader].readOn(ada, limit: Int.random(in: 1...4, using: &random))
    }
    var expectation = Follower(reverse: false)
    while try await expectation.readOn(ada, limit: 50) {}
    for index in replicas.indices {
      // The rest of the current listing, and the changes since its start.
      for _ in 0..<2 { while try await replicas[index].readOn(ada, limit: 3) {} }
      #expect(replicas[index].contents == expectation.contents, "\(random)")
    }
  }
}

/// A device that follows a zone in one direction.
private struct Follower {
  let reverse: Bool
  private var token: String?
  private(set) var contents: [String: String] = [:]

  init(reverse: Bool) { self.reverse = reverse }

  /// Reads a page, and returns whether there is more.
  mutating func readOn(_ client: Client, limit: Int) async throws -> Bool {
    let page = try await client.changes(zone: "Z", since: token, limit: limit, reverse: reverse)[
      "zones"][0]
    for record in page["records"].list {
      let name = try #require(record["recordName"].text)
      contents[name] = record["deleted"].flag == true ? nil : record.field("text")
    }
    token = page["syncToken"].text
    #expect(token != nil, "\(page)")
    return page["moreComing"].flag == true
  }
}
