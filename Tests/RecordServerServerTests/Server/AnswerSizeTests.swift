import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// The maximum sizes of answers.
@Suite struct `Sizes of answers` {
  private static let most = 20_000

  private static var limits: ServiceLimits {
    var limits = ServiceLimits()
    limits.answerBytes = most
    limits.recordBytes = 30_000
    return limits
  }

  private let cloud: Cloud

  init() { cloud = Cloud(limits: Self.limits) }

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  private func record(_ name: String, _ size: Int, _ rank: Int = 0) -> String {
    let fields = #""text":{"value":"\#(Self.text(size))"},"rank":{"value":\#(rank),"type":"INT64"}"#
    return #""recordName":"\#(name)","recordType":"Note","fields":{\#(fields)}"#
  }

  /// A zone with a record of each size, saved one by one.
  private func zone(_ sizes: [Int]) async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    for (rank, size) in sizes.enumerated() {
      #expect(
        try await ada.modify(zone: "Z", ("create", record("r\(rank)", size, sizes.count - rank)))
          .status == 200)
    }
    return ada
  }

  private func expectTooLong(_ reply: Reply, _ place: SourceLocation = #_sourceLocation) {
    #expect(reply["serverErrorCode"].text == "BAD_REQUEST", "\(reply)", sourceLocation: place)
    #expect(reply["extensionErrorCode"].text == "LIMIT_EXCEEDED", sourceLocation: place)
    #expect(
      reply["reason"].text?.contains("(the limit “answer-bytes”)") == true, sourceLocation: place)
  }

  // MARK: Lookups

  @Test func `A lookup that exceeds the size is rejected, and one record always fits`() async throws
  {
    let ada = try await zone([8_000, 8_000, 8_000, 25_000])
    #expect(try await ada.lookUp(zone: "Z", "r0", "r1").records == ["r0@1", "r1@2"])
    expectTooLong(try await ada.lookUp(zone: "Z", "r0", "r1", "r2"))
    #expect(try await ada.lookUp(zone: "Z", "r3").records == ["r3@4"])
    let keys =
      #"{"zoneID":{"zoneName":"Z"},"desiredKeys":["rank"],"records":[\#((0..<4).map { #"{"recordName":"r\#($0)"}"# }.joined(separator: ","))]}"#
    let few = try await ada.ask(.private, .recordsLookup, keys)
    #expect(
      few.records == ["r0@1", "r1@2", "r2@3", "r3@4"] && few["records"][3].field("rank") == "1")
  }

  @Test func `A record is repeated as often as it is named, if it fits`() async throws {
    let ada = try await zone([4_000])
    #expect(
      try await ada.lookUp(zone: "Z", "r0", "r0", "none", "r0").records == [
        "r0@1", "r0@1", "none: NOT_FOUND", "r0@1",
      ])
    expectTooLong(try await ada.lookUp(zone: "Z", "r0", "r0", "r0", "r0", "r0"))
  }

  @Test func `Each record has its desired fields`() async throws {
    let ada = try await zone([10])
    let body =
      #"{"zoneID":{"zoneName":"Z"},"desiredKeys":["rank"],"records":[{"recordName":"r0"},{"recordName":"r0","desiredKeys":["text"]},{"recordName":"r0","zoneID":{"zoneName":"_defaultZone"}}]}"#
    let reply = try await ada.ask(.private, .recordsLookup, body)
    #expect(reply["records"].list.map { $0["fields"].keys } == [["rank"], ["text"], []])
    #expect(reply.records == ["r0@1", "r0@1", "r0: NOT_FOUND"])
  }

  // MARK: Feeds

  @Test(arguments: [false, true])
  func `Changes end when the answer is full, with at least one record`(
    reverse: Bool
  ) async throws {
    let ada = try await zone([8_000, 8_000, 25_000, 8_000, 25_000])
    var (seen, pages, token): ([String], Int, String?) = ([], 0, nil)
    var isMore = true
    while isMore {
      let page = try await ada.changes(zone: "Z", since: token, reverse: reverse)["zones"][0]
      #expect(!page.records.isEmpty)
      seen += page.records
      (token, isMore, pages) = (page["syncToken"].text, page["moreComing"].flag == true, pages + 1)
      try #require(pages < 10)
    }
    let all = ["r0@1", "r1@2", "r2@3", "r3@4", "r4@5"]
    #expect(seen == (reverse ? all.reversed() : all))
    #expect(pages > 1 && pages < 5)
  }

  @Test func `Changes of more zones do not make responses longer`() async throws {
    let ada = try await zone([15_000, 15_000])
    try await ada.makeZone("Y")
    _ = try await ada.modify(zone: "Y", ("create", record("y", 10)))
    let reply = try await ada.ask(
      .private, .changesZone,
      #"{"zones":[{"zoneID":{"zoneName":"Z"}},{"zoneID":{"zoneName":"Y"}}]}"#)
    #expect(reply["zones"].list.map(\.records) == [["r0@1", "r1@2"], []])
    #expect(reply["zones"].list.map { $0["moreComing"].flag } == [false, true])
    let old = try await ada.ask(.private, .recordsChanges, #"{"zoneID":{"zoneName":"Z"}}"#)
    #expect(old.records == ["r0@1", "r1@2"] && old["moreComing"].flag == false)
  }

  // MARK: Queries

  @Test(
    arguments: [
      "", #","sortBy":[{"fieldName":"rank"}]"#, #","sortBy":[{"fieldName":"text"}]"#,
      #","filterBy":[{"fieldName":"rank","comparator":"GREATER_THAN","fieldValue":{"value":0}}]"#,
      #","filterBy":[{"fieldName":"rank","comparator":"GREATER_THAN","fieldValue":{"value":0}}],"sortBy":[{"fieldName":"rank","ascending":false}]"#,
    ], [false, true]) func `Queries end when the answer is full, with at least one record`(
      query: String, isIndexed: Bool
    ) async throws
  {
    var limits = Self.limits
    if isIndexed { limits.entriesVisitedWithoutIndex = 0 }
    let ada = try await Cloud(limits: limits).user("_ada")
    for (rank, size) in [8_000, 25_000, 8_000, 10, 25_000, 8_000, 10].enumerated() {
      #expect(try await ada.modify(("create", record("r\(rank)", size, 10 - rank))).status == 200)
    }
    func pages(_ more: String) async throws -> [[String]] {
      var (pages, marker): ([[String]], String?) = ([], nil)
      repeat {
        let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
        let page = try await ada.ask(
          .private, .recordsQuery, #"{"query":{"recordType":"Note"\#(query)}\#(next)\#(more)}"#)
        #expect(page.status == 200 && !page.records.isEmpty, "\(page)")
        pages.append(page.records)
        marker = page["continuationMarker"].text
      } while marker != nil && pages.count < 20
      return pages
    }
    let whole = try await pages(#","desiredKeys":[]"#)
    _ = try await ada.cloud.server.runMaintenance()
    let cut = try await pages("")
    #expect(Set(whole.flatMap(\.self)).count == 7)
    // Sort keys count towards the size of a page, so a sort by long texts needs several pages.
    #expect(whole.count == 1 || query.contains("text"))
    #expect(cut.flatMap(\.self) == whole.flatMap(\.self) && (3...6).contains(cut.count), "\(cut)")
  }

  @Test func `Queries of all zones do not make responses longer`() async throws {
    let ada = try await zone([15_000, 15_000])
    _ = try await ada.modify(("create", record("d", 15_000, 2)))
    var (seen, pages, marker): ([String], Int, String?) = ([], 0, nil)
    repeat {
      let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
      let page = try await ada.ask(
        .private, .recordsQuery,
        #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"rank"}]},"zoneWide":true\#(next)}"#)
      seen += page["records"].list.compactMap { $0["recordName"].text }
      (pages, marker) = (pages + 1, page["continuationMarker"].text)
    } while marker != nil && pages < 10
    #expect(Set(seen) == ["r0", "r1", "d"] && seen.count == 3 && seen.first == "r1" && pages == 2)
  }

  // MARK: Saving

  @Test(arguments: [true, false])
  func `A save that exceeds the size is rejected, and nothing is saved`(
    atomic: Bool
  ) async throws {
    let ada = try await zone([])
    let many = try await ada.modify(
      zone: "Z", atomic: atomic, ("create", record("a", 15_000)), ("create", record("b", 15_000)))
    expectTooLong(many)
    #expect(try await ada.lookUp(zone: "Z", "a", "b").records == ["a: NOT_FOUND", "b: NOT_FOUND"])
    #expect(try await ada.modify(zone: "Z", ("create", record("a", 25_000))).records == ["a@1"])
    let few =
      #"{"operations":[\#(["b", "c"].map { #"{"operationType":"create","record":{\#(record($0, 15_000))}}"# }.joined(separator: ","))],"zoneID":{"zoneName":"Z"},"desiredKeys":["rank"]}"#
    #expect(try await ada.ask(.private, .recordsModify, few).records == ["b@2", "c@3"])
    // A deletion is not repeated in an answer.
    let names = ["a", "b", "c"].map { ("forceDelete", #""recordName":"\#($0)""#) }
    #expect(
      try await ada.modify(zone: "Z", names[0], names[1], names[2]).records == [
        "a: deleted", "b: deleted", "c: deleted",
      ])
  }

  @Test func `A very large deletion is rejected`() async throws {
    let ada = try await zone([25_000, 25_000, 25_000, 25_000])
    let names = (0..<4).map { ("forceDelete", #""recordName":"r\#($0)""#) }
    expectTooLong(try await ada.modify(zone: "Z", names[0], names[1], names[2], names[3]))
    #expect(
      try await ada.modify(zone: "Z", names[0], names[1]).records == ["r0: deleted", "r1: deleted"])
  }

  @Test func `A replay's response stays within the limit although records have grown`()
    async throws
  {
    let ada = try await zone([])
    let save = [("create", record("a", 10)), ("create", record("b", 10))]
    #expect(
      try await ada.numbered(1).modify(zone: "Z", save[0], save[1]).records == ["a@1", "b@2"])
    for name in ["a", "b"] {
      _ = try await ada.modify(zone: "Z", ("forceUpdate", record(name, 25_000)))
    }
    let again = try await ada.numbered(1).modify(zone: "Z", save[0], save[1])
    #expect(again.records == ["a@3", "b: CONFLICT"])
  }

  @Test func `A replay's response has the former desired fields`() async throws {
    let ada = try await zone([])
    func save(_ more: String, ofEach: String) -> String {
      let list = ["a", "b", "c"].map {
        #"{"operationType":"create","record":{\#(record($0, 15_000))\#(ofEach)}}"#
      }
      return #"{"operations":[\#(list.joined(separator: ","))],"zoneID":{"zoneName":"Z"}\#(more)}"#
    }
    let wanted = #","desiredKeys":["rank"]"#
    for (number, body) in [(1, save(wanted, ofEach: "")), (2, save("", ofEach: wanted))]
      as [(UInt64, String)]
    {
      let first = try await ada.numbered(number).ask(.private, .recordsModify, body)
      #expect(
        first["records"].list.map { $0["fields"].keys } == [["rank"], ["rank"], ["rank"]],
        "\(first)")
      let again = try await ada.numbered(number).ask(.private, .recordsModify, body)
      #expect(again.records == first.records)
      #expect(
        again["records"].list.map { $0["fields"].keys } == [["rank"], ["rank"], ["rank"]],
        "\(again)")
      let names = ["a", "b", "c"].map { ("forceDelete", #""recordName":"\#($0)""#) }
      _ = try await ada.modify(zone: "Z", names[0], names[1], names[2])
    }
  }

  @Test func `A replay's response is measured as written, not as stored`() async throws {
    let ada = try await zone([])
    let save = ["a", "b", "c"].map { ("create", record($0, 10)) }
    _ = try await ada.numbered(1).modify(zone: "Z", save[0], save[1], save[2])
    // Each character takes six bytes when it is written.
    let text = String(repeating: #"\u0001"#, count: 1_500)
    for name in ["a", "b", "c"] {
      let grown = #""recordName":"\#(name)","fields":{"text":{"value":"\#(text)"}}"#
      #expect(try await ada.modify(zone: "Z", ("forceUpdate", grown)).status == 200)
    }
    let again = try await ada.numbered(1).modify(zone: "Z", save[0], save[1], save[2])
    #expect(again.records == ["a@4", "b@5", "c: CONFLICT"])
  }

  // MARK: Others

  @Test func `Answers with key bags are limited, too`() async throws {
    let ada = try await cloud.user("_ada")
    for kind in ["USER_PRIVATE", "USER_PUBLIC"] {
      let data = String(repeating: "AAAA", count: 4_000)
      let saved = try await ada.ask(
        .private, .keyBagsModify,
        #"{"operations":[{"operationType":"save","bag":{"bagType":"\#(kind)","generation":0,"data":"\#(data)"}}]}"#
      )
      #expect(saved["bags"][0]["generation"].number == 1, "\(saved)")
    }
    let both = #"{"bags":[{"bagType":"USER_PRIVATE"},{"bagType":"USER_PUBLIC"}]}"#
    expectTooLong(try await ada.ask(.private, .keyBagsLookup, both))
    let one = try await ada.ask(.private, .keyBagsLookup, #"{"bags":[{"bagType":"USER_PRIVATE"}]}"#)
    #expect(one["bags"][0]["data"].text?.utf8.count == 16_000)
  }
}
