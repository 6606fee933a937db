import CloudRecords
import CloudWire
import RecordServer
import Testing

/// The cost of sharing a large tree, and of ending the share.
@Suite struct `Large shared trees` {
  private let engine = ByteCountingEngine()
  private let text = String(repeating: "x", count: 2_000)

  /// A zone with a root and a tree of records of two kilobytes.
  private func tree(_ count: Int) async throws -> SharedZone {
    let zone = try await SharedZone(Cloud(engine: engine))
    try await zone.modify(.save("root"))
    let fields = #""recordType":"Node","fields":{"t":{"value":"\#(text)"}}"#
    for start in stride(from: 0, to: count, by: 100) {
      // Every tenth of them has the next nine as its children.
      try await zone.modify(
        (start..<min(start + 100, count)).map { number in
          let parent = number.isMultiple(of: 10) ? "root" : "n\(number - number % 10)"
          return SharedZoneOperation(
            kind: "create",
            record: #""recordName":"n\#(number)","parent":{"recordName":"\#(parent)"},\#(fields)"#)
        })
    }
    return zone
  }

  /// Reads the owner's feed to its end, and returns the number of records and the token.
  private func read(_ zone: SharedZone, since start: String? = nil) async throws -> (
    count: Int, token: String?
  ) {
    var (count, token) = (0, start)
    while true {
      let page = try await zone.ada.changes(zone: "Z", since: token)["zones"][0]
      count += page["records"].list.count
      token = page["syncToken"].text
      guard page["moreComing"].flag == true else { return (count, token) }
    }
  }

  @Test func `A tree is never in memory as a whole when sharing starts or ends`() async throws {
    let zone = try await tree(300)
    let bob = try await zone.cloud.user("_bob")
    engine.reset()
    try await zone.share("S", of: "root", with: [(bob, "READ_ONLY")])
    #expect(engine.bytes > 300 * 2_000)
    #expect(engine.mostHeld < 100_000)
    #expect(try await zone.lookUp(by: bob, "root", "n0", "n299").allSatisfy { !$0.contains(":") })
    let token = try await read(zone).token
    engine.reset()
    try await zone.modify(.delete("S"))
    #expect(engine.bytes > 300 * 2_000)
    #expect(engine.mostHeld < 100_000)
    // The feed has all records whose share has changed.
    #expect(try await read(zone, since: token).count == 302)
    #expect(
      try await zone.lookUp(by: bob, "n0", "n299") == [
        "n0: ZONE_NOT_FOUND", "n299: ZONE_NOT_FOUND",
      ])
  }

  @Test func `A share covers its tree to the leaves, except records with their own share`()
    async throws
  {
    let zone = try await SharedZone(Cloud(engine: engine))
    let (bob, eve) = (try await zone.cloud.user("_bob"), try await zone.cloud.user("_eve"))
    try await zone.modify(
      .save("root"), .save("a", under: .record("root")), .save("b", under: .record("a")),
      .save("own", under: .record("root")), .save("c", under: .record("own")))
    try await zone.share("E", of: "own", with: [(eve, "READ_ONLY")])
    try await zone.share("S", of: "root", with: [(bob, "READ_ONLY")])
    func seen(_ client: Client) async throws -> [Bool] {
      try await zone.lookUp(by: client, "root", "a", "b", "own", "c").map { !$0.contains(":") }
    }
    #expect(try await seen(bob) == [true, true, true, false, false])
    #expect(try await seen(eve) == [false, false, false, true, true])
    try await zone.modify(.delete("E"))
    #expect(try await seen(bob) == [true, true, true, true, true])
    // Records that the request itself moves follow their new parent.
    try await zone.modify(
      .save("x"), .save("a", under: .record("x")), .save("d", under: .record("b")))
    #expect(try await seen(bob) == [true, false, false, true, true])
    #expect(try await zone.lookUp(by: bob, "d") == ["d: NOT_FOUND"])
  }
}
