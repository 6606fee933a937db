import CloudRecords
import CloudWire
import RecordServer
import Testing

/// The feed of the zones that other users share with a user.
@Suite struct `Shared database feeds` {
  private let engine = EntryCountingEngine()
  private let cloud: Cloud

  init() { cloud = Cloud(engine: engine) }

  /// Shares a new zone by its link.
  private func share(_ zone: String, of owner: Client) async throws -> String {
    try await owner.makeZone(zone)
    let created = try await owner.modify(
      zone: zone,
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"#
          + #""publicPermission":"READ_WRITE""#
      ))
    return try #require(created["records"][0]["shortGUID"].text, "\(created)")
  }

  private func join(_ links: [String], as guest: Client) async throws {
    for link in links {
      let joined = try await guest.ask(
        .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)["results"][0]
      #expect(joined["participantStatus"].text == "ACCEPTED", "\(joined)")
    }
  }

  private func share(_ zones: [String], of owner: Client, with guest: Client) async throws {
    for zone in zones { try await join([try await share(zone, of: owner)], as: guest) }
  }

  private func write(_ zone: String, as owner: Client) async throws {
    let reply = try await owner.modify(
      zone: zone, ("forceUpdate", #""recordName":"r","recordType":"T","fields":{}"#))
    #expect(reply.status == 200, "\(reply)")
  }

  private func delete(_ zone: String, as client: Client, in scope: DatabaseScope = .private)
    async throws
  {
    let place = Client.zoneID(zone, scope == .shared ? "_ada" : nil)
    let reply = try await client.ask(
      scope, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":\#(place)}}]}"#)
    #expect(reply["zones"][0]["deleted"].flag == true, "\(reply)")
  }

  private func moves(_ reply: Reply) -> [String] {
    reply["zones"].list.map {
      ($0["zoneID"]["zoneName"].text ?? "?") + ($0["deleted"].flag == true ? " gone" : "")
    }
  }

  /// All pages of a feed, with the last token.
  private func read(_ client: Client, since token: String? = nil, limit: Int? = nil) async throws
    -> (moves: [String], token: String)
  {
    var (found, token): ([String], String?) = ([], token)
    while true {
      let members = [
        token.map { #""syncToken":"\#($0)""# }, limit.map { #""resultsLimit":\#($0)"# },
      ].compactMap(\.self)
      let page = try await client.ask(
        .shared, .changesDatabase, "{\(members.joined(separator: ","))}")
      found += moves(page)
      let next: String = try #require(page["syncToken"].text, "\(page)")
      if page["moreComing"].flag != true { return (found, next) }
      token = next
    }
  }

  /// Counts the entries that are read for a change, and for none, and the token's length.
  private func work(_ count: Int, of owner: Client, for guest: Client) async throws -> [Int] {
    let zones = (0..<count).map { "Z\($0)" }
    try await share(zones, of: owner, with: guest)
    let first = try await read(guest)
    #expect(first.moves == zones)
    try await write("Z7", as: owner)
    engine.reset()
    let second = try await read(guest, since: first.token)
    #expect(second.moves == ["Z7"])
    let forChange = engine.entries
    engine.reset()
    let third = try await read(guest, since: second.token)
    #expect(third.moves == [] && third.token == second.token)
    return [forChange, engine.entries, third.token.count]
  }

  @Test func `A change costs as much among twenty zones as among sixty`() async throws {
    let few = try await work(20, of: cloud.user("_ada"), for: cloud.user("_bob"))
    let many = try await work(60, of: cloud.user("_eve"), for: cloud.user("_joe"))
    #expect(few == many)
    #expect(few[0] > few[1] && few[0] < 40, "\(few)")
  }

  @Test func `A writer's cost does not grow with the number of participants`() async throws {
    let ada = try await cloud.user("_ada")
    let link = try await share("Z", of: ada)
    var stored: [Int] = []
    for round in 0..<3 {
      for number in 0..<4 { try await join([link], as: cloud.user("_u\(round)\(number)")) }
      let before = try await engine.count
      try await write("Z", as: ada)
      try await write("Z", as: ada)
      stored.append(try await engine.count - before)
    }
    // The first write adds a record. Later ones add nothing: the zone only moves in the order.
    #expect(stored[1...] == [0, 0], "\(stored)")
  }

  @Test(arguments: [1, 2, 5]) func `Pages name each zone once`(limit: Int) async throws {
    let (ada, eve, bob) = (
      try await cloud.user("_ada"), try await cloud.user("_eve"), try await cloud.user("_bob")
    )
    try await share(["A", "B", "C"], of: ada, with: bob)
    try await share(["D", "E"], of: eve, with: bob)
    let first = try await read(bob, limit: limit)
    #expect(first.moves == ["A", "B", "C", "D", "E"])
    for zone in ["B", "A"] { try await write(zone, as: ada) }
    try await write("E", as: eve)
    try await write("B", as: ada)
    let second = try await read(bob, since: first.token, limit: limit)
    #expect(second.moves == ["A", "B", "E"])
    #expect(try await read(bob, since: second.token).moves == [])
  }

  @Test(arguments: [true, false]) func `Each end of a membership is reported, also a second one`(
    startsAfterEnd: Bool
  ) async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    let link = try await share("Z", of: ada)
    try await join([link], as: bob)
    var token = startsAfterEnd ? nil : try await read(bob).token
    try await delete("Z", as: bob, in: .shared)
    for round in 0..<2 {
      let gone = try await read(bob, since: token)
      #expect(gone.moves == (token == nil ? [] : ["Z gone"]), "\(round)")
      try await join([link], as: bob)
      let again = try await read(bob, since: gone.token)
      #expect(again.moves == ["Z"], "\(round)")
      token = again.token
      try await delete("Z", as: bob, in: .shared)
    }
    #expect(try await read(bob, since: token).moves == ["Z gone"])
  }

  @Test func `Changes and joins during a list are reported`() async throws {
    let (ada, eve, bob) = (
      try await cloud.user("_ada"), try await cloud.user("_eve"), try await cloud.user("_bob")
    )
    try await share(["A", "B", "C"], of: ada, with: bob)
    let page = try await bob.ask(.shared, .changesDatabase, #"{"resultsLimit":2}"#)
    #expect(moves(page) == ["A", "B"] && page["moreComing"].flag == true)
    try await write("A", as: ada)
    try await share(["D"], of: eve, with: bob)
    let rest = try await read(bob, since: page["syncToken"].text)
    #expect(rest.moves == ["C", "D"])
    #expect(try await read(bob, since: rest.token).moves == ["A"])
  }

  @Test func `A former participant gets the end reported once, and nothing later`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    let links = [try await share("A", of: ada), try await share("B", of: ada)]
    try await join(links, as: bob)
    let first = try await read(bob)
    try await delete("A", as: bob, in: .shared)
    let second = try await read(bob, since: first.token)
    #expect(second.moves == ["A gone"])
    try await write("A", as: ada)
    try await write("B", as: ada)
    let third = try await read(bob, since: second.token)
    #expect(third.moves == ["B"])
    // A new reader does not learn that there was another zone.
    #expect(try await read(bob).moves == ["B"])
    try await write("A", as: ada)
    #expect(try await read(bob, since: try await read(bob).token).moves == [])
    // A user who joins again sees the zone again.
    try await join([links[0]], as: bob)
    for token in [first.token, second.token, third.token] {
      #expect(try await read(bob, since: token).moves.contains("A"))
    }
  }

  @Test func `Deleted and recreated zones are reported in their current state`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    try await share(["A", "B"], of: ada, with: bob)
    let first = try await read(bob)
    try await delete("A", as: ada)
    let second = try await read(bob, since: first.token)
    #expect(second.moves == ["A gone"])
    try await share(["A"], of: ada, with: bob)
    #expect(try await read(bob, since: first.token).moves == ["A"])
    #expect(try await read(bob, since: second.token).moves == ["A"])
  }

  @Test func `A reader that missed the end of a forgotten membership starts over`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    try await share(["A", "B"], of: ada, with: bob)
    let early = try await read(bob)
    try await delete("A", as: ada)
    let late = try await read(bob, since: early.token)
    #expect(late.moves == ["A gone"])
    try await cloud.server.runMaintenance()
    cloud.pass(seconds: 200 * 86_400)
    try await cloud.server.runMaintenance()
    let expired = try await bob.databaseChanges(in: .shared, since: early.token)
    #expect(expired["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED", "\(expired)")
    try await write("B", as: ada)
    #expect(try await read(bob, since: late.token).moves == ["B"])
  }
}
