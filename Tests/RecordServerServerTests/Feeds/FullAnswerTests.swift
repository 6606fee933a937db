import CloudRecords
import CloudWire
import RecordServer
import TestSupport
import Testing

/// Answers without space for all requested zones.
@Suite struct `Full answers with changes` {
  private static func limits(records: Int) -> ServiceLimits {
    var limits = ServiceLimits()
    limits.recordsPerResponse = records
    return limits
  }

  private func note(_ name: String, _ title: String = "") -> (String, String) {
    (
      "forceUpdate",
      #""recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(title)"}}"#
    )
  }

  private func ask(
    _ client: Client, _ zones: [(name: String, token: String?)], reverse: Bool = false
  ) async throws -> [Reply] {
    let list = zones.map { zone in
      let since = zone.token.map { #","syncToken":"\#($0)""# } ?? ""
      return #"{"zoneID":{"zoneName":"\#(zone.name)"}\#(since)}"#
    }
    let body = #"{"reverse":\#(reverse),"zones":[\#(list.joined(separator: ","))]}"#
    return try await client.ask(.private, .changesZone, body)["zones"].list
  }

  @Test func `Zones without space report their position and that more follows`() async throws {
    let ada = try await Cloud(limits: Self.limits(records: 2)).user("_ada")
    for zone in ["A", "B", "C", "D"] { try await ada.makeZone(zone) }
    _ = try await ada.modify(zone: "A", note("1"), note("2"))
    _ = try await ada.modify(zone: "B", note("1"))
    _ = try await ada.modify(zone: "C", note("1"))
    let token = try #require(try await ask(ada, [("C", nil)])[0]["syncToken"].text)
    _ = try await ada.modify(zone: "C", note("2"))
    let pages = try await ask(
      ada, [("A", nil), ("B", nil), ("C", token), ("D", nil), ("none", nil)])
    #expect(pages.map { $0["records"].list.map(\.record) } == [["1@1", "2@2"], [], [], [], []])
    #expect(pages.map { $0["moreComing"].flag } == [false, true, true, false, nil])
    #expect(pages[2]["syncToken"].text == token)
    #expect(pages[4]["serverErrorCode"].text == "ZONE_NOT_FOUND")
    let rest = try await ask(ada, [("B", pages[1]["syncToken"].text), ("C", token)])
    #expect(rest.map(\.records) == [["1@1"], ["2@2"]])
    #expect(rest.map { $0["moreComing"].flag } == [false, false])
  }

  @Test func `A zone that is named twice is repeated only as far as there is space`() async throws {
    let ada = try await Cloud(limits: Self.limits(records: 3)).user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.modify(zone: "Z", note("1"), note("2"))
    let pages = try await ask(ada, Array(repeating: ("Z", nil), count: 100))
    #expect(pages.reduce(0) { $0 + $1.records.count } == 3)
  }

  /// A reader that continues while there is more ends with the current state, whatever changes.
  @Test(arguments: [false, true]) func `Paging readers miss nothing`(reverse: Bool) async throws {
    var random = SeededGenerator.forTest()
    let ada = try await Cloud(limits: Self.limits(records: 3)).user("_ada")
    let zones = ["A", "B", "C", "D"]
    for zone in zones { try await ada.makeZone(zone) }
    var replicas: [String: (token: String?, contents: [String: String])] = [:]
    func change(_ step: Int) async throws {
      guard let zone = zones.randomElement(using: &random) else { return }
      let name = "r\(Int.random(in: 0..<6, using: &random))"
      let isGone = Int.random(in: 0..<3, using: &random) == 0
      _ = try await ada.modify(
        zone: zone, atomic: false,
        isGone ? ("forceDelete", #""recordName":"\#(name)""#) : note(name, "\(step)"))
    }
    /// Reads the next pages of zones.
    ///
    /// - Returns: The zones with more to read.
    func read(_ wanted: [String]) async throws -> [String] {
      let pages = try await ask(ada, wanted.map { ($0, replicas[$0]?.token) }, reverse: reverse)
      for (zone, page) in zip(wanted, pages) {
        apply(page, to: &replicas[zone, default: (nil, [:])])
      }
      return zip(wanted, pages).filter { $1["moreComing"].flag == true }.map(\.0)
    }
    for step in 0..<120 {
      try await change(step)
      if step.isMultiple(of: 4) { _ = try await read(zones.shuffled(using: &random)) }
    }
    // Changes during a reversed listing appear in the next one.
    for _ in 0..<3 {
      var rest = zones
      var answers = 0
      while !rest.isEmpty {
        rest = try await read(rest)
        answers += 1
        try #require(answers < 100)
      }
    }
    for zone in zones {
      var expectation: (token: String?, contents: [String: String]) = (nil, [:])
      var more = true
      while more {
        let page = try await ask(ada, [(zone, expectation.token)])[0]
        apply(page, to: &expectation)
        more = page["moreComing"].flag == true
      }
      #expect(replicas[zone]?.contents == expectation.contents, "\(zone), \(random)")
    }
  }

  private func apply(_ page: Reply, to replica: inout (token: String?, contents: [String: String]))
  {
    for record in page["records"].list {
      guard let name = record["recordName"].text else { continue }
      replica.contents[name] = record["deleted"].flag == true ? nil : record.field("title")
    }
    replica.token = page["syncToken"].text ?? replica.token
  }
}
