import CloudRecords
import CloudWire
import RecordServer
import Testing

@Suite struct `Database feeds` {
  private let cloud = Cloud()

  private func moves(_ reply: Reply) -> [String] {
    reply["zones"].list.map {
      ($0["zoneID"]["zoneName"].text ?? "?") + ($0["deleted"].flag == true ? " gone" : "")
    }
  }

  private func edit(_ client: Client, _ kind: String, _ zone: String) async throws {
    _ = try await client.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"\#(kind)","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#)
  }

  private func write(_ client: Client, _ zone: String) async throws {
    let reply = try await client.modify(
      zone: zone, ("forceUpdate", #""recordName":"r","recordType":"T","fields":{}"#))
    #expect(reply.status == 200)
  }

  @Test func `A feed names zones that changed, appeared and disappeared`() async throws {
    let ada = try await cloud.user("_ada")
    let start = try await ada.databaseChanges()
    #expect(moves(start) == [])
    for zone in ["A", "B", "C"] { try await edit(ada, "create", zone) }
    let created = try await ada.databaseChanges(since: start["syncToken"].text)
    #expect(moves(created) == ["A", "B", "C"])
    try await write(ada, "B")
    try await edit(ada, "delete", "A")
    let later = try await ada.databaseChanges(since: created["syncToken"].text)
    #expect(moves(later) == ["A gone", "B"])
    #expect(moves(try await ada.databaseChanges(since: later["syncToken"].text)) == [])
    // A first listing has no deletions.
    #expect(moves(try await ada.databaseChanges()) == ["B", "C"])
  }

  /// The reader may have created the zone itself, without having read the feed since.
  @Test func `A feed names a zone that was created and deleted since the token`() async throws {
    let ada = try await cloud.user("_ada")
    try await edit(ada, "create", "A")
    let start = try await ada.databaseChanges()["syncToken"].text
    for zone in ["B", "C", "D"] { try await edit(ada, "create", zone) }
    for zone in ["B", "C"] { try await edit(ada, "delete", zone) }
    // Zone C exists again, and its first deletion is not reported.
    try await edit(ada, "create", "C")
    let later = try await ada.databaseChanges(since: start)
    #expect(moves(later) == ["B gone", "D", "C"])
    #expect(moves(try await ada.databaseChanges(since: later["syncToken"].text)) == [])
    // A deletion is reported once, whatever the size of a page.
    var (token, all): (String?, [String]) = (start, [])
    for _ in 0..<4 {
      let text = try #require(token)
      let page = try await ada.ask(
        .private, .changesDatabase, #"{"syncToken":"\#(text)","resultsLimit":1}"#)
      all += moves(page)
      token = page["syncToken"].text
    }
    #expect(all == ["B gone", "D", "C"])
  }

  @Test func `A zone that was deleted and recreated is named as changed`() async throws {
    let ada = try await cloud.user("_ada")
    try await edit(ada, "create", "A")
    let token = try await ada.databaseChanges()["syncToken"].text
    try await edit(ada, "delete", "A")
    try await edit(ada, "create", "A")
    let later = try await ada.databaseChanges(since: token)
    #expect(moves(later) == ["A"])
    #expect(moves(try await ada.databaseChanges(since: later["syncToken"].text)) == [])
  }

  @Test func `The default zone is left out`() async throws {
    let ada = try await cloud.user("_ada")
    let saved = try await ada.modify(("create", #""recordName":"r","recordType":"T","fields":{}"#))
    #expect(saved.records == ["r@1"])
    let feed = try await ada.databaseChanges()
    #expect(moves(feed) == [] && feed["syncToken"].isThere, "\(feed)")
  }

  @Test func `Feeds have pages, also on the older endpoint`() async throws {
    let ada = try await cloud.user("_ada")
    for zone in ["A", "B", "C"] { try await edit(ada, "create", zone) }
    let first = try await ada.ask(.private, .zonesChanges, #"{"resultsLimit":2}"#)
    #expect(moves(first) == ["A", "B"])
    #expect(first["moreComing"].flag == true)
    let token = try #require(first["metaSyncToken"].text)
    let rest = try await ada.ask(
      .private, .zonesChanges, #"{"metaSyncToken":"\#(token)","syncToken":"ignored"}"#)
    #expect(moves(rest) == ["C"])
    // The newer endpoint has only one name, as documented.
    #expect(try await ada.databaseChanges().keys == ["moreComing", "syncToken", "zones"])
    #expect(rest["moreComing"].flag == false)
  }

  @Test func `Only users have feeds`() async throws {
    let anonymous = try await cloud.client(.anonymous)
    #expect(
      try await anonymous.databaseChanges()["serverErrorCode"].text == "AUTHENTICATION_REQUIRED")
    let server = try await cloud.client(.server("_key"))
    #expect(try await server.databaseChanges()["serverErrorCode"].text == "ACCESS_DENIED")
  }
}
