import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

@Suite struct `Maintenance tasks` {
  private let engine = MemoryStorageEngine()
  private let cloud: Cloud
  private static let horizon: Int64 = 100

  init() {
    var limits = ServiceLimits()
    limits.tombstoneSeconds = Self.horizon
    cloud = Cloud(limits: limits, engine: engine)
  }

  private func entryCount() async throws -> Int {
    try await engine.read { try $0.entries(in: .all).count }
  }

  private func delete(_ client: Client, _ zone: String) async throws {
    _ = try await client.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#)
  }

  // MARK: Tombstones

  @Test func `Expired tombstones are purged, and older readers start over`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    for name in ["a", "b", "c"] { _ = try await ada.put(name, "T", zone: "Z") }
    let old = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"a""#))
    let between = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    cloud.pass(seconds: 60)
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"b""#))
    try await cloud.server.runMaintenance()
    // Nothing is old enough yet.
    #expect(
      try await ada.changes(zone: "Z", since: old)["zones"][0].records == [
        "a: deleted", "b: deleted",
      ])
    cloud.pass(seconds: 50)
    try await cloud.server.runMaintenance()
    let expired = try await ada.changes(zone: "Z", since: old)["zones"][0]
    #expect(expired["serverErrorCode"].text == "BAD_REQUEST")
    #expect(expired["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED")
    #expect(try await ada.changes(zone: "Z", since: between)["zones"][0].records == ["b: deleted"])
    cloud.pass(seconds: 60)
    try await cloud.server.runMaintenance()
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == ["c@3"])
    #expect(
      try await ada.changes(zone: "Z", since: between)["zones"][0]["extensionErrorCode"].text
        == "CHANGE_TOKEN_EXPIRED")
  }

  @Test
  func `A paged read can continue after a purge before its start, but not after a later one`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    for name in ["a", "b", "c", "d"] { _ = try await ada.put(name, "T", zone: "Z") }
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"d""#))
    cloud.pass(seconds: 2 * Self.horizon)
    try await cloud.server.runMaintenance()
    let first = try await ada.changes(zone: "Z", limit: 1)["zones"][0]
    #expect(first.records == ["a@1"])
    let second = try await ada.changes(zone: "Z", since: first["syncToken"].text, limit: 1)[
      "zones"][0]
    #expect(second.records == ["b@2"], "\(second)")
    // A record that was read is deleted, and its tombstone is purged, before the rest is requested.
    // The reader was never notified.
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"a""#))
    cloud.pass(seconds: 2 * Self.horizon)
    try await cloud.server.runMaintenance()
    let third = try await ada.changes(zone: "Z", since: second["syncToken"].text, limit: 1)[
      "zones"][0]
    #expect(third["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED", "\(third)")
  }

  @Test func `A deleted name leaves no data and can be used again`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    try await cloud.server.runMaintenance()
    let before = try await entryCount()
    _ = try await ada.modify(
      zone: "Z", ("create", #""recordName":"a","recordType":"Users2","fields":{}"#))
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"a""#))
    _ = try await ada.put("a", "Users2", zone: "Z")
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"a""#))
    cloud.pass(seconds: 2 * Self.horizon)
    #expect(try await cloud.server.runMaintenance() > 0)
    // The schema has a new type; everything else was removed.
    #expect(try await entryCount() == before + 1)
    #expect(try await cloud.server.runMaintenance() == 0)
    #expect(try await ada.put("a", "Users2", zone: "Z").records == ["a@5"])
  }

  @Test func `One task purges more tombstones than one step can`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    try await ada.modifyMany("create", 0..<1_200, zone: "Z", #","recordType":"T","fields":{}"#)
    try await cloud.server.runMaintenance()
    let kept = try await entryCount()
    try await ada.modifyMany("forceDelete", 0..<1_100, zone: "Z")
    cloud.pass(seconds: 2 * Self.horizon)
    #expect(try await cloud.server.runMaintenance() == 1)
    // Each record had an entry and a name.
    #expect(try await entryCount() == kept - 2_200)
    #expect(
      try await ada.lookUp(zone: "Z", "n0", "n1199").records == ["n0: NOT_FOUND", "n1199@xc"])
  }

  @Test func `Tasks run although the creation of a suggested index fails`() async throws {
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = 0
    let engine = InterleavingEngine()
    let cloud = Cloud(limits: limits, engine: engine)
    let ada = try await cloud.user("_ada")
    for zone in ["Z", "Gone"] { try await ada.makeZone(zone) }
    _ = try await ada.put("r", "T", #""n":{"value":1}"#, zone: "Z")
    let filter = #"{"comparator":"EQUALS","fieldName":"n","fieldValue":{"value":1}}"#
    _ = try await ada.ask(
      .private, .recordsQuery,
      #"{"query":{"recordType":"T","filterBy":[\#(filter)]},"zoneID":{"zoneName":"Z"}}"#)
    try await delete(ada, "Gone")
    // The write that creates the index reports a failure.
    engine.betweenWrites {
      throw StorageError(.unavailable, "an injected fault")
    }
    let failure = try await refusal { _ = try await cloud.server.runMaintenance() }
    #expect(failure?.code == .tryAgainLater)
    #expect(try await cloud.server.runMaintenance() == 0)
  }

  // MARK: Zones

  @Test func `Contents of deleted zones are erased, and their tombstones once they expire`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    _ = try await ada.put("first", "T")
    try await ada.makeZone("Other")
    let file = #""file":{"value":\#(try await ada.upload("contents"))}"#
    _ = try await ada.put("held", "T", file)
    try await cloud.server.runMaintenance()
    let empty = try await entryCount()
    try await ada.makeZone("Z")
    try await ada.modifyMany(
      "create", 0..<700, zone: "Z", #","recordType":"T","fields":{\#(file)}"#)
    let token = try await ada.databaseChanges()["syncToken"].text
    try await delete(ada, "Z")
    try await ada.makeZone("Z")
    #expect(try await ada.lookUp(zone: "Z", "n0").records == ["n0: NOT_FOUND"])
    // One task erases the contents, and one schedules the removal of the deleted zone's entry.
    #expect(try await cloud.server.runMaintenance() == 2)
    // The entries of the new zone and of the old one remain, and the old one's place in the order
    // of deletions, until the old zone is forgotten.
    #expect(try await entryCount() == empty + 5)
    #expect(try await ada.databaseChanges(since: token)["zones"].list.count == 1)
    cloud.pass(seconds: Self.horizon)
    #expect(try await cloud.server.runMaintenance() == 1)
    #expect(try await entryCount() == empty + 2)
    let expired = try await ada.databaseChanges(since: token)
    #expect(expired["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED", "\(expired)")
    #expect(try await ada.databaseChanges()["zones"].list.count == 2)
  }

  @Test func `A step that erases a deleted zone reads few large records`() async throws {
    func writes(bytesOfRecord count: Int) async throws -> Int {
      let engine = CountingEngine()
      let ada = try await Cloud(engine: engine).user("_ada")
      try await ada.makeZone("Z")
      let text = String(repeating: "x", count: count)
      for name in ["a", "b", "c", "d"] {
        _ = try await ada.put(name, "T", #""text":{"value":"\#(text)"}"#, zone: "Z")
      }
      try await delete(ada, "Z")
      _ = engine.take()
      try await ada.cloud.server.runMaintenance()
      return engine.take().writes
    }
    let few = try await writes(bytesOfRecord: 10)
    // A step reads two of these records.
    #expect(try await writes(bytesOfRecord: 600_000) == few + 1)
  }

  @Test func `No zone gets another zone's number`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.put("r", "T", zone: "Z")
    let token = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    try await delete(ada, "Z")
    cloud.pass(seconds: 2 * Self.horizon)
    try await cloud.server.runMaintenance()
    try await ada.makeZone("Z")
    _ = try await ada.put("r", "T", zone: "Z")
    let expired = try await ada.changes(zone: "Z", since: token)["zones"][0]
    #expect(expired["extensionErrorCode"].text == "ZONE_RECREATED", "\(expired)")
    // The new zone's records do not get the tags of former records either.
    #expect(try await cloud.server.runMaintenance() == 0)
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == ["r@2"])
  }
}
