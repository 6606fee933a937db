import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import TestSupport
import Testing

/// Answers of a server whose storage was restored, to clients that have seen lost changes.
@Suite struct `Restored storage` {
  /// A server at the moment of its backup.
  ///
  /// Ada's zone Z has a, b and c, and Y is empty.
  private struct Installation {
    let engine: MemoryStorageEngine
    let ada: Client

    init() async throws {
      engine = MemoryStorageEngine()
      ada = try await Cloud(engine: engine).user("_ada")
      for zone in ["Z", "Y"] { try await ada.makeZone(zone) }
      #expect(try await ada.save("a", "b", "c") == ["a@1", "b@2", "c@3"])
    }

    /// The number of zones in the storage, including deleted ones.
    var zoneCount: Int {
      get async throws {
        let zone = Array("_ada".utf8) + [0, 2]
        return try await engine.read {
          try $0.entries(in: .all).count { $0.key.bytes.starts(with: zone) }
        }
      }
    }

    func backup() throws -> MemoryStorageEngine { try MemoryStorageEngine(restoring: engine) }
  }

  /// The same user on the server that starts from a backup.
  private func restore(_ backup: MemoryStorageEngine, chance: UInt64 = 5) async throws -> Client {
    let engine = try MemoryStorageEngine(restoring: backup)
    try await engine.finishRestoration(chance: chance)
    #expect(!engine.isRestored)
    return try await Cloud(engine: engine).user("_ada")
  }

  private static let expired = "CHANGE_TOKEN_EXPIRED"
  private static let distance: UInt64 = 1 << 40

  // MARK: Feeds

  @Test(arguments: [false, true])
  func `Zone tokens from before and after the backup are rejected`(reverse: Bool) async throws {
    let installation = try await Installation()
    let before = try await installation.ada.page(reverse: reverse)["syncToken"].text
    let backup = try installation.backup()
    _ = try await installation.ada.save("lost")
    let after = try await installation.ada.page(reverse: reverse)["syncToken"].text
    let ada = try await restore(backup)
    // At least as many changes as were lost.
    for name in ["new", "newer"] {
      _ = try await ada.save(name)
      for token in [before, after] {
        let page = try await ada.page(since: token, reverse: reverse)
        #expect(
          page["extensionErrorCode"].text == Self.expired
            && page["serverErrorCode"].text == "BAD_REQUEST")
      }
    }
    let whole = try await ada.page(reverse: reverse)
    #expect(Set(whole.names) == ["a", "b", "c", "new", "newer"])
    // The tokens of this history are valid.
    _ = try await ada.save("a")
    let next = try await ada.page(since: whole["syncToken"].text, reverse: reverse)
    #expect(next.names == ["a"])
  }

  @Test(arguments: [false, true])
  func `A token from the middle of a listing that contains a lost change is rejected`(reverse: Bool)
    async throws
  {
    let installation = try await Installation()
    let backup = try installation.backup()
    // The token contains the zone's last position, which is that of this lost change.
    _ = try await installation.ada.save(reverse ? "a" : "c")
    let middle = try await installation.ada.page(limit: 2, reverse: reverse)
    #expect(middle["moreComing"].flag == true)
    let ada = try await restore(backup)
    _ = try await ada.save("x")
    let page = try await ada.page(since: middle["syncToken"].text, limit: 2, reverse: reverse)
    #expect(page["extensionErrorCode"].text == Self.expired)
  }

  @Test func `Database tokens of owners and participants are rejected`() async throws {
    let installation = try await Installation()
    let bob = try await installation.ada.cloud.user("_bob")
    try await installation.ada.share("root", "S", with: bob)
    func tokens() async throws -> [(DatabaseScope, String?)] {
      [
        (.private, try await installation.ada.databaseChanges()["syncToken"].text),
        (.shared, try await bob.databaseChanges(in: .shared)["syncToken"].text),
      ]
    }
    func place() async throws -> String? {
      try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0]["syncToken"].text
    }
    let (before, placeBefore) = (try await tokens(), try await place())
    let backup = try installation.backup()
    _ = try await installation.ada.save("lost")
    try await installation.ada.makeZone("Lost")
    let (after, placeAfter) = (try await tokens(), try await place())
    let ada = try await restore(backup)
    let guest = try await ada.cloud.user("_bob")
    _ = try await ada.save("new")
    for (scope, token) in before + after {
      let client = scope == .private ? ada : guest
      #expect(
        try await client.databaseChanges(in: scope, since: token)["extensionErrorCode"].text
          == Self.expired)
      let whole = try await client.databaseChanges(in: scope)
      #expect(
        whole["zones"].list.compactMap { $0["zoneID"]["zoneName"].text }
          == (scope == .private ? ["Z", "Y"] : ["Z"]))
      let again = try await client.databaseChanges(in: scope, since: whole["syncToken"].text)
      #expect(again.status == 200 && again["zones"].list.isEmpty)
    }
    for token in [placeBefore, placeAfter] {
      let page = try await guest.changes(in: .shared, zone: "Z", owner: "_ada", since: token)[
        "zones"][0]
      #expect(page["extensionErrorCode"].text == Self.expired)
    }
  }

  // MARK: Tags, zones

  @Test func `Lost tags never match, and those from before the backup do`() async throws {
    let installation = try await Installation()
    let backup = try installation.backup()
    let lost = try await installation.ada.save("a", "b")
    #expect(lost == ["a@4", "b@5"])
    let ada = try await restore(backup)
    // Without a new base the first changes would get the lost tags.
    #expect(try await ada.save("a", "b") == ["a@\(tag(6))", "b@\(tag(7))"])
    #expect(try await ada.update("a", "4") == ["a: CONFLICT"])
    #expect(try await ada.update("b", "5") == ["b: CONFLICT"])
    #expect(try await ada.update("c", "3") == ["c@\(tag(8))"])
    #expect(try await ada.update("a", tag(6)) == ["a@\(tag(9))"])
  }

  /// The text of a tag after the base of a restoration whose random number is 5.
  private func tag(_ number: UInt64) -> String { String(Self.distance + number, radix: 36) }

  @Test func `A recreated zone is reported if its deletion was lost`() async throws {
    let installation = try await Installation()
    let backup = try installation.backup()
    try await installation.ada.makeZone("Late")
    #expect(try await installation.ada.modify(zone: "Late", note("a")).records == ["a@1"])
    let token = try await installation.ada.changes(zone: "Late")["zones"][0]["syncToken"].text
    let ada = try await restore(backup)
    let missing = try await ada.changes(zone: "Late", since: token)["zones"][0]
    #expect(
      missing["serverErrorCode"].text == "ZONE_NOT_FOUND" && !missing["extensionErrorCode"].isThere)
    try await ada.makeZone("Late")
    #expect(try await ada.modify(zone: "Late", note("a")).records == ["a@\(tag(6))"])
    let page = try await ada.changes(zone: "Late", since: token)["zones"][0]
    #expect(page["extensionErrorCode"].text == "ZONE_RECREATED")
    let stale = (
      "update", #""recordName":"a","recordType":"Note","recordChangeTag":"1","fields":{}"#
    )
    #expect(try await ada.modify(zone: "Late", stale).records == ["a: CONFLICT"])
  }

  @Test func `Tokens of users from after the backup are rejected`() async throws {
    let installation = try await Installation()
    let backup = try installation.backup()
    let eve = try await installation.ada.cloud.user("_eve")
    try await eve.makeZone("Z")
    let (list, token) = (
      try await eve.databaseChanges()["syncToken"].text, try await eve.page()["syncToken"].text
    )
    let again = try await restore(backup).cloud.user("_eve")
    try await again.makeZone("Z")
    #expect(try await again.page(since: token)["extensionErrorCode"].text == "ZONE_RECREATED")
    #expect(try await again.databaseChanges(since: list)["extensionErrorCode"].text == Self.expired)
  }

  @Test func `Tokens of containers from after the backup are rejected`() async throws {
    let engine = MemoryStorageEngine()
    let backup = try MemoryStorageEngine(restoring: engine)
    let lost = try await Cloud(engine: engine).user("_ada")
    try await lost.makeZone("Z")
    let (list, token) = (
      try await lost.databaseChanges()["syncToken"].text, try await lost.page()["syncToken"].text
    )
    let restored = try MemoryStorageEngine(restoring: backup)
    try await restored.finishRestoration(chance: 5)
    let cloud = Cloud(engine: restored)
    // This container takes the number of the lost one.
    _ = try await cloud.server.makeRealm(
      of: ContainerAddress(container: "iCloud.other", environment: .development))
    let ada = try await cloud.user("_ada")
    #expect(ada.realm != lost.realm)
    try await ada.makeZone("Z")
    #expect(try await ada.page(since: token)["extensionErrorCode"].text == Self.expired)
    #expect(try await ada.databaseChanges(since: list)["extensionErrorCode"].text == Self.expired)
  }

  @Test func `Two restorations of one backup are distinguished`() async throws {
    let installation = try await Installation()
    let backup = try installation.backup()
    let first = try await restore(backup, chance: 1 << 46)
    _ = try await first.save("a", "lost")
    try await first.makeZone("Late")
    let (list, token) = (
      try await first.databaseChanges()["syncToken"].text, try await first.page()["syncToken"].text
    )
    let lostTag = try #require(
      try await first.lookUp(zone: "Z", "a")["records"][0]["recordChangeTag"].text)
    let late = try await first.changes(zone: "Late")["zones"][0]["syncToken"].text
    for chance: UInt64 in [7, 1 << 46 + 1 << 20] {
      let second = try await restore(backup, chance: chance)
      _ = try await second.save("a", "new")
      try await second.makeZone("Late")
      #expect(try await second.page(since: token)["extensionErrorCode"].text == Self.expired)
      #expect(
        try await second.databaseChanges(since: list)["extensionErrorCode"].text == Self.expired)
      #expect(try await second.update("a", lostTag) == ["a: CONFLICT"])
      let page = try await second.changes(zone: "Late", since: late)["zones"][0]
      #expect(page["extensionErrorCode"].text == "ZONE_RECREATED")
    }
  }

  // MARK: Other numbers

  @Test func `A generation of lost keys is never taken for a later one`() async throws {
    let installation = try await Installation()
    func save(
      _ client: Client, over generation: Int64, _ bag: String = #""bagType":"USER_PRIVATE""#
    ) async throws
      -> Reply
    {
      try await client.ask(
        .private, .keyBagsModify,
        #"{"operations":[{"operationType":"save","bag":{\#(bag),"generation":\#(generation),"data":"AAAA"}}]}"#
      )[
        "bags"][0]
    }
    #expect(try await save(installation.ada, over: 0)["generation"].number == 1)
    let backup = try installation.backup()
    #expect(try await save(installation.ada, over: 1)["generation"].number == 2)
    let ofZone = #""bagType":"ZONE","zoneID":{"zoneName":"Z"}"#
    #expect(try await save(installation.ada, over: 0, ofZone)["generation"].number == 1)
    let ada = try await restore(backup)
    #expect(try await save(ada, over: 2)["serverErrorCode"].text == "CONFLICT")
    // Another device changes the keys that the backup had.
    let next = Double(Self.distance + 6)
    #expect(try await save(ada, over: 1)["generation"].number == next)
    #expect(try await save(ada, over: 2)["serverErrorCode"].text == "CONFLICT")
    #expect(try await save(ada, over: Int64(next))["generation"].number == next + 1)
    #expect(try await save(ada, over: 0, ofZone)["generation"].number == next)
    #expect(try await save(ada, over: 1, ofZone)["serverErrorCode"].text == "CONFLICT")
    // A repeated answer equals the first one.
    var numbered = ada
    numbered.stamp = RequestStamp(client: "A", number: 1, oldest: 1)
    for _ in 0..<2 {
      #expect(try await save(numbered, over: Int64(next) + 1)["generation"].number == next + 2)
    }
  }

  @Test func `Changes with a token from a lost history are rejected`() async throws {
    let installation = try await Installation()
    let before = try #require(try await installation.ada.page()["syncToken"].text)
    let backup = try installation.backup()
    let ada = try await restore(backup)
    func create(_ name: String, knowing token: String) async throws -> Reply {
      let create = #"{"operationType":"create","record":{\#(note(name).1)}}"#
      return try await ada.ask(
        .private, .recordsModify,
        #"{"operations":[\#(create)],"zoneID":{"zoneName":"Z"},"syncToken":"\#(token)","atomic":false}"#
      )["records"][0]
    }
    #expect(try await create("d", knowing: before)["extensionErrorCode"].text == Self.expired)
    let now = try #require(try await ada.page()["syncToken"].text)
    #expect(try await create("d", knowing: now)["recordChangeTag"].text == tag(6))
  }

  // MARK: Start

  @Test func `An interrupted restoration starts a new history again`() async throws {
    let installation = try await Installation()
    let eve = try await installation.ada.cloud.user("_eve")
    try await eve.makeZone("Z")
    let token = try await eve.page()["syncToken"].text
    let backup = try installation.backup()
    // One write stores the history, and one for each of the two owners continues the zones.
    for writes in 0...2 {
      let engine = FailingEngine(try MemoryStorageEngine(restoring: backup))
      engine.fail(afterWrites: writes)
      await #expect(throws: StorageError.self) { try await engine.finishRestoration(chance: 5) }
      #expect(engine.isRestored)
      engine.fail(afterWrites: nil)
      try await engine.finishRestoration(chance: 9)
      #expect(!engine.isRestored)
      let cloud = Cloud(engine: engine)
      let base = writes == 0 ? Self.distance + 9 : 2 * Self.distance + 14
      for name in ["_ada", "_eve"] {
        let client = try await cloud.user(name)
        #expect(try await client.save("n") == ["n@\(String(base + 1, radix: 36))"])
        #expect(try await client.databaseChanges()["zones"].list.isEmpty == false)
      }
      #expect(
        try await cloud.user("_eve").page(since: token)["extensionErrorCode"].text == Self.expired)
      // The restoration is finished, so no further history begins.
      try await engine.finishRestoration(chance: 1)
      let next = ["m@\(String(base + 2, radix: 36))"]
      #expect(try await cloud.user("_ada").save("m") == next)
      #expect(try await cloud.user("_eve").save("m") == next)
    }
  }

  @Test func `Storage works after any number of restorations`() async throws {
    let installation = try await Installation()
    var engine = try installation.backup()
    var random = SeededGenerator.forTest()
    // Beyond the greatest number that a double distinguishes from its successor.
    for _ in 0..<200 {
      engine = try MemoryStorageEngine(restoring: engine)
      try await engine.finishRestoration(chance: .random(in: .min ... .max, using: &random))
    }
    // And far beyond it.
    for _ in 0..<2_000 { try await engine.beginHistory(chance: .max) }
    let ada = try await Cloud(engine: engine).user("_ada")
    let saved = try await ada.save("a", "d")
    let tags = saved.map { $0.split(separator: "@")[1] }
    let numbers = tags.compactMap { UInt64($0, radix: 36) }
    #expect(
      numbers[0] > 1 << 57 && numbers[0] < UInt64(Int64.max) && numbers[1] == numbers[0] + 1,
      "\(saved)")
    #expect(try await ada.update("a", String(tags[1])) == ["a: CONFLICT"])
    #expect(try await ada.update("a", String(tags[0])).first?.hasPrefix("a@") == true)
    for reverse in [false, true] {
      let first = try await ada.page(limit: 2, reverse: reverse)
      let rest = try await ada.page(since: first["syncToken"].text, reverse: reverse)
      #expect(Set(first.names + rest.names) == ["a", "b", "c", "d"])
      #expect(try await ada.page(since: rest["syncToken"].text, reverse: reverse).names.isEmpty)
    }
    let bag = #"{"bagType":"USER_PRIVATE","generation":0,"data":"AAAA"}"#
    let created = try await ada.ask(
      .private, .keyBagsModify, #"{"operations":[{"operationType":"save","bag":\#(bag)}]}"#)
    let generation = (created["bags"][0]["generation"].tree as? NSNumber)?.int64Value
    #expect(generation.map { UInt64($0) < numbers[0] + 1 && $0 > 1 << 57 } == true, "\(created)")
    try await ada.makeZone("New")
    #expect(try await ada.databaseChanges()["zones"].list.count == 3)
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"a""#))
    ada.cloud.pass(seconds: 86_400 * 400)
    #expect(try await ada.cloud.server.runMaintenance() > 0)
    #expect(Set(try await ada.page().names) == ["b", "c", "d"])
  }

  @Test func `Storage that was never restored has the first history`() async throws {
    let installation = try await Installation()
    #expect(!installation.engine.isRestored)
    try await installation.engine.finishRestoration(chance: 5)
    #expect(try await installation.ada.save("d") == ["d@4"])
    let token = try #require(
      try await installation.ada.page()["syncToken"].text.flatMap { Data(base64Encoded: $0) })
    #expect(token.first == 1)
    let entries = try await installation.engine.read { try $0.entries(in: .all) }
    #expect(!entries.contains { $0.key.bytes.starts(with: Array("_history".utf8)) })
    let restored = try await restore(installation.backup())
    let later = try #require(
      try await restored.page()["syncToken"].text.flatMap { Data(base64Encoded: $0) })
    #expect(later.first == 1 && later.count > token.count)
  }

  // MARK: Deleted zones

  @Test func `A recreated zone has new tags even without a restoration`() async throws {
    let installation = try await Installation()
    try await installation.ada.edit("delete", "Z")
    try await installation.ada.edit("create", "Z")
    #expect(try await installation.ada.save("a") == ["a@4"])
    #expect(try await installation.ada.update("a", "1") == ["a: CONFLICT"])
    // The same holds if no client knows the former zone.
    try await installation.ada.edit("delete", "Z")
    try await installation.ada.edit("create", "Other")
    #expect(try await installation.zoneCount == 4)
    for _ in 0..<3 {
      installation.ada.cloud.pass(seconds: 86_400 * 400)
      try await installation.ada.cloud.server.runMaintenance()
    }
    #expect(try await installation.zoneCount == 2)
    try await installation.ada.edit("create", "Z")
    #expect(try await installation.ada.save("a") == ["a@5"])
    // Deleting a zone without changes does not lower the next tags.
    try await installation.ada.edit("delete", "Y")
    try await installation.ada.edit("create", "Y")
    #expect(try await installation.ada.modify(zone: "Y", note("a")).records == ["a@5"])
  }
}

private func note(_ name: String) -> (String, String) {
  (
    "forceUpdate",
    #""recordName":"\#(name)","recordType":"Note","fields":{"text":{"value":"\#(name)"}}"#
  )
}

extension Reply {
  fileprivate var names: [String] { self["records"].list.compactMap { $0["recordName"].text } }
}

extension Client {
  /// Saves records in Z, each in its own request, whatever their tags.
  fileprivate func save(_ names: String...) async throws -> [String] {
    var saved: [String] = []
    for name in names { saved += try await modify(zone: "Z", note(name)).records }
    return saved
  }

  fileprivate func update(_ name: String, _ tag: String) async throws -> [String] {
    let members =
      #""recordName":"\#(name)","recordType":"Note","recordChangeTag":"\#(tag)","fields":{}"#
    return try await modify(zone: "Z", ("update", members)).records
  }

  fileprivate func page(since token: String? = nil, limit: Int? = nil, reverse: Bool = false)
    async throws -> Reply
  {
    try await changes(zone: "Z", since: token, limit: limit, reverse: reverse)["zones"][0]
  }

  fileprivate func edit(_ kind: String, _ zone: String) async throws {
    let reply = try await ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"\#(kind)","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#)
    #expect(!reply["zones"][0]["serverErrorCode"].isThere, "\(reply)")
  }

  /// Shares a new record with a user who joins.
  fileprivate func share(_ root: String, _ share: String, with guest: Client) async throws {
    let invited =
      #"{"userIdentity":{"userRecordName":"\#(guest.name)"},"type":"USER","permission":"READ_WRITE"}"#
    let created = try await modify(
      zone: "Z", note(root),
      (
        "create",
        #""recordName":"\#(share)","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"\#(root)"},"participants":[\#(invited)]"#
      ))
    let link = try #require(created["records"][1]["shortGUID"].text, "\(created)")
    let joined = try await guest.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)
    #expect(!joined["results"][0]["serverErrorCode"].isThere, "\(joined)")
  }
}
