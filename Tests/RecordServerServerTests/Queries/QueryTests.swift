import CloudRecords
import CloudWire
import Foundation
import RecordServer
import TestSupport
import Testing

@Suite struct `Record queries` {
  private let cloud = Cloud()

  /// Books with every kind of value.
  ///
  /// The last one has none.
  private func library() async throws -> Client {
    let ada = try await cloud.user("_ada")
    func book(_ name: String, _ fields: String) -> (String, String) {
      ("create", #""recordName":"\#(name)","recordType":"Book","fields":{\#(fields)}"#)
    }
    func fields(
      _ title: String, _ pages: Int, _ price: String, _ time: Int, _ tags: String, _ shelf: String,
      _ place: String
    )
      -> String
    {
      #"""
      "title":{"value":"\#(title)"},"pages":{"value":\#(pages),"type":"INT64"},"price":{"value":\#(price),"type":"DOUBLE"},
      "out":{"value":\#(time),"type":"TIMESTAMP"},"tags":{"value":\#(tags),"type":"STRING_LIST"},
      "shelf":{"value":{"recordName":"\#(shelf)","action":"NONE"}},"place":{"value":\#(place)}
      """#
    }
    let berlin = #"{"latitude":52.52,"longitude":13.405}"#
    let paris = #"{"latitude":48.8566,"longitude":2.3522}"#
    let reply = try await ada.modify(
      book("emma", fields("Emma", 474, "9.5", 1_000, #"["novel","classic"]"#, "s1", berlin)),
      book(
        "emil",
        fields("Emil und die Detektive", 160, "7", 2_000, #"["children","novel"]"#, "s1", paris)),
      book("dune", fields("Dune", 896, "12.25", 3_000, #"["science fiction"]"#, "s2", paris)),
      book("blank", ""))
    #expect(reply.records.count == 4)
    return ada
  }

  private func ask(_ client: Client, _ query: String, _ more: String = "") async throws -> Reply {
    try await client.ask(
      .private, .recordsQuery, #"{"query":{"recordType":"Book"\#(query)}\#(more)}"#)
  }

  private func names(_ reply: Reply) -> [String] {
    reply["records"].list.compactMap { $0["recordName"].text }
  }

  private static let place = #"{"latitude":52.5,"longitude":13.4}"#

  @Test(arguments: [
    ("EQUALS", #""fieldName":"title","fieldValue":{"value":"Emma"}"#, ["emma"]),
    ("EQUALS", #""fieldName":"pages","fieldValue":{"value":160}"#, ["emil"]),
    ("EQUALS", #""fieldName":"price","fieldValue":{"value":7}"#, ["emil"]),
    ("EQUALS", #""fieldName":"title","fieldValue":{"value":null}"#, ["blank"]),
    (
      "EQUALS",
      #""fieldName":"shelf","fieldValue":{"value":{"recordName":"s1"},"type":"REFERENCE"}"#,
      ["emil", "emma"]
    ),
    (
      "NOT_EQUALS", #""fieldName":"title","fieldValue":{"value":"Emma"}"#,
      ["blank", "dune", "emil"]
    ),
    ("LESS_THAN", #""fieldName":"pages","fieldValue":{"value":474}"#, ["emil"]),
    ("LESS_THAN_OR_EQUALS", #""fieldName":"pages","fieldValue":{"value":474}"#, ["emil", "emma"]),
    ("GREATER_THAN", #""fieldName":"price","fieldValue":{"value":9.5,"type":"DOUBLE"}"#, ["dune"]),
    (
      "GREATER_THAN_OR_EQUALS",
      #""fieldName":"out","fieldValue":{"value":2000,"type":"TIMESTAMP"}"#, ["dune", "emil"]
    ),
    ("NEAR", #""fieldName":"place","fieldValue":{"value":\#(place)},"distance":5000"#, ["emma"]),
    (
      "NEAR", #""fieldName":"place","fieldValue":{"value":\#(place)},"distance":1000000"#,
      ["dune", "emil", "emma"]
    ),
    (
      "IN", #""fieldName":"pages","fieldValue":{"value":[160,896],"type":"INT64_LIST"}"#,
      ["dune", "emil"]
    ),
    (
      "NOT_IN", #""fieldName":"pages","fieldValue":{"value":[160,896],"type":"INT64_LIST"}"#,
      ["blank", "emma"]
    ),
    ("BEGINS_WITH", #""fieldName":"title","fieldValue":{"value":"Em"}"#, ["emil", "emma"]),
    ("NOT_BEGINS_WITH", #""fieldName":"title","fieldValue":{"value":"Em"}"#, ["blank", "dune"]),
    ("LIST_CONTAINS", #""fieldName":"tags","fieldValue":{"value":"novel"}"#, ["emil", "emma"]),
    (
      "NOT_LIST_CONTAINS", #""fieldName":"tags","fieldValue":{"value":"novel"}"#, ["blank", "dune"]
    ),
    (
      "LIST_CONTAINS_ALL", #""fieldName":"tags","fieldValue":{"value":["novel","classic"]}"#,
      ["emma"]
    ),
    (
      "NOT_LIST_CONTAINS_ALL", #""fieldName":"tags","fieldValue":{"value":["novel","classic"]}"#,
      ["blank", "dune", "emil"]
    ),
    (
      "LIST_CONTAINS_ANY", #""fieldName":"tags","fieldValue":{"value":["classic","children"]}"#,
      ["emil", "emma"]
    ),
    (
      "NOT_LIST_CONTAINS_ANY", #""fieldName":"tags","fieldValue":{"value":["classic","children"]}"#,
      ["blank", "dune"]
    ),
    ("LIST_MEMBER_BEGINS_WITH", #""fieldName":"tags","fieldValue":{"value":"sci"}"#, ["dune"]),
    (
      "NOT_LIST_MEMBER_BEGINS_WITH", #""fieldName":"tags","fieldValue":{"value":"sci"}"#,
      ["blank", "emil", "emma"]
    ),
    (
      "CONTAINS_ALL_TOKENS", #""fieldName":"title","fieldValue":{"value":"detektive EMIL"}"#,
      ["emil"]
    ),
    (
      "CONTAINS_ANY_TOKENS", #""fieldName":"title","fieldValue":{"value":"dune emma"}"#,
      ["dune", "emma"]
    ),
    ("CONTAINS_ALL_TOKENS", #""fieldValue":{"value":"dune"}"#, ["dune"]),
    (
      "EQUALS",
      #""systemFieldName":"recordName","fieldValue":{"value":{"recordName":"dune"},"type":"REFERENCE"}"#,
      ["dune"]
    ),
    (
      "GREATER_THAN",
      #""systemFieldName":"createdTimestamp","fieldValue":{"value":0,"type":"TIMESTAMP"}"#,
      ["blank", "dune", "emil", "emma"]
    ),
  ])
  func `Every comparator filters`(comparator: String, filter: String, expected: [String])
    async throws
  {
    let ada = try await library()
    let reply = try await ask(ada, #","filterBy":[{"comparator":"\#(comparator)",\#(filter)}]"#)
    #expect(names(reply) == expected, "\(reply)")
  }

  @Test func `Filters combine, and one can be given alone`() async throws {
    let ada = try await library()
    let long = #"{"comparator":"GREATER_THAN","fieldName":"pages","fieldValue":{"value":200}}"#
    let novel = #"{"comparator":"LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"novel"}}"#
    #expect(names(try await ask(ada, #","filterBy":[\#(long),\#(novel)]"#)) == ["emma"])
    #expect(names(try await ask(ada, #","filterBy":\#(novel)"#)) == ["emil", "emma"])
  }

  @Test(arguments: [
    (#"{"fieldName":"pages"}"#, ["emil", "emma", "dune", "blank"]),
    (#"{"fieldName":"pages","ascending":false}"#, ["dune", "emma", "emil", "blank"]),
    (#"{"fieldName":"title"}"#, ["dune", "emil", "emma", "blank"]),
    (#"{"systemFieldName":"modifiedTimestamp"}"#, ["blank", "dune", "emil", "emma"]),
    (
      #"{"fieldName":"place","relativeLocation":{"latitude":48,"longitude":2}},{"fieldName":"pages"}"#,
      ["emil", "dune", "emma", "blank"]
    ),
  ])
  func `Queries sort`(sorts: String, expected: [String]) async throws {
    let ada = try await library()
    #expect(names(try await ask(ada, #","sortBy":[\#(sorts)]"#)) == expected)
  }

  @Test(arguments: [
    "", #","sortBy":[{"fieldName":"shelf2"},{"fieldName":"pages","ascending":false}]"#,
  ])
  func `Results have pages of any size, each record once`(sorts: String) async throws {
    let ada = try await cloud.user("_ada")
    for number in 0..<10 {
      let fields =
        #""shelf2":{"value":\#(number % 3),"type":"INT64"},"pages":{"value":\#(number / 2),"type":"INT64"}"#
      _ = try await ada.modify(
        ("create", #""recordName":"b\#(number)","recordType":"Book","fields":{\#(fields)}"#))
    }
    let whole = names(try await ask(ada, sorts))
    #expect(Set(whole).count == 10)
    for limit in 1...10 {
      var seen: [String] = []
      var marker: String?
      repeat {
        let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
        let page = try await ask(ada, sorts, #","resultsLimit":\#(limit)\#(next)"#)
        seen += names(page)
        marker = page["continuationMarker"].text
      } while marker != nil && seen.count < 50
      #expect(seen == whole)
    }
    #expect(try await ask(ada, sorts, #","continuationMarker":"AAAA""#).status == 400)
  }

  @Test(arguments: [
    #","filterBy":[{"comparator":"GREATER_THAN","fieldName":"pages","fieldValue":{"value":100}}]"#,
    #","sortBy":[{"fieldName":"title"}]"#, #","sortBy":[{"fieldName":"pages","ascending":false}]"#,
    #","sortBy":[{"fieldName":"pages"},{"fieldName":"title"}]"#,
  ])
  func `Only a query's own cursors continue it`(other: String) async throws {
    let ada = try await library()
    _ = try await ada.modify(
      ("create", #""recordName":"p","recordType":"Pen","fields":{"pages":{"value":1}}"#))
    try await ada.makeZone("Z")
    let own = #","sortBy":[{"fieldName":"pages"}]"#
    let marker = try #require(
      try await ask(ada, own, #","resultsLimit":1"#)["continuationMarker"].text)
    let next = #","continuationMarker":"\#(marker)""#
    // The fields and the limit may change from page to page, but the query may not.
    #expect(
      names(try await ask(ada, own, #"\#(next),"resultsLimit":2,"desiredKeys":[]"#)) == [
        "emma", "dune",
      ])
    let named = #","zoneID":{"zoneName":"_defaultZone"}"#
    #expect(names(try await ask(ada, own, next + named)) == ["emma", "dune", "blank"])
    let pens = #"{"query":{"recordType":"Pen"\#(own)}\#(next)}"#
    let wrong = [
      try await ask(ada, other, next), try await ask(ada, "", next),
      try await ada.ask(.private, .recordsQuery, pens),
      try await ask(ada, own, #"\#(next),"zoneID":{"zoneName":"Z"}"#),
      try await ask(ada, own, #"\#(next),"zoneWide":true"#),
    ]
    for reply in wrong {
      #expect(reply["serverErrorCode"].text == "BAD_REQUEST")
      #expect(reply["reason"].text?.contains("continuationMarker") == true, "\(reply)")
    }
  }

  /// Clients can compute the checksum in a cursor.
  @Test func `A forged cursor with many values or a long name is rejected`() async throws {
    let ada = try await library()
    let marker = try #require(
      try await ask(ada, "", #","resultsLimit":1"#)["continuationMarker"].text)
    let bytes = try #require(Base64Text.bytes(marker))
    // It ends with the length of a name, the name, and two counts of zero values.
    let name = Array("\u{5}blank".utf8)
    try #require(Array(bytes.suffix(8)) == name + [0, 0], "\(bytes)")
    // Three megabytes, with their length in groups of seven bits.
    let long: [UInt8] = [0x80, 0x80, 0xC0, 0x01] + Array(repeating: 0x78, count: 3 << 20)
    func continued(_ name: [UInt8], _ counts: [UInt8]) async throws -> Reply {
      let forged = Data(Array(bytes.dropLast(8)) + name + counts).base64EncodedString()
      return try await ask(ada, "", #","continuationMarker":"\#(forged)""#)
    }
    #expect(names(try await continued(name, [0, 0])) == ["dune", "emil", "emma"])
    for reply in [try await continued(name, [3, 0, 0, 0, 0]), try await continued(long, [0, 0])] {
      #expect(reply.status == 400, "\(reply)")
      #expect(reply["reason"].text?.contains("continuationMarker") == true, "\(reply)")
    }
  }

  @Test func `A page has at least one record, as in feeds`() async throws {
    let ada = try await library()
    try await ada.makeZone("Z")
    let replies = [
      try await ask(ada, "", #","resultsLimit":0"#),
      try await ada.changes(zone: "Z", limit: 0)["zones"][0],
      try await ada.ask(
        .private, .recordsChanges, #"{"zoneID":{"zoneName":"Z"},"resultsLimit":0}"#),
      try await ada.ask(.private, .changesDatabase, #"{"resultsLimit":0}"#),
    ]
    for reply in replies {
      #expect(reply["serverErrorCode"].text == "BAD_REQUEST", "\(reply)")
      #expect(
        reply["reason"].text == replies[0]["reason"].text
          && reply["reason"].text?.contains("resultsLimit") == true)
    }
  }

  @Test(arguments: [
    #","filterBy":[{"comparator":"LIKE","fieldName":"title","fieldValue":{"value":"x"}}]"#,
    #","filterBy":[{"comparator":"EQUALS","fieldName":"nothing","fieldValue":{"value":"x"}}]"#,
    #","filterBy":[{"comparator":"EQUALS","fieldName":"pages","fieldValue":{"value":"x"}}]"#,
    #","filterBy":[{"comparator":"NEAR","fieldName":"place","fieldValue":{"value":{"latitude":0,"longitude":0}}}]"#,
    #","filterBy":[{"comparator":"LESS_THAN","fieldName":"tags","fieldValue":{"value":"x"}}]"#,
    #","sortBy":[{"fieldName":"tags"}]"#, #","sortBy":[{"ascending":true}]"#,
  ])
  func `Invalid queries are rejected with a reason`(query: String) async throws {
    let ada = try await library()
    let reply = try await ask(ada, query)
    #expect(reply.status == 400)
    #expect((reply["reason"].text ?? "").count > 20)
  }

  /// The fields' types were learnt from untyped numbers.
  @Test(
    arguments: [
      ("EQUALS", "mark", #""value":3"#, ["a"]),
      ("EQUALS", "mark", #""value":3.5,"type":"DOUBLE""#, ["b"]),
      ("GREATER_THAN", "mark", #""value":1,"type":"INT64""#, ["a", "b"]),
      ("EQUALS", "mark", #""value":null"#, []),
      ("IN", "mark", #""value":[3,4],"type":"INT64_LIST""#, ["a"]),
      ("IN", "mark", #""value":[3,3.5],"type":"DOUBLE_LIST""#, ["a", "b"]),
      ("LIST_CONTAINS", "marks", #""value":2"#, ["a", "b"]),
      ("LIST_CONTAINS_ALL", "marks", #""value":[2,2.5]"#, ["b"]),
      ("LIST_CONTAINS_ALL", "marks", #""value":[]"#, ["a", "b"]),
      ("EQUALS", "mark", #""value":"x""#, nil),
      ("EQUALS", "mark", #""value":"x","type":"STRING""#, nil),
      ("EQUALS", "mark", #""value":3,"type":"TIMESTAMP""#, nil),
      ("EQUALS", "mark", #""value":[3]"#, nil),
      ("EQUALS", "mark", #""value":[]"#, nil),
      ("NOT_EQUALS", "mark", #""value":{"recordName":"x"}"#, nil),
      ("LESS_THAN", "mark", #""value":"x""#, nil),
      ("IN", "mark", #""value":["x"],"type":"STRING_LIST""#, nil),
      ("LIST_CONTAINS", "marks", #""value":"x""#, nil),
      ("LIST_CONTAINS_ALL", "marks", #""value":["x"]"#, nil),
    ] as [(String, String, String, [String]?)])
  func `Numbers compare only with numbers`(
    comparator: String, field: String, value: String, expected: [String]?
  ) async throws {
    let ada = try await cloud.user("_ada")
    func book(_ name: String, _ number: String, _ list: String) -> (String, String) {
      let fields = #""mark":{"value":\#(number)},"marks":{"value":\#(list)}"#
      return ("create", #""recordName":"\#(name)","recordType":"Book","fields":{\#(fields)}"#)
    }
    #expect(
      try await ada.modify(book("a", "3", "[1,2]"), book("b", "3.5", "[2,2.5]")).records == [
        "a@1", "b@2",
      ])
    let filter =
      #"{"comparator":"\#(comparator)","fieldName":"\#(field)","fieldValue":{\#(value)}}"#
    let reply = try await ask(ada, #","filterBy":[\#(filter)]"#)
    guard let expected else {
      #expect(reply.status == 400, "\(reply)")
      let reason = reply["reason"].text ?? ""
      #expect(
        reason.contains("“\(field)” of record type “Book” must be of type "), "\(reason)")
      return
    }
    #expect(reply.status == 200 && names(reply).sorted() == expected, "\(reply)")
  }

  @Test func `A query covers all zones or one`() async throws {
    let ada = try await library()
    try await ada.makeZone("Z")
    _ = try await ada.modify(
      zone: "Z", ("create", #""recordName":"more","recordType":"Book","fields":{}"#))
    #expect(names(try await ask(ada, "")).count == 4)
    #expect(names(try await ask(ada, "", #","zoneID":{"zoneName":"Z"}"#)) == ["more"])
    #expect(names(try await ask(ada, "", #","zoneWide":true"#)).count == 5)
    #expect(
      names(try await ask(ada, "", #","zoneWide":true,"zoneID":{"zoneName":"Z"}"#)) == ["more"])
    let shared = try await ada.ask(
      .shared, .recordsQuery, #"{"query":{"recordType":"Book"},"zoneWide":true}"#)
    #expect(shared.status == 400)
  }

  @Test func `A query for an unknown type gets an error`() async throws {
    let ada = try await cloud.user("_ada")
    #expect(
      try await ask(ada, "")["reason"].text?.contains("Did not find record type: Book") == true)
  }
}
