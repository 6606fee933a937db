import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite struct `Key bags` {
  private let cloud = Cloud()

  private static func bag(_ type: String, _ more: String = "") -> String {
    #""bagType":"\#(type)"\#(more)"#
  }

  private static let zone = bag("ZONE", #","zoneID":{"zoneName":"Z","ownerRecordName":"_ada"}"#)
  private static let share = bag(
    "SHARE", #","zoneID":{"zoneName":"Z","ownerRecordName":"_ada"},"shareName":"share""#)

  private func save(
    _ client: Client, _ place: String, _ generation: Int, _ data: String,
    in scope: DatabaseScope = .private
  ) async throws -> String {
    let reply = try await client.ask(
      scope, .keyBagsModify,
      #"{"operations":[{"operationType":"save","bag":{\#(place),"generation":\#(generation),"data":"\#(data)"}}]}"#
    )
    return outcome(reply)
  }

  private func fetch(_ client: Client, _ place: String, in scope: DatabaseScope = .private)
    async throws -> String
  {
    let reply = try await client.ask(scope, .keyBagsLookup, #"{"bags":[{\#(place)}]}"#)
    return outcome(reply)
  }

  private func outcome(_ reply: Reply) -> String {
    let bag = reply["bags"][0]
    if let code = bag["serverErrorCode"].text ?? reply["serverErrorCode"].text { return code }
    return "\(Int(bag["generation"].number ?? -1)) \(bag["data"].text ?? "")"
  }

  /// Ada's zone with a shared tree of records in which Bob participates.
  private func tree(bobIs type: String = "USER") async throws -> (ada: Client, bob: Client) {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    try await ada.makeZone("Z")
    let invited =
      #""participants":[{"userIdentity":{"userRecordName":"_bob"},"type":"\#(type)","permission":"READ_WRITE","acceptanceStatus":"PENDING"}]"#
    let created = try await ada.modify(
      zone: "Z", ("create", #""recordName":"root","recordType":"Note","fields":{}"#),
      (
        "create",
        #""recordName":"share","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},\#(invited)"#
      ))
    let short = try #require(created["records"][1]["shortGUID"].text, "\(created)")
    _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    return (ada, bob)
  }

  // MARK: Replacing

  @Test func `Only a writer that has seen the latest bag can replace it`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    #expect(try await fetch(ada, Self.zone) == "NOT_FOUND")
    #expect(try await save(ada, Self.zone, 1, "AAAA") == "CONFLICT")
    #expect(try await save(ada, Self.zone, 0, "AAAA") == "1 ")
    #expect(try await fetch(ada, Self.zone) == "1 AAAA")
    #expect(try await save(ada, Self.zone, 0, "BBBB") == "CONFLICT")
    #expect(try await save(ada, Self.zone, 1, "BBBB") == "2 ")
    #expect(try await fetch(ada, Self.zone) == "2 BBBB")
  }

  @Test func `Values sealed under replaced keys of a user are rejected`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    #expect(try await save(ada, Self.bag("USER_PUBLIC"), 0, "YQ==") == "1 ")
    func create(_ name: String, _ generation: String?) -> String {
      let keys = generation.map { #","keyGeneration":\#($0)"# } ?? ""
      return
        #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{}}\#(keys)}"#
    }
    func write(_ operations: String..., in scope: DatabaseScope = .private, atomic: Bool = false)
      async throws -> Reply
    {
      let zone = scope == .public ? "" : #","zoneID":{"zoneName":"Z"}"#
      return try await ada.ask(
        scope, .recordsModify,
        #"{"operations":[\#(operations.joined(separator: ","))],"atomic":\#(atomic)\#(zone)}"#)
    }
    #expect(try await write(create("one", "1"))["records"][0]["recordChangeTag"].text != nil)
    #expect(try await save(ada, Self.bag("USER_PUBLIC"), 1, "Yg==") == "2 ")
    // An operation without a generation of keys is not checked.
    let mixed = try await write(create("two", "1"), create("three", nil), create("four", "null"))[
      "records"]
    #expect(
      mixed[0]["serverErrorCode"].text == "CONFLICT"
        && mixed[0]["extensionErrorCode"].text == "KEYS_REPLACED")
    #expect(mixed[1]["recordChangeTag"].text != nil && mixed[2]["recordChangeTag"].text != nil)
    let whole = try await write(create("two", "1"), create("five", nil), atomic: true)["records"]
    #expect(
      whole[0]["extensionErrorCode"].text == "KEYS_REPLACED"
        && whole[1]["serverErrorCode"].text == "ATOMIC_ERROR")
    // Other databases have other keys.
    #expect(
      try await write(create("six", "1"), in: .public)["records"][0]["recordChangeTag"].text != nil)
    #expect(try await write(create("two", "2"))["records"][0]["recordChangeTag"].text != nil)
    #expect(try await write(create("seven", #""2""#)).status == 400)
  }

  // MARK: Keys that may seal

  /// A value as a device seals it, under a key whose name is 16 equal bytes.
  private static func sealed(_ key: UInt8, share: String = "") -> String {
    let bytes =
      [0xE1, 1, UInt8(share.utf8.count)] + Array(share.utf8) + [UInt8](repeating: key, count: 16)
      + [UInt8](repeating: 0, count: 40)
    return Data(bytes).base64EncodedString()
  }

  private static func names(_ keys: UInt8...) -> String {
    let texts = keys.map { Data([UInt8](repeating: $0, count: 16)).base64EncodedString() }
    return #","sealingKeys":[\#(texts.map { "\"\($0)\"" }.joined(separator: ","))]"#
  }

  private func put(_ name: String, _ value: String, _ user: Client) async throws -> String {
    let field = #""s":{"value":"\#(value)","type":"ENCRYPTED_BYTES","isEncrypted":true}"#
    let reply = try await user.ask(
      .private, .recordsModify,
      #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"\#(name)","#
        + #""recordType":"Note","fields":{\#(field)}}}],"zoneID":{"zoneName":"Z"}}"#)
    let record = reply["records"][0]
    return record["extensionErrorCode"].text ?? (record["recordChangeTag"].text == nil ? "?" : "ok")
  }

  @Test func `Values under a key that the bag does not name are rejected`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    #expect(try await put("one", Self.sealed(1), ada) == "ok")
    // A bag without names restricts nothing.
    #expect(try await save(ada, Self.zone, 0, "AAAA") == "1 ")
    #expect(try await put("one", Self.sealed(1), ada) == "ok")
    #expect(try await save(ada, Self.zone + Self.names(2, 3), 1, "AAAA") == "2 ")
    #expect(try await put("one", Self.sealed(1), ada) == "KEY_RETIRED")
    #expect(try await put("one", Self.sealed(2), ada) == "ok")
    #expect(try await put("two", Self.sealed(3), ada) == "ok")
    // A share has keys of its own, and its own bag.
    #expect(try await put("two", Self.sealed(1, share: "s"), ada) == "ok")
    // Values that are not sealed are not checked against the bag.
    #expect(try await put("two", "AAAA", ada) == "ok")
    #expect(try await save(ada, Self.zone + Self.names(4), 2, "AAAA") == "3 ")
    #expect(try await put("one", Self.sealed(2), ada) == "KEY_RETIRED")
  }

  @Test(arguments: [#","sealingKeys":["AAAA"]"#, names(1, 2, 3, 4, 5, 6, 7, 8, 9)])
  func `Key names have a fixed length and a limited number`(_ names: String) async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    #expect(try await save(ada, Self.zone + names, 0, "AAAA") == "BAD_REQUEST")
  }

  @Test func `A default zone's bag can be saved before its first record and is kept after it`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      let ada = try await Cloud(engine: engine).user("_ada")
      let place = Self.bag("ZONE", #","zoneID":{"zoneName":"_defaultZone"}"#)
      #expect(try await fetch(ada, place) == "NOT_FOUND")
      #expect(try await save(ada, place, 0, "AAAA") == "1 ")
      _ = try await ada.put("r", "Note")
      #expect(try await fetch(ada, place) == "1 AAAA")
      await engine.close()
    }
  }

  @Test func `Concurrent saves of a bag never overwrite each other`() async throws {
    let ada = try await cloud.user("_ada")
    let place = Self.bag("USER_PRIVATE")
    let wins = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<8 {
        group.addTask {
          var wins = 0
          // A save fails at most once for each of the 35 saves by other writers.
          for _ in 0..<40 where wins < 5 {
            let known = try await fetch(ada, place)
            let generation = known == "NOT_FOUND" ? 0 : Int(known.prefix { $0 != " " }) ?? -1
            if try await save(ada, place, generation, "AAA\(writer)") == "\(generation + 1) " {
              wins += 1
            }
          }
          return wins
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(wins == 40)
    #expect(try await fetch(ada, place).hasPrefix("40 "))
  }

  /// A request without a fingerprint is identified by its number only.
  @Test func `A replayed save succeeds, whatever generation a client names`() async throws {
    let ada = try await cloud.user("_ada")
    var call = ada.call(.private)
    call.stamp = RequestStamp(client: "A", number: 1, oldest: 1)
    func save(_ generation: Int64) async throws -> KeyBagResult? {
      let operation = KeyBagsModifyRequest.Operation(
        .save, .privateUser, generation: generation, data: [1])
      return try await cloud.server.modifyKeyBags(
        KeyBagsModifyRequest(operations: [operation]), call
      ).items.first?
      .result
    }
    guard case .saved(1, _) = try await save(0) else {
      throw CloudError(.internalError, "the bag was not saved")
    }
    // A newer bag exists when the request is repeated.
    #expect(try await self.save(ada, Self.bag("USER_PRIVATE"), 1, "AAAA") == "2 ")
    for (named, expected) in [(0, 1), (.max - 1, .max), (.max, .max), (.min, 1)] as [(Int64, Int64)]
    {
      guard case .saved(expected, _) = try await save(named) else {
        Issue.record("\(named) is not saved as \(expected)")
        continue
      }
    }
    #expect(try await fetch(ada, Self.bag("USER_PRIVATE")) == "2 AAAA")
  }

  @Test func `A bag is deleted with its zone`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = try await save(ada, Self.zone, 0, "AAAA")
    _ = try await ada.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    #expect(try await fetch(ada, Self.zone) == "ZONE_NOT_FOUND")
    try await ada.makeZone("Z")
    #expect(try await fetch(ada, Self.zone) == "NOT_FOUND")
  }

  @Test func `A bag is deleted with its share and not inherited by a later share of its name`()
    async throws
  {
    let engine = MemoryStorageEngine()
    let zone = try await SharedZone(Cloud(engine: engine))
    let place = Self.bag(
      "SHARE", #","zoneID":{"zoneName":"Z","ownerRecordName":"_ada"},"shareName":"S""#)
    let data = String(repeating: "A", count: 40_000)
    func bytes() async throws -> Int {
      try await engine.read {
        try $0.entries(in: .all).reduce(0) { $0 + $1.key.bytes.count + $1.value.count }
      }
    }
    try await zone.modify(.save("root"))
    for round in 1...3 {
      try await zone.share("S", of: "root", with: [])
      #expect(try await fetch(zone.ada, place) == "NOT_FOUND")
      // A writer that knows an earlier bag cannot replace this one.
      if round > 1 { #expect(try await save(zone.ada, place, round - 1, data) == "CONFLICT") }
      #expect(try await save(zone.ada, place, 0, data) == "\(round) ")
      #expect(try await fetch(zone.ada, place) == "\(round) \(data)")
      try await zone.modify(.delete("S"))
      #expect(try await bytes() < 20_000, "the deleted share's bag is still stored")
    }
    #expect(try await save(zone.ada, Self.bag("USER_PRIVATE"), 0, "") == "BAD_REQUEST")
  }

  /// An ended share leaves only tombstones, which count towards the quota.
  @Test func `Links of ended shares are deleted`() async throws {
    let engine = MemoryStorageEngine()
    let zone = try await SharedZone(Cloud(engine: engine))
    func links() async throws -> Int {
      // Links have the keyspace 9, which follows the name of their partition and a zero.
      try await engine.read { transaction in
        try transaction.entries(in: .all).count { entry in
          entry.key.bytes.firstIndex(of: 0).map { entry.key.bytes[$0 + 1] == 9 } ?? false
        }
      }
    }
    for name in ["a", "b"] {
      try await zone.modify(.save(name))
      try await zone.share("S", of: name, with: [])
      #expect(try await links() == 1)
      try await zone.modify(.delete("S"))
      #expect(try await links() == 0)
    }
    // The same holds if the root is deleted, or if one batch ends its share and shares it again.
    try await zone.share("S", of: "a", with: [])
    #expect(try await zone.modify(.delete("a")).records == ["a: deleted"])
    #expect(try await links() == 0)
    try await zone.share("S", of: "b", with: [])
    let again = try await zone.modify(.delete("S"), .share("S2", of: "b", with: []))
    #expect(again.records[1].hasPrefix("S2@"), "\(again)")
    #expect(try await links() == 1)
  }

  // MARK: Permissions

  @Test func `A share's bag is readable by participants and written by the owner`() async throws {
    let (ada, bob) = try await tree()
    let eve = try await cloud.user("_eve")
    #expect(try await save(ada, Self.share, 0, "AAAA") == "1 ")
    #expect(try await fetch(bob, Self.share, in: .shared) == "1 AAAA")
    #expect(try await save(bob, Self.share, 1, "BBBB", in: .shared) == "ACCESS_DENIED")
    #expect(try await save(ada, Self.zone, 0, "CCCC") == "1 ")
    #expect(try await fetch(bob, Self.zone, in: .shared) == "ACCESS_DENIED")
    for scope in [DatabaseScope.shared, .private] {
      #expect(try await fetch(eve, Self.share, in: scope) == "ZONE_NOT_FOUND")
      #expect(try await fetch(eve, Self.zone, in: scope) == "ZONE_NOT_FOUND")
      #expect(try await save(eve, Self.zone, 1, "EEEE", in: scope) == "ZONE_NOT_FOUND")
    }
    _ = try await ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"share","participants":[{"type":"OWNER"}]"#))
    #expect(try await fetch(bob, Self.share, in: .shared) == "ZONE_NOT_FOUND")
  }

  @Test func `A share's administrators can write its bag`() async throws {
    let (_, bob) = try await tree(bobIs: "ADMINISTRATOR")
    #expect(try await save(bob, Self.share, 0, "BBBB", in: .shared) == "1 ")
  }

  @Test func `A user's bag is written by the user and readable by all`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    let adas = Self.bag("USER_PUBLIC", #","userRecordName":"_ada""#)
    #expect(try await save(ada, Self.bag("USER_PUBLIC"), 0, "AAAA") == "1 ")
    #expect(try await fetch(bob, adas) == "1 AAAA")
    #expect(try await save(bob, adas, 1, "BBBB") == "ACCESS_DENIED")
    #expect(try await save(ada, Self.bag("USER_PRIVATE"), 0, "CCCC") == "1 ")
    #expect(
      try await fetch(bob, Self.bag("USER_PRIVATE", #","userRecordName":"_ada""#)) == "NOT_FOUND")
    #expect(try await fetch(ada, Self.bag("USER_PRIVATE")) == "1 CCCC")
  }

  @Test(arguments: [Caller.anonymous, .server("_key")])
  func `Only users have bags`(caller: Caller) async throws {
    let client = try await cloud.client(caller)
    let expected = caller == .anonymous ? "AUTHENTICATION_REQUIRED" : "ACCESS_DENIED"
    #expect(
      try await fetch(client, Self.bag("USER_PUBLIC", #","userRecordName":"_ada""#)) == expected)
    #expect(try await save(client, Self.bag("USER_PUBLIC"), 0, "AAAA") == expected)
  }

  @Test(arguments: [
    (#""bagType":"ROOM""#, "expected ZONE"), (#""generation":0"#, "bagType"),
    (#""bagType":"ZONE""#, "zoneID"),
    (#""bagType":"SHARE","zoneID":{"zoneName":"Z"}"#, "shareName"),
  ])
  func `Invalid bags are rejected`(place: String, reason: String) async throws {
    let ada = try await cloud.user("_ada")
    let reply = try await ada.ask(
      .private, .keyBagsModify, #"{"operations":[{"operationType":"save","bag":{\#(place)}}]}"#)
    #expect(reply.status == 400 && reply["reason"].text?.contains(reason) == true, "\(reply)")
  }

  @Test func `Bags have a maximum size and cannot be public`() async throws {
    var limits = ServiceLimits()
    limits.keyBagBytes = 3
    let ada = try await Cloud(limits: limits).user("_ada")
    #expect(try await save(ada, Self.bag("USER_PRIVATE"), 0, "AAAA") == "1 ")
    #expect(try await save(ada, Self.bag("USER_PRIVATE"), 1, "AAAAAA==") == "BAD_REQUEST")
    #expect(try await fetch(ada, Self.bag("USER_PRIVATE"), in: .public) == "BAD_REQUEST")
  }

  // MARK: Reset

  @Test func `A reset of a zone's bag deletes the zone, and requests get the reason`()
    async throws
  {
    let (ada, bob) = try await tree()
    func reset(_ client: Client, _ place: String, in scope: DatabaseScope = .private) async throws
      -> Reply
    {
      try await client.ask(
        scope, .keyBagsModify, #"{"operations":[{"operationType":"reset","bag":{\#(place)}}]}"#)[
          "bags"][0]
    }
    #expect(try await reset(bob, Self.zone, in: .shared)["serverErrorCode"].text == "ACCESS_DENIED")
    #expect(try await reset(ada, Self.share)["serverErrorCode"].text == "BAD_REQUEST")
    let standard = Self.bag("ZONE", #","zoneID":{"zoneName":"_defaultZone"}"#)
    #expect(try await reset(ada, standard)["serverErrorCode"].text == "ACCESS_DENIED")
    #expect(try await reset(ada, Self.zone)["reset"].flag == true)
    let gone = try await ada.lookUp(zone: "Z", "root")["records"][0]
    #expect(gone["serverErrorCode"].text == "ZONE_NOT_FOUND")
    #expect(gone["extensionErrorCode"].text == "ENCRYPTED_DATA_RESET")
    #expect(
      try await ada.changes(zone: "Z")["zones"][0]["extensionErrorCode"].text
        == "ENCRYPTED_DATA_RESET")
    try await ada.makeZone("Z")
    #expect(try await ada.lookUp(zone: "Z", "root").records == ["root: NOT_FOUND"])
    try await cloud.server.runMaintenance()
    #expect(try await save(ada, Self.zone, 0, "AAAA") == "1 ")
  }

  @Test func `The reset of a zone is forgotten after 181 days`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.ask(
      .private, .keyBagsModify, #"{"operations":[{"operationType":"reset","bag":{\#(Self.zone)}}]}"#
    )
    try await ada.makeZone("Other")
    try await cloud.server.runMaintenance()
    cloud.pass(seconds: 181 * 86_400)
    try await cloud.server.runMaintenance()
    let gone = try await ada.lookUp(zone: "Z", "root")["records"][0]
    #expect(
      gone["serverErrorCode"].text == "ZONE_NOT_FOUND" && !gone["extensionErrorCode"].isThere,
      "\(gone)")
  }
}
