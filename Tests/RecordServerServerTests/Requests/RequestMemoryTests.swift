import BinaryCoding
import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// Numbered requests: a replayed one is carried out once, and one that is too late is rejected.
@Suite struct `Numbered requests` {
  private let engine = MemoryStorageEngine()
  private let cloud: Cloud

  init() { cloud = Cloud(engine: engine) }

  private func note(_ name: String, _ title: String = "", tag: String? = nil) -> String {
    let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
    return
      #""recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(title)"}}\#(tag)"#
  }

  private func named(_ name: String) -> String { #""recordName":"\#(name)""# }

  private func ada() async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = cloud.notices.take()
    return ada
  }

  private let zoneShare =
    #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"#

  private func zones(_ client: Client, _ operation: String, _ name: String) async throws -> Reply {
    try await client.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"\#(operation)","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#
    )
  }

  // MARK: Replayed requests

  @Test func `A replayed request is carried out once and gets the same response`() async throws {
    let ada = try await ada()
    for (number, operation, result) in [
      (1, ("create", note("n1", "One")), "n1@1"),
      (2, ("update", note("n1", "Two", tag: "1")), "n1@2"),
      (3, ("forceUpdate", note("n1", "Three")), "n1@3"),
      (4, ("forceDelete", named("n1")), "n1: deleted"),
    ] as [(UInt64, (String, String), String)] {
      let first = try await ada.numbered(number).modify(zone: "Z", operation)
      let second = try await ada.numbered(number).modify(zone: "Z", operation)
      #expect(first.records == [result] && second.records == [result], "\(second)")
      #expect(first["records"][0].field("title") == second["records"][0].field("title"))
      #expect(cloud.notices.take().count == 1)
    }
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == [])
  }

  @Test func `A request without a number is carried out each time`() async throws {
    let ada = try await ada()
    #expect(try await ada.modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await ada.modify(zone: "Z", ("create", note("n1"))).records == ["n1: EXISTS"])
  }

  @Test func `A replay of a failed request fails, even if it would now succeed`() async throws {
    let ada = try await ada()
    let batch = [("create", note("n1")), ("update", note("absent", tag: "1"))]
    let first = try await ada.numbered(1).modify(zone: "Z", atomic: true, batch[0], batch[1])
    #expect(first.records == ["n1: ATOMIC_ERROR", "absent: NOT_FOUND"])
    _ = try await ada.modify(zone: "Z", ("create", note("absent")))
    let second = try await ada.numbered(1).modify(zone: "Z", atomic: true, batch[0], batch[1])
    #expect(second.records == first.records)
    #expect(second["records"][1]["reason"].text == first["records"][1]["reason"].text)
    let one = try await ada.numbered(2).modify(
      zone: "Z", atomic: false, batch[0], ("create", note("absent")))
    let again = try await ada.numbered(2).modify(
      zone: "Z", atomic: false, batch[0], ("create", note("absent")))
    #expect(one.records == ["n1@2", "absent: EXISTS"] && again.records == one.records)
  }

  @Test func `A replay returns the current records`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(1).modify(
      zone: "Z", ("create", note("n1", "One")), ("create", note("n2")))
    _ = try await ada.modify(
      zone: "Z", ("forceUpdate", note("n1", "Two")), ("forceDelete", named("n2")))
    let again = try await ada.numbered(1).modify(
      zone: "Z", ("create", note("n1", "One")), ("create", note("n2")))
    #expect(
      again.records == ["n1@3", "n2: NOT_FOUND"] && again["records"][0].field("title") == "Two")
  }

  @Test func `A request's result is stored with its changes in one write`() async throws {
    let engine = FailingEngine()
    let cloud = Cloud(engine: engine)
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    engine.fail(afterWrites: 1)
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await ada.numbered(2).modify(zone: "Z", ("create", note("n2"))).status == 503)
    engine.fail(afterWrites: nil)
    // A request that failed as a whole was not carried out and is not remembered.
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await ada.numbered(2).modify(zone: "Z", ("create", note("n2"))).records == ["n2@2"])
  }

  @Test(arguments: [DatabaseScope.public, .private]) func `Results are remembered in each database`(
    _ scope: DatabaseScope
  ) async throws {
    let ada = try await cloud.user("_ada")
    for _ in 0..<2 {
      let reply = try await ada.numbered(1).modify(in: scope, ("create", note("n1")))
      #expect(
        reply.records.count == 1 && !reply["records"][0]["serverErrorCode"].isThere, "\(reply)")
    }
  }

  @Test func `Numbers belong to their client`() async throws {
    let (ada, bob) = (try await ada(), try await cloud.user("_bob"))
    try await bob.makeZone("Z")
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await bob.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(
      try await ada.numbered(1, client: "B").modify(zone: "Z", ("create", note("n2"))).records == [
        "n2@2"
      ])
  }

  // MARK: Late requests

  @Test func `A request that its client has abandoned is rejected`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(5).modify(zone: "Z", ("create", note("n1")))
    _ = try await ada.numbered(7).modify(zone: "Z", ("forceDelete", named("n1")))
    for number in [5, 6] as [UInt64] {
      let late = try await ada.numbered(number).modify(zone: "Z", ("create", note("n1")))
      #expect(late.status == 400 && late["serverErrorCode"].text == "BAD_REQUEST", "\(late)")
    }
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == [])
  }

  @Test func `Requests out of order are carried out on arrival while the client waits`()
    async throws
  {
    let ada = try await ada()
    #expect(
      try await ada.numbered(2, oldest: 1).modify(zone: "Z", ("create", note("n2"))).records == [
        "n2@1"
      ])
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@2"])
    #expect(
      try await ada.numbered(2, oldest: 1).modify(zone: "Z", ("create", note("n2"))).records == [
        "n2@1"
      ])
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@2"])
  }

  @Test func `Zone requests are carried out once, and never after abandonment`() async throws {
    let ada = try await cloud.user("_ada")
    for _ in 0..<2 {
      #expect(try await zones(ada.numbered(1), "create", "Z")["zones"][0]["syncToken"].isThere)
    }
    for _ in 0..<2 {
      #expect(try await zones(ada.numbered(2), "delete", "Z")["zones"][0]["deleted"].flag == true)
    }
    _ = try await zones(ada.numbered(3), "create", "Z")
    #expect(try await zones(ada.numbered(2), "delete", "Z").status == 400)
    #expect(
      try await zones(ada.numbered(4), "delete", "Absent")["zones"][0]["serverErrorCode"].isThere)
    #expect(try await ada.modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
  }

  // MARK: Other requests

  @Test func `Subscription requests are carried out once, and never after abandonment`()
    async throws
  {
    let ada = try await ada()
    func modify(_ number: UInt64, _ operation: String, _ members: String = "") async throws -> Reply
    {
      let subscription = #"{"subscriptionID":"all"\#(members)}"#
      return try await ada.numbered(number).ask(
        .private, .subscriptionsModify,
        #"{"operations":[{"operationType":"\#(operation)","subscription":\#(subscription)}]}"#)
    }
    let whole = #","subscriptionType":"database""#
    for _ in 0..<2 {
      #expect(
        try await modify(1, "create", whole)["subscriptions"][0]["subscriptionType"].text
          == "database")
    }
    for _ in 0..<2 {
      #expect(try await modify(2, "delete")["subscriptions"][0]["deleted"].flag == true)
    }
    for _ in 0..<2 {
      #expect(
        try await modify(3, "delete")["subscriptions"][0]["serverErrorCode"].text == "NOT_FOUND")
    }
    #expect(try await modify(1, "create", whole).status == 400)
    #expect(try await ada.ask(.private, .subscriptionsList)["subscriptions"].list.isEmpty)
    let nameless =
      #"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"database"}}]}"#
    #expect(try await ada.numbered(4).ask(.private, .subscriptionsModify, nameless).status == 400)
  }

  @Test func `A replay returns a key bag's generation if a share's name returns`() async throws {
    let zone = try await SharedZone(Cloud())
    try await zone.modify(.save("root"))
    let bag =
      #""bagType":"SHARE","zoneID":{"zoneName":"Z"},"shareName":"S","generation":0,"data":"AAAA""#
    for round in 1...3 {
      try await zone.share("S", of: "root", with: [])
      for _ in 0..<2 {
        let reply = try await zone.ada.numbered(UInt64(round)).ask(
          .private, .keyBagsModify, #"{"operations":[{"operationType":"save","bag":{\#(bag)}}]}"#)
        #expect(reply["bags"][0]["generation"].number == Double(round), "\(reply)")
      }
      try await zone.modify(.delete("S"))
    }
  }

  @Test func `Key bag requests are carried out once, and never after abandonment`() async throws {
    let ada = try await ada()
    func modify(_ number: UInt64, _ operation: String, _ generation: Int = 0) async throws -> Reply
    {
      let bag =
        #""bagType":"ZONE","zoneID":{"zoneName":"Z"},"generation":\#(generation),"data":"AAAA""#
      return try await ada.numbered(number).ask(
        .private, .keyBagsModify,
        #"{"operations":[{"operationType":"\#(operation)","bag":{\#(bag)}}]}"#)
    }
    for number in [1, 2] as [UInt64] {
      for _ in 0..<2 {
        let reply = try await modify(number, "save", Int(number) - 1)
        #expect(reply["bags"][0]["generation"].number == Double(number), "\(reply)")
      }
    }
    for _ in 0..<2 {
      #expect(try await modify(3, "save")["bags"][0]["serverErrorCode"].text == "CONFLICT")
    }
    for _ in 0..<2 { #expect(try await modify(4, "reset")["bags"][0]["reset"].flag == true) }
    // A late reset does not delete the new zone.
    _ = try await zones(ada.numbered(5), "create", "Z")
    #expect(try await modify(4, "reset").status == 400)
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == [])
  }

  @Test func `Joins of a share are carried out once, and never after leaving`() async throws {
    let (ada, bob) = (try await ada(), try await cloud.user("_bob"))
    let share = try await ada.modify(
      zone: "Z", ("create", zoneShare + #""publicPermission":"READ_ONLY""#))
    let short = try #require(share["records"][0]["shortGUID"].text, "\(share)")
    _ = cloud.notices.take()
    func accept(_ number: UInt64) async throws -> Reply {
      try await bob.numbered(number).ask(
        .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    }
    for _ in 0..<2 {
      #expect(try await accept(1)["results"][0]["participantStatus"].text == "ACCEPTED")
    }
    #expect(cloud.notices.take().count == 1)
    let left = try await bob.numbered(2).modify(
      in: .shared, zone: "Z", owner: "_ada", ("forceDelete", named("cloudkit.zoneshare")))
    #expect(left.records == ["cloudkit.zoneshare: deleted"])
    #expect(try await accept(1).status == 400)
    #expect(try await bob.ask(.shared, .zonesList)["zones"].list.isEmpty)
  }

  @Test func `Access requests are carried out once, and never after a rejection`() async throws {
    let (ada, bob) = (try await ada(), try await cloud.user("_bob"))
    let share = try await ada.modify(
      zone: "Z", ("create", zoneShare + #""denyAccessRequests":false"#))
    let short = try #require(share["records"][0]["shortGUID"].text, "\(share)")
    func ask() async throws -> Reply {
      try await bob.numbered(1).ask(
        .public, .recordsRequestAccess, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    }
    func waiting() async throws -> Int {
      try await ada.lookUp(zone: "Z", "cloudkit.zoneshare")["records"][0]["requesters"].list.count
    }
    #expect(try await ask()["results"][0]["zoneID"]["zoneName"].text == "Z")
    #expect(try await waiting() == 1)
    let refused =
      #""recordName":"cloudkit.zoneshare","deniedRequesters":[{"userIdentity":{"userRecordName":"_bob"}}]"#
    _ = try await ada.modify(zone: "Z", ("forceUpdate", refused))
    #expect(try await waiting() == 0)
    #expect(try await ask()["results"][0]["zoneID"]["zoneName"].text == "Z")
    #expect(try await waiting() == 0)
  }

  // MARK: Misuse

  @Test func `Each request has one number and names its records`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(1).modify(zone: "Z", ("create", note("n1")))
    let other = try await ada.numbered(1).modify(
      zone: "Z", ("create", note("n2")), ("create", note("n3")))
    #expect(other.status == 400)
    let nameless = try await ada.numbered(2).modify(
      zone: "Z", ("create", #""recordType":"Note","fields":{}"#))
    #expect(nameless.status == 400)
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == ["n1@1"])
  }

  @Test func `A number that belonged to another request is rejected, however similar`() async throws
  {
    let ada = try await ada()
    let first = try await ada.numbered(1).modify(zone: "Z", ("create", note("n1", "One")))
    func isRefused(_ reply: Reply) -> Bool {
      reply.status == 400 && reply["reason"].text?.contains("another request") == true
    }
    for other in [
      ("create", note("n2", "One")), ("create", note("n1", "Two")), ("forceDelete", named("n1")),
    ] {
      let reply = try await ada.numbered(1).modify(zone: "Z", other)
      #expect(isRefused(reply), "\(other) \(reply)")
    }
    // Another operation, or one on another database, is not the same either.
    #expect(isRefused(try await zones(ada.numbered(1), "delete", "Z")))
    #expect(
      isRefused(
        try await ada.numbered(1).modify(in: .shared, zone: "Z", ("create", note("n1", "One")))))
    #expect(
      try await ada.numbered(1).modify(zone: "Z", ("create", note("n1", "One"))).records
        == first.records)
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == ["n1@1"])
  }

  // MARK: Bounds

  /// The number of clients with remembered requests.
  private func clientCount() async throws -> Int {
    try await engine.read { transaction in
      try transaction.entries(in: .all).count(where: Self.isOfRequests)
    }
  }

  private static func isOfRequests(_ entry: StorageEntry) -> Bool {
    let end = entry.key.bytes.firstIndex(of: 0) ?? 0
    return entry.key.bytes[end + 1] == 24
  }

  @Test
  func `After more than 64 later requests, replays and late requests are rejected`()
    async throws
  {
    let ada = try await ada()
    func create(_ number: UInt64) async throws -> Reply {
      try await ada.numbered(number, oldest: 1).modify(zone: "Z", ("create", note("m\(number)")))
    }
    // Three stay in flight.
    let late = [3, 40, 70] as [UInt64]
    for number in 1...140 as ClosedRange<UInt64> where !late.contains(number) {
      _ = try await create(number)
    }
    for number in [1, 2, 4, 39, 41, 69, 71, 73] as [UInt64] {
      let again = try await create(number)
      #expect(
        again.status == 400 && again["serverErrorCode"].text == "BAD_REQUEST", "\(number): \(again)"
      )
      #expect(again["reason"].text?.contains("forgotten") == true, "\(again)")
    }
    #expect(!(try await create(77))["records"][0]["serverErrorCode"].isThere)
    for number in late {
      let first = try await create(number)
      let again = try await create(number)
      #expect(
        first.records.first?.hasPrefix("m\(number)@") == true && again.records == first.records)
    }
    #expect(try await create(77).status == 400)
    // Once the client no longer waits for them, they are finished like others.
    _ = try await ada.numbered(141).modify(zone: "Z", ("create", note("m141")))
    #expect(try await create(40)["reason"].text?.contains("too late") == true)
    #expect(try await ada.changes(zone: "Z", limit: 200)["zones"][0].records.count == 141)
  }

  @Test func `Results take little memory, whatever their numbers`() async throws {
    let ada = try await ada()
    var greatest = 0
    for number in stride(from: 1, to: 800, by: 2) as StrideTo<UInt64> {
      let reply = try await ada.numbered(number, oldest: 1).modify(
        zone: "Z", ("forceUpdate", note("n")))
      #expect(!reply["records"][0]["serverErrorCode"].isThere, "\(reply)")
      let size = try await engine.read { transaction in
        try transaction.entries(in: .all).filter(Self.isOfRequests).map(\.value.count).max() ?? 0
      }
      greatest = max(greatest, size)
    }
    #expect(greatest < 2_000, "\(greatest)")
    let last = [UInt64.max - 1, .max] as [UInt64]
    for number in last {
      let reply = try await ada.numbered(number, oldest: 1).modify(
        zone: "Z", ("forceUpdate", note("n")))
      #expect(reply.status == 200, "\(reply)")
    }
    // The result of a request before so many others is unknown: it is neither carried out nor
    // reported as carried out.
    #expect(try await ada.numbered(1).modify(zone: "Z", ("forceUpdate", note("n"))).status == 503)
  }

  @Test func `Skipped requests are carried out, and unknown ones must be sent again`() async throws
  {
    let ada = try await ada()
    func create(_ number: UInt64, oldest: UInt64 = 1) async throws -> Reply {
      try await ada.numbered(number, oldest: oldest).modify(
        zone: "Z", ("create", note("m\(number)")))
    }
    func isUnknown(_ reply: Reply) -> Bool {
      reply.status == 503 && reply["serverErrorCode"].text == "TRY_AGAIN_LATER"
        && reply["reason"].text?.contains("It is unknown") == true
    }
    // Of 200 requests, the last 64 results are remembered. Of the 64 requests before, the numbers
    // are known, and of earlier ones only their range.
    let odd = Array(stride(from: 3, to: 403, by: 2)) as [UInt64]
    for number in odd { _ = try await create(number) }
    let known = odd[200 - 64 - 64]
    for number in [known - 2, 4, 3, 100] {
      #expect(isUnknown(try await create(number)), "\(number)")
    }
    #expect(try await create(known).status == 400)
    // Numbers that were never sent are carried out, because they are not known to have been.
    for number in [known + 1, 300, 2, 1] {
      let first = try await create(number)
      #expect(first.records.first?.hasPrefix("m\(number)@") == true, "\(number): \(first)")
      #expect(try await create(number).records == first.records)
    }
    // Free space does not bring the results back.
    #expect(isUnknown(try await create(6)))
    // A finished request is rejected like others.
    _ = try await create(500, oldest: 5)
    #expect(try await create(4, oldest: 4).status == 400)
    #expect(isUnknown(try await create(6, oldest: 5)))
    #expect(
      try await ada.lookUp(zone: "Z", "m4", "m6", "m100").records == [
        "m4: NOT_FOUND", "m6: NOT_FOUND", "m100: NOT_FOUND",
      ])
  }

  @Test func `Results are forgotten after a client's day of absence`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(1, client: "A").modify(zone: "Z", ("create", note("n1")))
    cloud.pass(seconds: 80_000)
    _ = try await ada.numbered(1, client: "B").modify(zone: "Z", ("create", note("n2")))
    try await cloud.server.runMaintenance()
    #expect(try await clientCount() == 2)
    cloud.pass(seconds: 7_000)
    try await cloud.server.runMaintenance()
    #expect(try await clientCount() == 1)
    #expect(
      try await ada.numbered(1, client: "B").modify(zone: "Z", ("create", note("n2"))).records == [
        "n2@2"
      ])
    cloud.pass(seconds: 90_000)
    try await cloud.server.runMaintenance()
    #expect(try await clientCount() == 0)
    // Later clients are remembered and forgotten like the first.
    _ = try await ada.numbered(1, client: "C").modify(zone: "Z", ("create", note("n3")))
    cloud.pass(seconds: 90_000)
    try await cloud.server.runMaintenance()
    #expect(try await clientCount() == 0)
  }

  @Test func `Results are kept for a hundred clients of a user, and sixty-four each`() async throws
  {
    let ada = try await ada()
    var last: [String] = []
    for number in 0..<103 {
      cloud.pass(seconds: 1)
      let reply = try await ada.numbered(1, client: "c\(number)").modify(
        zone: "Z", ("forceUpdate", note("n", "\(number)")))
      last = reply.records
    }
    #expect(try await clientCount() == 100)
    func again(_ number: Int) async throws -> [String] {
      try await ada.numbered(1, client: "c\(number)").modify(
        zone: "Z", ("forceUpdate", note("n", "\(number)"))
      ).records
    }
    #expect(try await again(102) == last)
    #expect(try await again(0) != last)
    for number in 1...65 as ClosedRange<UInt64> {
      _ = try await ada.numbered(number, oldest: 1, client: "many").modify(
        zone: "Z", ("create", note("m\(number)")))
    }
    let names = [1, 2].map { "m\($0)" }
    let first = try await ada.numbered(1, client: "many").modify(
      zone: "Z", ("create", note(names[0])))
    let second = try await ada.numbered(2, oldest: 1, client: "many").modify(
      zone: "Z", ("create", note(names[1])))
    #expect(first.status == 400 && !second["records"][0]["serverErrorCode"].isThere, "\(second)")
  }

  @Test func `A new client costs the same, whatever others have stored`() async throws {
    func bytes(_ requests: UInt64) async throws -> (bytes: Int, clients: Int) {
      let engine = ByteCountingEngine()
      let ada = try await Cloud(engine: engine).user("_ada")
      try await ada.makeZone("Z")
      func fail(_ number: UInt64, _ client: String) async throws {
        let names = (0..<8).map {
          "\(client)-\(number)-\($0)-" + String(repeating: "x", count: 200)
        }
        let operations = names.map {
          #"{"operationType":"update","record":{\#(note($0, tag: "1"))}}"#
        }
        _ = try await ada.numbered(number, oldest: 1, client: client).ask(
          .private, .recordsModify,
          #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"Z"},"atomic":false}"#
        )
      }
      for client in 0..<100 {
        for number in 1...requests { try await fail(number, "c\(client)") }
      }
      engine.reset()
      try await fail(1, "new")
      let read = engine.bytes
      let clients = try await engine.read { transaction in
        try transaction.entries(in: .all).count(where: Self.isOfRequests)
      }
      return (read, clients)
    }
    let (few, many) = (try await bytes(1), try await bytes(20))
    #expect(few.clients == 100 && many.clients == 100)
    #expect(
      many.bytes < 20_000 && many.bytes <= few.bytes + 64, "\(few.bytes) and \(many.bytes) bytes")
  }

  // MARK: Forgotten clients

  /// Only a forgotten client's requests that apply to any state are carried out twice.
  ///
  /// All others find the earlier result.
  @Test(arguments: [false, true]) func `A forgotten client's requests overwrite no unseen change`(
    isOld: Bool
  ) async throws {
    let (ada, bob) = (try await ada(), try await cloud.user("_bob"))
    _ = try await ada.modify(zone: "Z", ("create", note("changed")), ("create", note("deleted")))
    let asked: [(UInt64, (String, String))] = [
      (1, ("create", note("made"))), (2, ("update", note("changed", "Mine", tag: "1"))),
      (3, ("delete", named("deleted") + #","recordChangeTag":"2""#)),
    ]
    for (number, operation) in asked {
      #expect(try await ada.numbered(number, oldest: 1).modify(zone: "Z", operation).status == 200)
    }
    let share = try await ada.modify(
      zone: "Z", ("create", zoneShare + #""publicPermission":"READ_ONLY""#))
    let short = try #require(share["records"][0]["shortGUID"].text, "\(share)")
    let join = #"{"shortGUIDs":[{"value":"\#(short)"}]}"#
    #expect(try await bob.numbered(1).ask(.public, .recordsAccept, join).status == 200)
    // Another client has changed the created record meanwhile.
    _ = try await ada.modify(zone: "Z", ("forceUpdate", note("made", "Theirs")))
    _ = try await ada.modify(zone: "Z", ("forceUpdate", note("changed", "Theirs")))
    if isOld {
      cloud.pass(seconds: 90_000)
      try await cloud.server.runMaintenance()
      #expect(try await clientCount() == 0)
    } else {
      for client in 0..<100 {
        cloud.pass(seconds: 60)
        for one in [ada, bob] {
          _ = try await one.numbered(1, client: "c\(client)").ask(
            .private, .zonesModify,
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Y"}}}]}"#)
        }
      }
      #expect(try await clientCount() == 200)
    }
    var reported: [String] = []
    for (number, operation) in asked {
      reported += try await ada.numbered(number, oldest: 1).modify(zone: "Z", operation).records
    }
    #expect(reported == ["made: EXISTS", "changed: CONFLICT", "deleted: NOT_FOUND"])
    let now = try await ada.lookUp(zone: "Z", "made", "changed")["records"]
    #expect(now.list.map { $0.field("title") } == ["Theirs", "Theirs"])
    // A participant stays a participant.
    #expect(
      try await bob.numbered(1).ask(.public, .recordsAccept, join)["results"][0][
        "participantStatus"
      ].text == "ACCEPTED"
    )
    let people = try await ada.lookUp(zone: "Z", "cloudkit.zoneshare")["records"][0]["participants"]
    #expect(people.list.count == 2)
  }
}
