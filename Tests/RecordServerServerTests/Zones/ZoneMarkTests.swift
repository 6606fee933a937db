import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// Tombstones of deleted zones, which count towards no quota.
@Suite struct `Tombstones of zones` {
  private static let most = 1_000

  /// Creates or deletes zones.
  private func edit(_ client: Client, _ kind: String, _ numbers: Range<Int>) async throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 200) {
      let list = (start..<min(start + 200, numbers.upperBound)).map {
        #"{"operationType":"\#(kind)","zone":{"zoneID":{"zoneName":"Z\#($0)"}}}"#
      }
      let reply = try await client.ask(
        .private, .zonesModify, #"{"operations":[\#(list.joined(separator: ","))]}"#)
      #expect(reply["zones"].list.count == list.count, "\(reply)")
      #expect(reply["zones"].list.allSatisfy { !$0["serverErrorCode"].isThere }, "\(reply)")
    }
  }

  private func createAndDelete(_ client: Client, _ numbers: Range<Int>) async throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 500) {
      let part = start..<min(start + 500, numbers.upperBound)
      try await edit(client, "create", part)
      try await edit(client, "delete", part)
    }
  }

  @Test func `Tombstones of the latest deletions are kept, however many zones come and go`()
    async throws
  {
    let engine = MemoryStorageEngine()
    let ada = try await Cloud(engine: engine).user("_ada")
    func count() async throws -> Int {
      try await ada.cloud.server.runMaintenance()
      return try await engine.read { try $0.entries(in: .all).count }
    }
    try await ada.makeZone("Kept")
    try await createAndDelete(ada, 0..<Self.most)
    let full = try await count()
    try await createAndDelete(ada, Self.most..<2 * Self.most)
    #expect(try await count() == full)
  }

  @Test func `If tombstones are dropped early, old readers start over`() async throws {
    let ada = try await Cloud().user("_ada")
    // The zone with the lowest number is deleted last, because the time of deletion counts.
    try await edit(ada, "create", 0..<3)
    let token = try await ada.databaseChanges()["syncToken"].text
    try await edit(ada, "delete", 2..<3)
    let between = try await ada.databaseChanges(since: token)["syncToken"].text
    ada.cloud.pass(seconds: 1)
    try await createAndDelete(ada, 3..<Self.most + 1)
    ada.cloud.pass(seconds: 1)
    try await edit(ada, "delete", 0..<1)
    let gone = try await ada.databaseChanges(since: token)["zones"].list.map {
      $0["zoneID"]["zoneName"].text
    }
    #expect(gone.prefix(3) == ["Z0", "Z2", "Z3"] && gone.count == Self.most)
    try await edit(ada, "delete", 1..<2)
    try await ada.cloud.server.runMaintenance()
    let expired = try await ada.databaseChanges(since: token)
    #expect(expired["extensionErrorCode"].text == "CHANGE_TOKEN_EXPIRED", "\(expired)")
    let later = try await ada.databaseChanges(since: between)["zones"].list
    #expect(later.prefix(2).map { $0["zoneID"]["zoneName"].text } == ["Z0", "Z1"])
    #expect(try await ada.databaseChanges()["zones"].list.isEmpty)
  }

  /// Resets the keys of zones as lost.
  private func reset(_ client: Client, _ numbers: Range<Int>) async throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
      let list = (start..<min(start + 100, numbers.upperBound)).map {
        #"{"operationType":"reset","bag":{"bagType":"ZONE","zoneID":{"zoneName":"Z\#($0)"}}}"#
      }
      let reply = try await client.ask(
        .private, .keyBagsModify, #"{"operations":[\#(list.joined(separator: ","))]}"#)
      #expect(reply["bags"].list.count == list.count, "\(reply)")
      #expect(reply["bags"].list.allSatisfy { $0["reset"].flag == true }, "\(reply)")
    }
  }

  @Test func `Tombstones of reset zones are not dropped for other deletions`() async throws {
    let ada = try await Cloud().user("_ada")
    try await edit(ada, "create", 0..<1)
    try await reset(ada, 0..<1)
    ada.cloud.pass(seconds: 1)
    try await createAndDelete(ada, 1..<Self.most + 2)
    try await ada.cloud.server.runMaintenance()
    #expect(
      try await ada.changes(zone: "Z0")["zones"][0]["extensionErrorCode"].text
        == "ENCRYPTED_DATA_RESET")
  }

  @Test func `Tombstones of the latest reset zones are kept, too`() async throws {
    let ada = try await Cloud().user("_ada")
    try await edit(ada, "create", 0..<1)
    try await reset(ada, 0..<1)
    ada.cloud.pass(seconds: 1)
    for start in stride(from: 1, to: Self.most + 1, by: 500) {
      try await edit(ada, "create", start..<start + 500)
      try await reset(ada, start..<start + 500)
    }
    try await ada.cloud.server.runMaintenance()
    let first = try await ada.changes(zone: "Z0")["zones"][0]
    #expect(
      first["serverErrorCode"].text == "ZONE_NOT_FOUND" && !first["extensionErrorCode"].isThere,
      "\(first)")
    #expect(
      try await ada.changes(zone: "Z1")["zones"][0]["extensionErrorCode"].text
        == "ENCRYPTED_DATA_RESET")
  }

  @Test func `Tombstones add no cost to creating a zone, and neither do other zones`() async throws
  {
    let engine = ByteCountingEngine()
    let ada = try await Cloud(engine: engine).user("_ada")
    func cost(_ number: Int) async throws -> Int {
      engine.reset()
      try await edit(ada, "create", number..<number + 1)
      return engine.bytes
    }
    try await edit(ada, "create", 0..<2)
    let first = try await cost(2)
    try await createAndDelete(ada, 10..<510)
    try await edit(ada, "create", 1_000..<1_400)
    #expect(try await cost(3) < 2 * first, "\(first)")
  }

  @Test func `Tombstones are dropped in the order of the deletions, each in its time`() async throws
  {
    var limits = ServiceLimits()
    limits.tombstoneSeconds = 100
    let engine = MemoryStorageEngine()
    let ada = try await Cloud(limits: limits, engine: engine).user("_ada")
    try await edit(ada, "create", 0..<3)
    let token = try await ada.databaseChanges()["syncToken"].text
    for number in [2, 0, 1] {
      try await edit(ada, "delete", number..<number + 1)
      try await ada.cloud.server.runMaintenance()
      ada.cloud.pass(seconds: 40)
    }
    // Z2 was deleted 120 seconds ago.
    try await ada.cloud.server.runMaintenance()
    #expect(
      try await ada.databaseChanges(since: token)["extensionErrorCode"].text
        == "CHANGE_TOKEN_EXPIRED")
    let before = try await engine.read { try $0.entries(in: .all).count }
    ada.cloud.pass(seconds: 60)
    #expect(try await ada.cloud.server.runMaintenance() > 0)
    let after = try await engine.read { try $0.entries(in: .all).count }
    // Two tombstones, their places in the order, and the maintenance task.
    #expect(before - after == 5)
    #expect(try await ada.cloud.server.runMaintenance() == 0)
  }
}
