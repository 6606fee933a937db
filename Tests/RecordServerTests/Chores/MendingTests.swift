import CloudRecords
import RecordServer
import RecordStorage
import Testing

/// What deletions of earlier servers left untrue.
@Suite struct `Records whose parents went without them` {
  /// A zone whose records `k` and `kk` say that they belong to a share, though `k`'s parent is
  /// gone.
  private func begin(_ engine: any StorageEngine) async throws -> (zone: SharedZone, bob: Client) {
    let zone = try await SharedZone(Cloud(engine: engine))
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(
      .save("root"), .save("kid", under: .record("root")), .save("k"),
      .save("kk", under: .record("k")),
      .save("other"))
    try await zone.share("S", of: "root", with: [(bob, "READ_WRITE")])
    try await engine.changeStoredRecords { record in
      if record.recordName == "k" { record.parentName = "gone" }
      if record.recordName.hasPrefix("k") { record.coveringShareName = "S" }
    }
    return (zone, bob)
  }

  @Test func `belong to their share no more, and those who saw them are told`() async throws {
    let (zone, bob) = try await begin(MemoryStorageEngine())
    var reader = SharedZoneReader(bob, zone)
    try await reader.catchUp()
    #expect(reader.names == ["S", "k", "kid", "kk", "root"])
    let before = try await zone.lookUp("k", "kk")
    _ = zone.cloud.notices.take()
    try await zone.cloud.server.doChores()
    #expect(
      try await zone.lookUp(by: bob, "k", "kk", "other").allSatisfy { $0.hasSuffix("NOT_FOUND") })
    try await reader.catchUp()
    #expect(reader.names == ["S", "kid", "root"])
    #expect(Set(reader.takeTold()) == ["k", "kk"])
    // Its owner has them as they were, and devices that listen hear of it.
    #expect(try await zone.lookUp("k", "kk") == before)
    let told = zone.cloud.notices.take()
    #expect(
      told.count == 1 && Set(told[0].events.map(\.record.recordName)) == ["k", "kk"], "\(told)")
  }

  @Test func `are looked for once`() async throws {
    let engine = MemoryStorageEngine()
    let (zone, bob) = try await begin(engine)
    try await zone.cloud.server.doChores()
    let place = try await zone.token()
    try await zone.cloud.server.doChores()
    #expect(try await zone.token() == place)
    // What is untrue from here on is no earlier program's doing.
    try await engine.changeStoredRecords {
      if $0.recordName == "other" { $0.coveringShareName = "S" }
    }
    try await zone.cloud.server.doChores()
    #expect(try await zone.lookUp(by: bob, "other")[0].hasPrefix("other@"))
  }
}
