import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import Testing

/// The reports of a restored server to Parhelion's clients about lost changes.
@Suite struct `Lost history` {
  /// A server at the moment of its backup.
  ///
  /// Ada's zone Z has a@1, b@2 and c@3.
  private struct Installation {
    let engine = MemoryStorageEngine()
    let ada: Client

    init() async throws {
      ada = try await Cloud(engine: engine).user("_ada")
      try await ada.makeZone("Z")
      for name in ["a", "b", "c"] { try await ada.save(name) }
    }

    func backup() throws -> MemoryStorageEngine { try MemoryStorageEngine(restoring: engine) }
  }

  private func restore(_ backup: MemoryStorageEngine, chance: UInt64 = 5) async throws -> Client {
    let engine = try MemoryStorageEngine(restoring: backup)
    try await engine.finishRestoration(chance: chance)
    return try await Cloud(engine: engine).user("_ada")
  }

  private static let distance: UInt64 = 1 << 40
  private static let base = distance + 5

  @Test(arguments: [false, true])
  func `Lost history is reported for tokens from before and after the backup`(reverse: Bool)
    async throws
  {
    let installation = try await Installation()
    let before = try await installation.ada.token(reverse: reverse)
    let backup = try installation.backup()
    try await installation.ada.save("lost")
    let after = try await installation.ada.token(reverse: reverse)
    let ada = try await restore(backup)
    try await ada.save("new")
    for token in [before, after] {
      let lost = try #require(try await ada.lostHistory(since: token, reverse: reverse))
      #expect(
        lost.lost == [
          .init(after: 3, through: Self.base), .init(after: Self.base + 1, through: nil),
        ])
      #expect(lost.readThrough == 3)
      let judged = ["3", "4", tag(Self.base), tag(Self.base + 1), tag(Self.base + 2)].map(
        lost.isLost)
      #expect(judged == [false, true, true, false, true])
    }
  }

  @Test func `A report says how much of the backup the reader had`() async throws {
    let ada = try await Cloud(engine: MemoryStorageEngine()).user("_ada")
    try await ada.makeZone("Z")
    let empty = try await ada.token()
    for name in ["a", "b"] { try await ada.save(name) }
    let two = try await ada.token()
    let installation = try await Installation()
    // The other storage has the same names and numbers, so it recognizes the tokens.
    let restored = try await restore(installation.backup())
    #expect(try await restored.lostHistory(since: empty)?.readThrough == 0)
    #expect(try await restored.lostHistory(since: two)?.readThrough == 2)
  }

  @Test func `A token from the middle of a listing reports no position`() async throws {
    let installation = try await Installation()
    // The second page ends where the zone ended when the listing began.
    let first = try await installation.ada.changes(zone: "Z", limit: 2)["zones"][0]["syncToken"]
      .text
    for name in ["d", "b"] { try await installation.ada.save(name) }
    let second = try await installation.ada.changes(zone: "Z", since: first, limit: 1)["zones"][0]
    #expect(second.records == ["c@3"] && second["moreComing"].flag == true)
    let down = try await installation.ada.changes(zone: "Z", limit: 2, reverse: true)["zones"][0][
      "syncToken"
    ].text
    let ada = try await restore(installation.backup())
    for (token, reverse) in [(first, false), (second["syncToken"].text, false), (down, true)] {
      let lost = try #require(try await ada.lostHistory(since: token, reverse: reverse))
      #expect(lost.readThrough == nil && lost.isLost(tag: "6"))
    }
  }

  @Test func `A reversed listing in which records moved reports no position`() async throws {
    let installation = try await Installation()
    let backup = try installation.backup()
    let first = try await installation.ada.changes(zone: "Z", limit: 1, reverse: true)["zones"][0][
      "syncToken"
    ].text
    try await installation.ada.save("a")
    let end = try await installation.ada.changes(zone: "Z", since: first, reverse: true)["zones"][0]
    #expect(end.records == ["b@2"] && end["moreComing"].flag != true)
    let ada = try await restore(backup)
    let lost = try #require(try await ada.lostHistory(since: end["syncToken"].text, reverse: true))
    #expect(lost.readThrough == nil)
  }

  @Test func `Only Parhelion's clients get the report`() async throws {
    let installation = try await Installation()
    let token = try await installation.ada.token()
    let ada = try await restore(installation.backup())
    let page = try await ada.changes(zone: "Z", since: token)["zones"][0]
    #expect(
      page["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED" && !page["restoration"].isThere)
    // A token that is only old gets no report either.
    let now = try #require(try await ada.token())
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"a""#))
    ada.cloud.pass(seconds: 86_400 * 400)
    try await ada.cloud.server.runMaintenance()
    let old = try await ada.changes(zone: "Z", since: now, ownClient: true)["zones"][0]
    #expect(old["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED" && !old["restoration"].isThere)
  }

  @Test func `A save with such a token gets the report`() async throws {
    let installation = try await Installation()
    let token = try #require(try await installation.ada.token())
    let ada = try await restore(installation.backup())
    let reply = try await ada.ask(
      .private, .recordsModify,
      #"{"operations":[{"operationType":"create","record":{"recordName":"d","recordType":"Note"}}],"zoneID":{"zoneName":"Z"},"syncToken":"\#(token)","atomic":false}"#,
      ownClient: true)
    #expect(reply["records"][0]["restoration"]["lost"].list.count == 2, "\(reply)")
  }

  @Test func `The report survives several restorations, even interrupted ones`() async throws {
    let installation = try await Installation()
    let first = try await installation.ada.token()
    try await installation.ada.save("lost")
    let lost = try await installation.ada.token()
    var engine = try installation.backup()
    try await engine.beginHistory(chance: 1)
    try await engine.finishRestoration(chance: 2)
    let (one, base) = (try await Cloud(engine: engine).user("_ada"), 2 * Self.distance + 3)
    try await one.save("d")
    let second = try await one.token()
    engine = try MemoryStorageEngine(restoring: engine)
    try await engine.finishRestoration(chance: 5)
    let (ada, last) = (try await Cloud(engine: engine).user("_ada"), 3 * Self.distance + 8)
    let expected: [LostHistory.Range] = [
      .init(after: 4, through: base), .init(after: base + 1, through: last),
      .init(after: last, through: nil),
    ]
    for (token, readThrough) in [(first, 3), (lost, 4), (second, base + 1)] {
      let reported = try #require(try await ada.lostHistory(since: token))
      #expect(reported.lost == expected)
      #expect(reported.readThrough == readThrough)
    }
  }

  @Test(arguments: [3, 9] as [UInt64])
  func `The report covers what another restoration of the same backup served`(chance: UInt64)
    async throws
  {
    let installation = try await Installation()
    let backup = try installation.backup()
    let sibling = try await restore(backup, chance: chance)
    try await sibling.save("d")
    let token = try await sibling.token()
    let ada = try await restore(backup)
    let reported = try #require(try await ada.lostHistory(since: token))
    #expect(reported.readThrough == nil)
    #expect(reported.isLost(tag: tag(Self.distance + chance + 1)) && !reported.isLost(tag: "3"))
  }

  @Test func `A participant of a partly shared zone gets no position`() async throws {
    let storage = MemoryStorageEngine()
    let zone = try await SharedZone(Cloud(engine: storage))
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"))
    try await zone.share("s", of: "root", with: [(bob, "READ_WRITE")])
    let token = try await bob.changes(in: .shared, zone: SharedZone.name, owner: "_ada")["zones"][
      0]["syncToken"].text
    let engine = try MemoryStorageEngine(restoring: storage)
    try await engine.finishRestoration(chance: 5)
    let again = try await Cloud(engine: engine).user("_bob")
    let page = try await again.changes(
      in: .shared, zone: SharedZone.name, owner: "_ada", since: token, ownClient: true)["zones"][0]
    #expect(page["restoration"]["lost"].list.count == 2, "\(page)")
    #expect(!page["restoration"]["readThrough"].isThere)
  }

  private func tag(_ number: UInt64) -> String { String(number, radix: 36) }
}

extension Client {
  fileprivate func save(_ name: String) async throws {
    let reply = try await modify(
      zone: "Z", ("forceUpdate", #""recordName":"\#(name)","recordType":"Note","fields":{}"#))
    #expect(reply.records[0].hasPrefix(name + "@"), "\(reply)")
  }

  /// The token at the end of Z's feed.
  fileprivate func token(reverse: Bool = false) async throws -> String? {
    try await changes(zone: "Z", reverse: reverse)["zones"][0]["syncToken"].text
  }

  /// The lost history that a Parhelion client reads from the rejection of a token.
  fileprivate func lostHistory(since token: String?, reverse: Bool = false) async throws
    -> LostHistory?
  {
    let page = try await changes(zone: "Z", since: token, reverse: reverse, ownClient: true)[
      "zones"][0]
    #expect(page["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED")
    let item = try JSONSerialization.data(withJSONObject: page.tree as Any)
    return try ErrorResponse(answer: Array(item)).error.lostHistory
  }
}
