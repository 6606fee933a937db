import CloudRecords
import CloudWire
import RecordServer
import Testing

@Suite struct `Chains of parents` {
  /// Saves below a chain that ends with the record `last`.
  static let requests: [[SharedZoneOperation]] = [
    [.save("last", text: "changed")], [.save("new", under: .record("last"))],
    [.save("second", under: .record("first")), .save("first", under: .record("last"))],
  ]

  @Test(arguments: requests, [false, true])
  func `A save reads as much below a long chain as below a short one`(
    request: [SharedZoneOperation], isOwner: Bool
  ) async throws {
    let short = try await bytesRead(by: request, isOwner, below: 2)
    let long = try await bytesRead(by: request, isOwner, below: 150)
    #expect(long < short + 100)
  }

  /// The number of bytes that a request reads below a shared chain of parents.
  private func bytesRead(by request: [SharedZoneOperation], _ isOwner: Bool, below length: Int)
    async throws -> Int
  {
    let engine = ByteCountingEngine()
    let zone = try await SharedZone(Cloud(engine: engine))
    let bob = try await zone.cloud.user("_bob")
    let names = (0..<length).map { "r\($0 + 100)" } + ["last"]
    var chain = [SharedZoneOperation.save(names[0])]
    for (parent, child) in zip(names, names.dropFirst()) {
      chain.append(.save(child, under: .record(parent)))
    }
    try await zone.modify(chain)
    try await zone.share("S", of: names[0], with: [(bob, "READ_WRITE")])
    engine.reset()
    let reply = try await zone.modify(by: isOwner ? zone.ada : bob, request)
    let bytes = engine.bytes
    // The share covers what was saved.
    let saved = reply["records"].list.compactMap { $0["recordName"].text }
    #expect(saved.count == request.count, "\(reply)")
    #expect(try await zone.lookUp(by: bob, saved).records == reply.records)
    return bytes
  }

  @Test func `A stored record cannot become the child of a new descendant`() async throws {
    let zone = try await SharedZone(Cloud())
    try await zone.modify(.save("a"), .save("b", under: .record("a")))
    let reply = try await zone.modify(
      atomic: false, .save("new", under: .record("b")), .save("a", under: .record("new")))
    #expect(reply.records == ["new@3", "a: BAD_REQUEST"])
  }

  @Test func `New records cannot be each other's parents`() async throws {
    let zone = try await SharedZone(Cloud())
    let reply = try await zone.modify(
      atomic: false, .save("a", under: .record("c")), .save("b", under: .record("a")),
      .save("c", under: .record("b")))
    #expect(reply.records.allSatisfy { $0.contains(": ") }, "\(reply)")
    #expect(
      try await zone.lookUp("a", "b", "c") == ["a: NOT_FOUND", "b: NOT_FOUND", "c: NOT_FOUND"])
  }
}
