import CloudRecords
import CloudWire
import Foundation
import RecordServer
import RecordStorage
import TestSupport
import Testing

/// The same requests to two servers, one of which builds an index for every query and the other
/// none.
struct TwinClouds {
  let indexed: Client
  let plain: Client

  /// Creates both servers.
  ///
  /// - Parameter slices: The number of entries in one slice of each; nil for the default.
  init(engine: (any StorageEngine)? = nil, slices: (indexed: Int?, plain: Int?) = (nil, nil))
    async throws
  {
    var limits = ServiceLimits()
    let usual = limits.reading.entriesPerSlice
    limits.recordsPerResponse = 1_000
    limits.entriesVisitedWithoutIndex = 0
    limits.reading.entriesPerSlice = slices.indexed ?? usual
    indexed = try await Cloud(limits: limits, engine: engine).user("_ada")
    limits.entriesVisitedWithoutIndex = .max
    limits.reading.entriesPerSlice = slices.plain ?? usual
    plain = try await Cloud(limits: limits).user("_ada")
    for client in [indexed, plain] {
      for zone in ["Y", "Z"] { try await client.makeZone(zone) }
    }
  }

  func modify(_ body: String) async throws {
    let replies = (
      try await indexed.ask(.private, .recordsModify, body),
      try await plain.ask(.private, .recordsModify, body)
    )
    try #require(replies.0.records == replies.1.records)
    try #require(
      replies.0.records.allSatisfy { $0.contains("@") } && replies.0.status == 200,
      "\(replies.0.records)")
  }

  /// Queries both page by page and compares the results.
  ///
  /// - Returns: The number of records.
  func compare(_ query: String, place: String, limit: Int, _ comment: String) async throws -> Int {
    var marker: String?
    var count = 0
    repeat {
      let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
      let body =
        #"{"query":{"recordType":"T"\#(query)},\#(place),"resultsLimit":\#(limit)\#(next)}"#
      let one = try await indexed.ask(.private, .recordsQuery, body)
      let other = try await plain.ask(.private, .recordsQuery, body)
      try #require(one.status == 200, "\(one) \(body) \(comment)")
      try #require(one.records == other.records, "\(body) \(comment)")
      marker = one["continuationMarker"].text
      try #require(marker == other["continuationMarker"].text, "\(body) \(comment)")
      count += one.records.count
    } while marker != nil && count < 1_000
    return count
  }

  func runMaintenance() async throws { try await indexed.cloud.server.runMaintenance() }
}

/// Random records and queries.
struct RandomQueries {
  var generator: SeededGenerator

  mutating func roll(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
  mutating func pick<Value>(_ values: [Value]) -> Value { values[roll(0..<values.count)] }

  private static let long = String(repeating: "x", count: 300)
  private static let texts = [
    "", "a", "ab", "abc", "b", "ä", "\u{1}", "a\u{0}b", "Z", "🪐", long, long + "a", long + "b",
  ]
  private static let whole = [
    -9_007_199_254_740_993, -1, 0, 1, 2, 3, 9_007_199_254_740_992, 9_007_199_254_740_993,
  ]
  private static let fractions = [
    "-0.0", "0.0", "0.5", "1.0", "2.0", "-3.25", "9007199254740992.0", "1e300",
  ]

  mutating func text() -> String { Self.quoted(pick(Self.texts)) }

  private static func quoted(_ text: String) -> String {
    guard let data = try? JSONEncoder().encode(text) else { return "\"\"" }
    return String(decoding: data, as: UTF8.self)
  }

  /// A value of a field as JSON.
  mutating func value(_ field: String) -> String {
    switch field {
    case "s": text()
    case "n": "\(pick(Self.whole))"
    case "d": pick(Self.fractions)
    case "t": "\(roll(-2..<3) * 1_000)"
    case "l": "[\((0..<roll(0..<4)).map { _ in text() }.joined(separator: ","))]"
    case "r": #"{"recordName":"r\#(roll(0..<4))","action":"NONE"}"#
    default:
      #"{"latitude":\#(pick(["-0.0", "0.0", "52.5", "52.6", "-89.9"])),"longitude":\#(roll(0..<3))}"#
    }
  }

  static let types = [
    "s": "STRING", "n": "INT64", "d": "DOUBLE", "t": "TIMESTAMP", "l": "STRING_LIST",
    "r": "REFERENCE", "p": "LOCATION",
  ]

  mutating func fields() -> String {
    Self.types.sorted { $0.key < $1.key }.compactMap { name, type in
      roll(0..<5) == 0 ? nil : #""\#(name)":{"value":\#(value(name)),"type":"\#(type)"}"#
    }.joined(separator: ",")
  }

  /// The type of a record, which never changes.
  static func type(of number: Int) -> String { number % 5 == 0 ? "U" : "T" }

  /// A batch of changes in a zone with each record once.
  mutating func batch(_ count: Int, names: Int) -> String {
    let operations = Set((0..<count).map { _ in roll(0..<names) }).sorted().map { number in
      let type = Self.type(of: number)
      return
        #"{"operationType":"forceReplace","record":{"recordName":"n\#(number)","recordType":"\#(type)","fields":{\#(fields())}}}"#
    }
    return
      #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"\#(pick(["Y", "Z"]))"}}"#
  }

  // MARK: Queries

  private static let comparators: [String: [String]] = [
    "s": [
      "EQUALS", "NOT_EQUALS", "LESS_THAN", "GREATER_THAN_OR_EQUALS", "IN", "NOT_IN", "BEGINS_WITH",
      "NOT_BEGINS_WITH",
    ],
    "n": [
      "EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN", "GREATER_THAN_OR_EQUALS", "IN",
    ],
    "d": ["EQUALS", "NOT_EQUALS", "LESS_THAN", "GREATER_THAN", "IN"],
    "t": ["EQUALS", "LESS_THAN_OR_EQUALS", "GREATER_THAN"],
    "l": [
      "LIST_CONTAINS", "NOT_LIST_CONTAINS", "LIST_CONTAINS_ALL", "LIST_CONTAINS_ANY",
      "NOT_LIST_CONTAINS_ANY",
      "LIST_MEMBER_BEGINS_WITH", "NOT_LIST_MEMBER_BEGINS_WITH",
    ],
    "r": ["EQUALS", "NOT_EQUALS", "IN"],
    "p": ["EQUALS", "NEAR"],
  ]

  mutating func filter() -> String {
    let field = pick(["s", "n", "d", "t", "l", "r", "p"])
    let comparator = pick(Self.comparators[field] ?? [])
    if roll(0..<8) == 0, comparator == "EQUALS" {
      return #"{"comparator":"EQUALS","fieldName":"\#(field)","fieldValue":{"value":null}}"#
    }
    let type = Self.types[field] ?? ""
    let operand: String
    switch comparator {
    case "IN", "NOT_IN":
      operand =
        #"{"value":[\#((0..<roll(1..<4)).map { _ in value(field) }.joined(separator: ","))],"type":"\#(type)_LIST"}"#
    case "LIST_CONTAINS_ALL", "LIST_CONTAINS_ANY", "NOT_LIST_CONTAINS_ANY":
      operand = #"{"value":\#(value("l")),"type":"STRING_LIST"}"#
    case _ where field == "l": operand = #"{"value":\#(text()),"type":"STRING"}"#
    default: operand = #"{"value":\#(value(field)),"type":"\#(type)"}"#
    }
    let distance = comparator == "NEAR" ? #","distance":\#(pick(["1", "20000", "20000000"]))"# : ""
    return
      #"{"comparator":"\#(comparator)","fieldName":"\#(field)","fieldValue":\#(operand)\#(distance)}"#
  }

  mutating func systemFilter() -> String {
    let name = #""systemFieldName":"recordName","fieldValue":"#
    return pick([
      #"{"comparator":"EQUALS",\#(name){"value":{"recordName":"n\#(roll(0..<40))"},"type":"REFERENCE"}}"#,
      #"{"comparator":"IN",\#(name){"value":[{"recordName":"n1"},{"recordName":"n2"},{"recordName":"x"}],"type":"REFERENCE_LIST"}}"#,
      #"{"comparator":"GREATER_THAN","systemFieldName":"modifiedTimestamp","fieldValue":{"value":1700000000000,"type":"TIMESTAMP"}}"#,
    ])
  }

  mutating func query() -> String {
    var filters = (0..<roll(0..<3)).map { _ in filter() }
    if roll(0..<8) == 0 { filters.append(systemFilter()) }
    let fields = ["s", "n", "d", "t"]
    var sorts = (0..<roll(0..<3)).map { _ in
      #"{"fieldName":"\#(pick(fields))","ascending":\#(pick(["true", "false"]))}"#
    }
    if roll(0..<8) == 0 {
      sorts = [#"{"systemFieldName":"modifiedTimestamp","ascending":\#(pick(["true", "false"]))}"#]
    }
    return
      #","filterBy":[\#(filters.joined(separator: ","))],"sortBy":[\#(sorts.joined(separator: ","))]"#
  }

  mutating func place() -> String {
    pick([#""zoneID":{"zoneName":"Z"}"#, #""zoneID":{"zoneName":"Y"}"#, #""zoneWide":true"#])
  }
}

@Suite struct `Indexed queries` {
  @Test(arguments: [(nil, nil), (1, nil), (3, nil), (nil, 3)] as [(Int?, Int?)])
  func `Results equal those without an index`(indexed: Int?, plain: Int?) async throws {
    var randomQueries = RandomQueries(generator: .forTest())
    let seed = randomQueries.generator.description
    let twins = try await TwinClouds(slices: (indexed, plain))
    for _ in 0..<4 { try await twins.modify(randomQueries.batch(30, names: 40)) }
    var found = 0
    for _ in 0..<120 {
      found += try await twins.compare(
        randomQueries.query(), place: randomQueries.place(), limit: randomQueries.roll(2..<25), seed
      )
      if randomQueries.roll(0..<3) == 0 { try await twins.runMaintenance() }
      if randomQueries.roll(0..<4) == 0 {
        try await twins.modify(randomQueries.batch(6, names: 40))
      }
      if randomQueries.roll(0..<8) == 0 {
        for client in [twins.indexed, twins.plain] { client.cloud.pass(seconds: 1) }
      }
    }
    #expect(found > 200, "\(seed)")
  }

  /// Between the steps of the build, records are changed that it has passed, and records that it
  /// has not reached.
  @Test func `Changes during the build of an index are not missed`() async throws {
    var randomQueries = RandomQueries(generator: .forTest())
    let seed = randomQueries.generator.description
    let engine = InterleavingEngine()
    let twins = try await TwinClouds(engine: engine)
    let names = 1_200
    for start in stride(from: 0, to: names, by: 150) {
      let operations = (start..<start + 150).map {
        #"{"operationType":"create","record":{"recordName":"n\#($0)","recordType":"\#(RandomQueries.type(of: $0))","fields":{\#(randomQueries.fields())}}}"#
      }
      try await twins.modify(
        #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"Z"}}"#)
    }
    let queries = [
      #","sortBy":[{"fieldName":"n"},{"fieldName":"s","ascending":false}]"#,
      #","filterBy":[{"comparator":"EQUALS","fieldName":"s","fieldValue":{"value":"ab"}}]"#,
      #","filterBy":[{"comparator":"LIST_CONTAINS","fieldName":"l","fieldValue":{"value":"b"}}]"#,
    ]
    let place = #""zoneID":{"zoneName":"Z"}"#
    for query in queries { _ = try await twins.compare(query, place: place, limit: 1_000, seed) }
    let batches = (0..<30).map { _ in
      randomQueries.batch(20, names: names).replacing(#""Y""#, with: #""Z""#)
    }
    let next = Counter()
    engine.betweenWrites { if let batch = next.take(of: batches) { try await twins.modify(batch) } }
    try await twins.runMaintenance()
    engine.betweenWrites(nil)
    #expect(next.count > 10, "the builder took too few steps for the test to mean anything")
    // One in thirteen texts matches: 59 records on average, and fewer than 21 once in a million
    // tests.
    for query in queries {
      #expect(try await twins.compare(query, place: place, limit: 1_000, seed) > 20, "\(seed)")
    }
  }

  @Test func `The build of an index continues after a crash`() async throws {
    var randomQueries = RandomQueries(generator: .forTest())
    let seed = randomQueries.generator.description
    let engine = FailingEngine()
    let twins = try await TwinClouds(engine: engine)
    for _ in 0..<8 {
      try await twins.modify(
        randomQueries.batch(190, names: 2_000).replacing(#""Y""#, with: #""Z""#))
    }
    let (query, place) = (#","sortBy":[{"fieldName":"n"}]"#, #""zoneID":{"zoneName":"Z"}"#)
    var crashes = 0
    for _ in 0..<3 {
      _ = try await twins.compare(query, place: place, limit: 1_000, seed)
      engine.fail(afterWrites: crashes)
      do { try await twins.runMaintenance() } catch { crashes += 1 }
      engine.fail(afterWrites: nil)
      try await twins.modify(
        randomQueries.batch(50, names: 2_000).replacing(#""Y""#, with: #""Z""#))
    }
    #expect(crashes == 3)
    try await twins.runMaintenance()
    #expect(try await twins.compare(query, place: place, limit: 1_000, seed) > 500)
  }
}
