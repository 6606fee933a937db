import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// Long feeds and lists that are read in slices.
@Suite struct `Sliced feeds` {
  private static func limits(_ adjust: (inout ServiceLimits) -> Void) -> ServiceLimits {
    var limits = ServiceLimits()
    adjust(&limits)
    return limits
  }

  private func filled(_ cloud: Cloud, zones: [String], _ count: Int) async throws -> Client {
    let ada = try await cloud.user("_ada")
    for zone in zones {
      try await ada.makeZone(zone)
      for number in 0..<count {
        _ = try await ada.modify(
          zone: zone,
          (
            "create",
            #""recordName":"n\#(number)","recordType":"Note","fields":{"t":{"value":"x"}}"#
          ))
      }
    }
    return ada
  }

  private func names(_ page: Reply) -> [String] {
    page["records"].list.compactMap { $0["recordName"].text }
  }

  @Test(arguments: [false, true])
  func `Pages have the same records as with one slice`(reverse: Bool) async throws {
    let engine = ReadCountingEngine()
    let cloud = Cloud(limits: Self.limits { $0.reading.entriesPerSlice = 4 }, engine: engine)
    let ada = try await filled(cloud, zones: ["Z"], 30)
    engine.reset()
    let first = try await ada.changes(zone: "Z", limit: 20, reverse: reverse)["zones"][0]
    #expect(engine.reads == 5)
    let order = reverse ? Array((0..<30).reversed()) : Array(0..<30)
    #expect(names(first) == order[..<20].map { "n\($0)" } && first["moreComing"].flag == true)
    let token = try #require(first["syncToken"].text)
    let second = try await ada.changes(zone: "Z", since: token, limit: 20, reverse: reverse)[
      "zones"][0]
    #expect(
      names(second) == order[20...].map { "n\($0)" } && second["moreComing"].flag != true,
      "\(second)")
    let end = try await ada.changes(zone: "Z", since: second["syncToken"].text, reverse: reverse)[
      "zones"][0]
    #expect(end.records == [] && end["moreComing"].flag != true)
    let alone = try await ada.ask(
      .private, .recordsChanges,
      #"{"zoneID":{"zoneName":"Z"},"resultsLimit":20,"reverse":\#(reverse)}"#)
    #expect(alone.records == first.records && alone["syncToken"].text == token)
  }

  @Test func `Zones share the space of one answer`() async throws {
    let limits = Self.limits { ($0.recordsPerResponse, $0.reading.entriesPerSlice) = (12, 5) }
    let ada = try await filled(Cloud(limits: limits), zones: ["A", "B", "C"], 8)
    let zones =
      #"[{"zoneID":{"zoneName":"A"}},{"zoneID":{"zoneName":"B"}},{"zoneID":{"zoneName":"C"}}]"#
    let reply = try await ada.ask(.private, .changesZone, #"{"zones":\#(zones)}"#)["zones"].list
    #expect(reply.map { names($0).count } == [8, 4, 0])
    #expect(reply.map { $0["moreComing"].flag == true } == [false, true, true])
  }

  /// A participant of a small tree in a large zone sees nothing of most entries.
  @Test(arguments: [false, true])
  func `A page ends after a number of entries, however many are visible`(
    reverse: Bool
  ) async throws {
    let engine = EntryCountingEngine()
    let limits = Self.limits { ($0.reading.entriesPerSlice, $0.reading.entriesPerPage) = (4, 10) }
    let zone = try await SharedZone(Cloud(limits: limits, engine: engine))
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("first"), .save("b"))
    try await zone.share("S", of: "b", with: [(bob, "READ_ONLY")])
    for number in 0..<60 { try await zone.modify(.save("hidden \(number)")) }
    try await zone.modify(.save("last", under: .record("b")))
    var reader = SharedZoneReader(bob, zone, reverse: reverse)
    var pages = 0
    repeat {
      engine.reset()
      pages += 1
      guard try await reader.readOn(limit: 200) else { break }
      #expect(engine.entries < 60, "\(engine.entries)")
    } while pages < 50
    #expect((6...12).contains(pages), "\(pages)")
    #expect(reader.names == ["S", "b", "last"])
  }

  @Test func `A feed returns its results so far if the zone is deleted meanwhile`() async throws {
    let engine = ReadCountingEngine()
    let cloud = Cloud(limits: Self.limits { $0.reading.entriesPerSlice = 4 }, engine: engine)
    let ada = try await filled(cloud, zones: ["Z"], 10)
    engine.reset()
    engine.afterRead {
      guard engine.reads == 1 else { return }
      let zone = #"{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}"#
      _ = try? await ada.ask(.private, .zonesModify, #"{"operations":[\#(zone)]}"#)
    }
    let page = try await ada.changes(zone: "Z")["zones"][0]
    #expect(names(page).count == 4 && page["moreComing"].flag == true, "\(page)")
    let next = try await ada.changes(zone: "Z", since: page["syncToken"].text)["zones"][0]
    #expect(next["serverErrorCode"].text == "ZONE_NOT_FOUND", "\(next)")
  }

  /// A user participates in zones of several others, and has left one of them.
  @Test func `Lists of shared zones are equal for slices of any size`() async throws {
    for entries in [1, 2, 1_000] {
      let cloud = Cloud(limits: Self.limits { $0.reading.entriesPerSlice = entries })
      let bob = try await cloud.user("_bob")
      for (name, share) in [("_ada", "a"), ("_cat", "c"), ("_dan", "d")] {
        let owner = try await cloud.user(name)
        try await owner.makeZone("Z")
        let people =
          #"{"userIdentity":{"userRecordName":"_bob"},"type":"USER","permission":"READ_ONLY","acceptanceStatus":"PENDING"}"#
        let reply = try await owner.modify(
          zone: "Z", atomic: true, ("create", #""recordName":"r","recordType":"Node","fields":{}"#),
          (
            "create",
            #""recordName":"\#(share)","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"r"},"participants":[\#(people)]"#
          ))
        let link = try #require(reply["records"][1]["shortGUID"].text, "\(reply)")
        _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)
      }
      let token = try await bob.databaseChanges(in: .shared)["syncToken"].text
      let left = try await bob.modify(
        in: .shared, zone: "Z", owner: "_cat", ("forceDelete", #""recordName":"c""#))
      #expect(!left["records"][0]["serverErrorCode"].isThere, "\(left)")
      let list = try await bob.ask(.shared, .zonesList)["zones"].list
      #expect(list.map { $0["zoneID"]["ownerRecordName"].text } == ["_ada", "_dan"], "\(list)")
      let changes = try await bob.databaseChanges(in: .shared, since: token)["zones"].list
      #expect(changes.map { $0["zoneID"]["ownerRecordName"].text } == ["_cat"], "\(changes)")
      #expect(changes.first?["deleted"].flag == true, "\(changes)")
    }
  }
}
