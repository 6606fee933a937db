import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// Requests that have numbers: what comes twice is done once, and what comes too late not at all.
@Suite struct `Numbered requests` {
  private let engine = MemoryStorageEngine()
  private let cloud: Cloud

  init() { cloud = Cloud(engine: engine) }

  private func note(_ name: String, _ title: String = "", tag: String? = nil) -> String {
    let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
    return #""recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(title)"}}\#(tag)"#
  }

  private func named(_ name: String) -> String { #""recordName":"\#(name)""# }

  private func ada() async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = cloud.notices.take()
    return ada
  }

  private func zones(_ client: Client, _ operation: String, _ name: String) async throws -> Reply {
    try await client.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"\#(operation)","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#)
  }

  // MARK: Twice

  @Test func `that come twice are done once, and are told the same`() async throws {
    let ada = try await ada()
    for (number, operation, result) in [
      (1, ("create", note("n1", "One")), "n1@1"), (2, ("update", note("n1", "Two", tag: "1")), "n1@2"),
      (3, ("forceUpdate", note("n1", "Three")), "n1@3"), (4, ("forceDelete", named("n1")), "n1: deleted"),
    ] as [(UInt64, (String, String), String)] {
      let first = try await ada.numbered(number).modify(zone: "Z", operation)
      let second = try await ada.numbered(number).modify(zone: "Z", operation)
      #expect(first.records == [result] && second.records == [result], "\(second)")
      #expect(first["records"][0].field("title") == second["records"][0].field("title"))
      #expect(cloud.notices.take().count == 1)
    }
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == [])
  }

  @Test func `without a number are done each time`() async throws {
    let ada = try await ada()
    #expect(try await ada.modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await ada.modify(zone: "Z", ("create", note("n1"))).records == ["n1: EXISTS"])
  }

  @Test func `that failed are told to have failed, though they would go well by now`() async throws {
    let ada = try await ada()
    let batch = [("create", note("n1")), ("update", note("absent", tag: "1"))]
    let first = try await ada.numbered(1).modify(zone: "Z", atomic: true, batch[0], batch[1])
    #expect(first.records == ["n1: ATOMIC_ERROR", "absent: NOT_FOUND"])
    _ = try await ada.modify(zone: "Z", ("create", note("absent")))
    let second = try await ada.numbered(1).modify(zone: "Z", atomic: true, batch[0], batch[1])
    #expect(second.records == first.records)
    #expect(second["records"][1]["reason"].text == first["records"][1]["reason"].text)
    let one = try await ada.numbered(2).modify(zone: "Z", atomic: false, batch[0], ("create", note("absent")))
    let again = try await ada.numbered(2).modify(zone: "Z", atomic: false, batch[0], ("create", note("absent")))
    #expect(one.records == ["n1@2", "absent: EXISTS"] && again.records == one.records)
  }

  @Test func `tell of records as they are now`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(1).modify(zone: "Z", ("create", note("n1", "One")), ("create", note("n2")))
    _ = try await ada.modify(zone: "Z", ("forceUpdate", note("n1", "Two")), ("forceDelete", named("n2")))
    let again = try await ada.numbered(1).modify(zone: "Z", ("create", note("n1", "One")), ("create", note("n2")))
    #expect(again.records == ["n1@3", "n2: NOT_FOUND"] && again["records"][0].field("title") == "Two")
  }

  @Test func `are stored with what they did, in one write`() async throws {
    let engine = FailingEngine()
    let cloud = Cloud(engine: engine)
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    engine.fail(afterWrites: 1)
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await ada.numbered(2).modify(zone: "Z", ("create", note("n2"))).status == 503)
    engine.fail(afterWrites: nil)
    // What failed as a whole was not done, and is not remembered.
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await ada.numbered(2).modify(zone: "Z", ("create", note("n2"))).records == ["n2@2"])
  }

  @Test(arguments: [DatabaseScope.public, .private]) func `are remembered in each database`(
    _ scope: DatabaseScope
  ) async throws {
    let ada = try await cloud.user("_ada")
    for _ in 0..<2 {
      let reply = try await ada.numbered(1).modify(in: scope, ("create", note("n1")))
      #expect(reply.records.count == 1 && !reply["records"][0]["serverErrorCode"].isThere, "\(reply)")
    }
  }

  @Test func `are their clients' own`() async throws {
    let (ada, bob) = (try await ada(), try await cloud.user("_bob"))
    try await bob.makeZone("Z")
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await bob.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
    #expect(try await ada.numbered(1, client: "B").modify(zone: "Z", ("create", note("n2"))).records == ["n2@2"])
  }

  // MARK: Late

  @Test func `that their client has given up are refused`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(5).modify(zone: "Z", ("create", note("n1")))
    _ = try await ada.numbered(7).modify(zone: "Z", ("forceDelete", named("n1")))
    for number in [5, 6] as [UInt64] {
      let late = try await ada.numbered(number).modify(zone: "Z", ("create", note("n1")))
      #expect(late.status == 400 && late["serverErrorCode"].text == "BAD_REQUEST", "\(late)")
    }
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == [])
  }

  @Test func `that overtake each other are done as they come, while their client waits for them`() async throws {
    let ada = try await ada()
    #expect(try await ada.numbered(2, oldest: 1).modify(zone: "Z", ("create", note("n2"))).records == ["n2@1"])
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@2"])
    #expect(try await ada.numbered(2, oldest: 1).modify(zone: "Z", ("create", note("n2"))).records == ["n2@1"])
    #expect(try await ada.numbered(1).modify(zone: "Z", ("create", note("n1"))).records == ["n1@2"])
  }

  @Test func `of zones are done once, and not once they were given up`() async throws {
    let ada = try await cloud.user("_ada")
    for _ in 0..<2 { #expect(try await zones(ada.numbered(1), "create", "Z")["zones"][0]["syncToken"].isThere) }
    for _ in 0..<2 { #expect(try await zones(ada.numbered(2), "delete", "Z")["zones"][0]["deleted"].flag == true) }
    _ = try await zones(ada.numbered(3), "create", "Z")
    #expect(try await zones(ada.numbered(2), "delete", "Z").status == 400)
    #expect(try await zones(ada.numbered(4), "delete", "Absent")["zones"][0]["serverErrorCode"].isThere)
    #expect(try await ada.modify(zone: "Z", ("create", note("n1"))).records == ["n1@1"])
  }

  // MARK: Misuse

  @Test func `have one number each, and name their records`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(1).modify(zone: "Z", ("create", note("n1")))
    let other = try await ada.numbered(1).modify(zone: "Z", ("create", note("n2")), ("create", note("n3")))
    #expect(other.status == 400)
    let nameless = try await ada.numbered(2).modify(zone: "Z", ("create", #""recordType":"Note","fields":{}"#))
    #expect(nameless.status == 400)
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == ["n1@1"])
  }

  // MARK: Bounds

  /// The clients whose requests are remembered.
  private func clientCount() async throws -> Int {
    try await engine.read { transaction in
      try transaction.entries(in: .all).count { entry in
        let end = entry.key.bytes.firstIndex(of: 0) ?? 0
        return entry.key.bytes[end + 1] == 24
      }
    }
  }

  @Test func `are forgotten when their client has not come for a day`() async throws {
    let ada = try await ada()
    _ = try await ada.numbered(1, client: "A").modify(zone: "Z", ("create", note("n1")))
    cloud.pass(seconds: 80_000)
    _ = try await ada.numbered(1, client: "B").modify(zone: "Z", ("create", note("n2")))
    try await cloud.server.doChores()
    #expect(try await clientCount() == 2)
    cloud.pass(seconds: 7_000)
    try await cloud.server.doChores()
    #expect(try await clientCount() == 1)
    #expect(try await ada.numbered(1, client: "B").modify(zone: "Z", ("create", note("n2"))).records == ["n2@2"])
    cloud.pass(seconds: 90_000)
    try await cloud.server.doChores()
    #expect(try await clientCount() == 0)
    // Whoever comes after that is remembered, and forgotten, like the first.
    _ = try await ada.numbered(1, client: "C").modify(zone: "Z", ("create", note("n3")))
    cloud.pass(seconds: 90_000)
    try await cloud.server.doChores()
    #expect(try await clientCount() == 0)
  }

  @Test func `are those of a hundred clients of a user at most, and of each the last sixty-four`() async throws {
    let ada = try await ada()
    var last: [String] = []
    for number in 0..<103 {
      cloud.pass(seconds: 1)
      let reply = try await ada.numbered(1, client: "c\(number)").modify(
        zone: "Z", ("forceUpdate", note("n", "\(number)")))
      last = reply.records
    }
    #expect(try await clientCount() == 100)
    func again(_ client: String) async throws -> [String] {
      try await ada.numbered(1, client: client).modify(zone: "Z", ("forceUpdate", note("n", "again"))).records
    }
    #expect(try await again("c102") == last)
    #expect(try await again("c0") != last)
    for number in 1...65 as ClosedRange<UInt64> {
      _ = try await ada.numbered(number, oldest: 1, client: "many").modify(zone: "Z", ("create", note("m\(number)")))
    }
    let names = [1, 2].map { "m\($0)" }
    let first = try await ada.numbered(1, client: "many").modify(zone: "Z", ("create", note(names[0])))
    let second = try await ada.numbered(2, oldest: 1, client: "many").modify(zone: "Z", ("create", note(names[1])))
    #expect(first.records == ["m1: EXISTS"] && !second["records"][0]["serverErrorCode"].isThere, "\(second)")
  }
}

extension Client {
  /// The same client with its next request's number; it waits for none before, unless another is named.
  fileprivate func numbered(_ number: UInt64, oldest: UInt64? = nil, client: String = "A") -> Client {
    var numbered = self
    numbered.stamp = RequestStamp(client: client, number: number, oldest: oldest ?? number)
    return numbered
  }
}
