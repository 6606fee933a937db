import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Filters that compare with many values.
@Suite struct `Filters with many values` {
  private static func limited(to count: Int) -> Cloud {
    var limits = ServiceLimits()
    limits.valuesPerFilter = count
    return Cloud(limits: limits)
  }

  private func library(_ cloud: Cloud) async throws -> Client {
    let ada = try await cloud.user("_ada")
    let fields = #""title":{"value":"a b c"},"tags":{"value":["a","b"],"type":"STRING_LIST"}"#
    #expect(
      try await ada.modify(
        ("create", #""recordName":"n","recordType":"Book","fields":{\#(fields)}"#)
      ).records == [
        "n@1"
      ])
    return ada
  }

  private func ask(_ client: Client, _ filter: String) async throws -> Reply {
    try await client.ask(
      .private, .recordsQuery, #"{"query":{"recordType":"Book","filterBy":[{\#(filter)}]}}"#)
  }

  private static func list(_ count: Int) -> String {
    #"{"value":[\#((0..<count).map { #""v\#($0)""# }.joined(separator: ","))],"type":"STRING_LIST"}"#
  }

  private static func text(_ count: Int) -> String {
    #"{"value":"\#((0..<count).map { "w\($0)" }.joined(separator: " "))"}"#
  }

  private static let lists = [
    ("IN", "title"), ("NOT_IN", "title"), ("LIST_CONTAINS_ANY", "tags"),
    ("NOT_LIST_CONTAINS_ANY", "tags"),
    ("LIST_CONTAINS_ALL", "tags"), ("NOT_LIST_CONTAINS_ALL", "tags"),
  ]

  @Test(arguments: lists) func `Too many values are rejected with the limit and the count`(
    comparator: String, field: String
  ) async throws {
    let ada = try await library(Self.limited(to: 5))
    func filter(_ count: Int) -> String {
      #""comparator":"\#(comparator)","fieldName":"\#(field)","fieldValue":\#(Self.list(count))"#
    }
    #expect(try await ask(ada, filter(5)).status == 200)
    let reply = try await ask(ada, filter(6))
    #expect(
      reply["serverErrorCode"].text == "BAD_REQUEST"
        && reply["extensionErrorCode"].text == "LIMIT_EXCEEDED")
    let reason = reply["reason"].text ?? ""
    #expect(
      reason.contains("\(comparator) on “\(field)” has 6 values; at most 5 are allowed"),
      "\(reason)")
    #expect(reason.contains("filter-values"), "\(reason)")
  }

  @Test(arguments: ["CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS"])
  func `Too many words are rejected with their count`(comparator: String) async throws {
    let ada = try await library(Self.limited(to: 5))
    func filter(_ count: Int, _ field: String) -> String {
      #""comparator":"\#(comparator)"\#(field),"fieldValue":\#(Self.text(count))"#
    }
    for field in ["", #","fieldName":"title""#] {
      #expect(try await ask(ada, filter(5, field)).status == 200)
      let reply = try await ask(ada, filter(6, field))
      #expect(reply["extensionErrorCode"].text == "LIMIT_EXCEEDED")
      #expect(
        reply["reason"].text?.contains("has 6 words; at most 5 are allowed") == true, "\(reply)")
    }
    let long = String(repeating: "x", count: 65_537)
    let reply = try await ask(
      ada, #""comparator":"\#(comparator)","fieldName":"title","fieldValue":{"value":"\#(long)"}"#)
    #expect(reply["extensionErrorCode"].text == "LIMIT_EXCEEDED")
    #expect(
      reply["reason"].text?.contains("has 65537 bytes; at most 65536 are allowed") == true,
      "\(reply)")
  }

  @Test func `Subscriptions with too many values are rejected like queries`() async throws {
    let ada = try await library(Self.limited(to: 5))
    func subscribe(_ count: Int) async throws -> Reply {
      let filter = #"{"comparator":"NOT_IN","fieldName":"title","fieldValue":\#(Self.list(count))}"#
      let subscription =
        #"{"subscriptionID":"s","subscriptionType":"query","firesOn":["create"],"query":{"recordType":"Book","filterBy":[\#(filter)]}}"#
      let reply = try await ada.ask(
        .private, .subscriptionsModify,
        #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#)
      return reply["subscriptions"][0]
    }
    let refused = try await subscribe(6)
    #expect(
      refused["reason"].text?.contains("has 6 values; at most 5 are allowed") == true, "\(refused)")
    let created = try await subscribe(5)
    #expect(created["subscriptionID"].text == "s", "\(created)")
  }

  /// A value of a field, one to compare with, and whether they are equal.
  private static let pairs:
    [(type: String, one: String, other: String, otherType: String, areEqual: Bool)] = [
      ("INT64", "3", "3", "INT64", true), ("INT64", "3", "3.0", "DOUBLE", true),
      ("INT64", "3", "3.5", "DOUBLE", false),
      ("DOUBLE", "3.0", "3", "INT64", true), ("DOUBLE", "0.0", "-0.0", "DOUBLE", true),
      ("DOUBLE", "0.5", "0.5", "DOUBLE", true), ("DOUBLE", "1e300", "1e300", "DOUBLE", true),
      ("INT64", "9007199254740993", "9007199254740992.0", "DOUBLE", false),
      ("DOUBLE", "9007199254740992.0", "9007199254740993", "INT64", false),
      ("INT64", "9223372036854775807", "9223372036854775808.0", "DOUBLE", false),
      ("DOUBLE", "9223372036854775808.0", "9223372036854775807", "INT64", false),
      ("INT64", "-9223372036854775808", "-9223372036854775808.0", "DOUBLE", true),
      ("TIMESTAMP", "1000", "1000", "TIMESTAMP", true),
      ("TIMESTAMP", "1000", "1001", "TIMESTAMP", false),
      ("STRING", #""ä""#, #""a\u0308""#, "STRING", false),
      ("STRING", #""a\u0308""#, #""a\u0308""#, "STRING", true),
      ("STRING", #""""#, #""""#, "STRING", true), ("STRING", #""a""#, #""A""#, "STRING", false),
      ("BYTES", #""AAE=""#, #""AAE=""#, "BYTES", true),
      ("BYTES", #""AAE=""#, #""AAI=""#, "BYTES", false),
      (
        "REFERENCE", #"{"recordName":"r","action":"NONE"}"#,
        #"{"recordName":"r","action":"DELETE_SELF"}"#, "REFERENCE",
        true
      ),
      (
        "REFERENCE", #"{"recordName":"r","action":"NONE"}"#, #"{"recordName":"q"}"#, "REFERENCE",
        false
      ),
      (
        "LOCATION", #"{"latitude":0.0,"longitude":1,"altitude":5}"#,
        #"{"latitude":-0.0,"longitude":1}"#, "LOCATION", true
      ),
      (
        "LOCATION", #"{"latitude":2,"longitude":1}"#, #"{"latitude":1,"longitude":2}"#, "LOCATION",
        false
      ),
    ]

  /// Values of lists are compared by hash.
  @Test(arguments: pairs.indices) func `A filter finds records equal to one of the values`(
    number: Int
  ) async throws {
    let (type, one, other, otherType, areEqual) = Self.pairs[number]
    let cloud = Cloud()
    let ada = try await cloud.user("_ada")
    try await SchemaAdministrator(cloud).importing(
      """
      DEFINE SCHEMA RECORD TYPE OfBYTES (v BYTES QUERYABLE, l LIST<BYTES> QUERYABLE);
      RECORD TYPE OfLOCATION (v LOCATION QUERYABLE, l LIST<LOCATION> QUERYABLE);
      """)
    // Numbers compare with each other in fields whose type does not distinguish them.
    let isNumber = ["INT64", "DOUBLE"].contains(type)
    let (own, list, recordType) = (
      isNumber ? "" : #","type":"\#(type)""#, isNumber ? "" : #","type":"\#(type)_LIST""#,
      ["BYTES", "LOCATION"].contains(type) ? "Of\(type)" : "Book"
    )
    let fields = #""v":{"value":\#(one)\#(own)},"l":{"value":[\#(one)]\#(list)}"#
    let record = #""recordName":"n","recordType":"\#(recordType)","fields":{\#(fields)}"#
    #expect(try await ada.modify(("create", record)).records == ["n@1"])
    func isFound(_ comparator: String, _ field: String, _ value: String, _ type: String)
      async throws -> Bool
    {
      let filter =
        #"{"comparator":"\#(comparator)","fieldName":"\#(field)","fieldValue":{"value":\#(value),"type":"\#(type)"}}"#
      let reply = try await ada.ask(
        .private, .recordsQuery,
        #"{"query":{"recordType":"\#(recordType)","filterBy":[\#(filter)]}}"#)
      #expect(reply.status == 200, "\(reply)")
      return !reply.records.isEmpty
    }
    let otherList = "\(otherType)_LIST"
    #expect(try await isFound("EQUALS", "v", other, otherType) == areEqual)
    #expect(try await isFound("IN", "v", "[\(other)]", otherList) == areEqual)
    #expect(try await isFound("NOT_IN", "v", "[\(other)]", otherList) != areEqual)
    #expect(try await isFound("LIST_CONTAINS", "l", other, otherType) == areEqual)
    #expect(try await isFound("LIST_CONTAINS_ANY", "l", "[\(other)]", otherList) == areEqual)
    #expect(try await isFound("NOT_LIST_CONTAINS_ANY", "l", "[\(other)]", otherList) != areEqual)
    #expect(try await isFound("LIST_CONTAINS_ALL", "l", "[\(other)]", otherList) == areEqual)
  }
}
