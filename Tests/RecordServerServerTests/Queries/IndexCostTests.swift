import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// The cost and benefit of indexes, in counts.
@Suite struct `Query indexes` {
  private let engine = EntryCountingEngine()
  private let cloud: Cloud

  init() {
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = 100
    cloud = Cloud(limits: limits, engine: engine)
  }

  private func library(_ count: Int) async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    for start in stride(from: 0, to: count, by: 100) {
      let operations = (start..<start + 100).map {
        #"{"operationType":"create","record":{"recordName":"n\#($0)","recordType":"Book","fields":{"shelf":{"value":"s\#($0 / 4)"},"pages":{"value":\#($0),"type":"INT64"},"tags":{"value":["t\#($0)"],"type":"STRING_LIST"}}}}"#
      }
      _ = try await ada.ask(
        .private, .recordsModify,
        #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"Z"}}"#)
    }
    return ada
  }

  private func ask(_ client: Client, _ query: String, _ more: String = "") async throws -> Reply {
    try await client.ask(
      .private, .recordsQuery,
      #"{"query":{"recordType":"Book"\#(query)},"zoneID":{"zoneName":"Z"}\#(more)}"#)
  }

  /// The entries that a query visits, before and after an index was built for it.
  private func cost(_ client: Client, _ query: String, _ more: String = "") async throws -> (
    Int, Int
  ) {
    var costs: [Int] = []
    for _ in 0..<2 {
      engine.reset()
      let reply = try await ask(client, query, more)
      #expect(reply.status == 200, "\(reply)")
      costs.append(engine.entries)
      try await cloud.server.runMaintenance()
    }
    return (costs[0], costs[1])
  }

  private static let page = #","resultsLimit":10"#

  private static let questions: [(query: String, found: Int)] = [
    (#","filterBy":[{"comparator":"EQUALS","fieldName":"shelf","fieldValue":{"value":"s7"}}]"#, 4),
    (
      #","filterBy":[{"comparator":"EQUALS","fieldName":"shelf","fieldValue":{"value":"s7"}}],"sortBy":[{"fieldName":"pages"}]"#,
      4
    ),
    (
      #","filterBy":[{"comparator":"IN","fieldName":"pages","fieldValue":{"value":[5,60],"type":"INT64_LIST"}}]"#,
      2
    ),
    (
      #","filterBy":[{"comparator":"LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"t9"}}]"#,
      1
    ),
    (#","filterBy":[{"comparator":"LESS_THAN","fieldName":"pages","fieldValue":{"value":3}}]"#, 3),
    (
      #","filterBy":[{"comparator":"BEGINS_WITH","fieldName":"shelf","fieldValue":{"value":"s4"}}]"#,
      10
    ),
    (#","sortBy":[{"fieldName":"pages","ascending":false}]"#, 10),
    (#","sortBy":[{"fieldName":"shelf"},{"fieldName":"pages"}]"#, 10), ("", 10),
  ]

  @Test func `A query costs what it finds, whatever the amount of data`() async throws {
    let (small, large) = (self, `Query indexes`())
    let (few, many) = (try await small.library(200), try await large.library(800))
    for (query, found) in Self.questions {
      let index = try await small.cost(few, query, Self.page).1
      #expect(index < (found == 4 ? 30 : 160), "\(index) for \(query)")
      #expect(try await small.ask(few, query, Self.page).records.count == found)
      #expect(try await large.cost(many, query, Self.page).1 <= index + 3, "\(query)")
    }
  }

  @Test func `Indexes cost nothing before a query`() async throws {
    let ada = try await library(200)
    try await cloud.server.runMaintenance()
    let before = try await engine.count
    _ = try await ask(
      ada, #","filterBy":[{"comparator":"EQUALS","fieldName":"shelf","fieldValue":{"value":"s7"}}]"#
    )
    #expect(try await engine.count == before)
    try await cloud.server.runMaintenance()
    // One entry for each record, and the index itself.
    #expect(try await engine.count == before + 201)
  }

  @Test func `A step of building an index reads a megabyte`() async throws {
    let engine = CountingEngine()
    var limits = ServiceLimits()
    limits.entriesVisitedWithoutIndex = 2
    let cloud = Cloud(limits: limits, engine: engine)
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    let text = String(repeating: "x", count: 800_000)
    for number in 0..<3 {
      let fields = #""pages":{"value":\#(number),"type":"INT64"},"text":{"value":"\#(text)"}"#
      let record = #"{"recordName":"n\#(number)","recordType":"Book","fields":{\#(fields)}}"#
      let operation = #"{"operationType":"create","record":\#(record)}"#
      _ = try await ada.ask(
        .private, .recordsModify,
        #"{"operations":[\#(operation)],"zoneID":{"zoneName":"Z"}}"#)
    }
    _ = try await ask(ada, #","sortBy":[{"fieldName":"pages"}]"#)
    _ = engine.take()
    try await cloud.server.runMaintenance()
    // One write begins the index, two build it, and the last finds nothing left to do.
    #expect(engine.take().writes == 4)
  }

  @Test func `No index is built for small scans`() async throws {
    let ada = try await library(100)
    _ = try await ask(ada, "")
    #expect(try await cloud.server.runMaintenance() == 0)
  }

  @Test func `Indexes are dropped when the schema allows no such query any more`() async throws {
    let ada = try await library(200)
    try await cloud.server.runMaintenance()
    let before = try await engine.count
    _ = try await ask(
      ada, #","filterBy":[{"comparator":"EQUALS","fieldName":"shelf","fieldValue":{"value":"s7"}}]"#
    )
    _ = try await ask(
      ada,
      #","filterBy":[{"comparator":"LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"t9"}}]"#
    )
    try await cloud.server.runMaintenance()
    #expect(try await engine.count == before + 402)
    try await SchemaAdministrator(cloud).importing(
      "DEFINE SCHEMA RECORD TYPE Book (shelf STRING, pages INT64, tags LIST<STRING> QUERYABLE);")
    try await cloud.server.runMaintenance()
    #expect(try await engine.count == before + 201)
    try await SchemaAdministrator(cloud).importing(
      "DEFINE SCHEMA RECORD TYPE Book (shelf STRING, pages INT64);")
    try await cloud.server.runMaintenance()
    #expect(try await engine.count == before)
    _ = try await cloud.server.resetDevelopment(of: "iCloud.test")
    try await cloud.server.runMaintenance()
    // The container's two numbers, its schema, the owner, and the zone's tombstone remain.
    #expect(try await engine.count < 10)
  }
}
