import CloudRecords
import CloudWire
import Foundation
import RecordServer
import TestSupport
import Testing

@Suite struct `Zone feeds` {
  private let cloud = Cloud()

  private func note(_ name: String, _ text: String = "") -> (String, String) {
    (
      "forceUpdate",
      #""recordName":"\#(name)","recordType":"Note","fields":{"text":{"value":"\#(text)"}}"#
    )
  }

  private func gone(_ name: String) -> (String, String) {
    ("forceDelete", #""recordName":"\#(name)""#)
  }

  private func client(_ zone: String = "Z") async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone(zone)
    return ada
  }

  @Test func `Each record appears once, in its current state and the order of last changes`()
    async throws
  {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"), note("b"), note("c"))
    _ = try await ada.modify(zone: "Z", note("a", "again"))
    let page = try await ada.changes(zone: "Z")["zones"][0]
    #expect(page.records == ["b@2", "c@3", "a@4"])
    #expect(page["moreComing"].flag == false)
    #expect(page["records"][2].field("text") == "again")
  }

  /// Fields of all types, one of them sealed.
  private static let everyType = """
    "bytes":{"value":"AP8B","type":"BYTES"},"double":{"value":-2.5,"type":"DOUBLE"},"int":{"value":-7,"type":"INT64"},
    "list":{"value":["a","\\"b\\""],"type":"STRING_LIST"},"none":{"value":[],"type":"INT64_LIST"},
    "place":{"value":{"latitude":1.5,"longitude":-2,"altitude":3},"type":"LOCATION"},
    "other":{"value":{"recordName":"b","action":"NONE"},"type":"REFERENCE"},
    "sealed":{"value":"AQID","type":"BYTES","isEncrypted":true},"text":{"value":"é\\u0000🎈\\n","type":"STRING"},
    "time":{"value":1700000000000,"type":"TIMESTAMP"}
    """

  @Test(arguments: [
    "", #","desiredKeys":["text","list"]"#, #","desiredKeys":[]"#, #","numbersAsStrings":true"#,
  ])
  func `A record has the same form as in a lookup`(option: String) async throws {
    let ada = try await client()
    _ = try await ada.modify(
      zone: "Z", ("create", #""recordName":"b","recordType":"Note","fields":{}"#))
    _ = try await ada.modify(
      zone: "Z",
      (
        "create",
        #""recordName":"a","recordType":"All","parent":{"recordName":"b"},"createShortGUID":true,"deviceID":"d","fields":{\#(Self.everyType)}"#
      ))
    let zone = #""zoneID":{"zoneName":"Z"}"#
    let page = try await ada.ask(.private, .changesZone, #"{"zones":[{\#(zone)\#(option)}]}"#)[
      "zones"][0]
    let found = try await ada.ask(
      .private, .recordsLookup,
      #"{"records":[{"recordName":"b"},{"recordName":"a"}],\#(zone)\#(option)}"#)
    #expect(page.records == ["b@1", "a@2"])
    #expect(try page["records"].sorted() == found["records"].sorted())
    let shown = page["records"][1]["fields"].keys.count
    #expect(shown == (option.contains("[]") ? 0 : option.contains("desired") ? 2 : 10))
  }

  @Test func `Each zone can have its own requested types`() async throws {
    let ada = try await client()
    _ = try await ada.modify(
      zone: "Z", note("a"), ("create", #""recordName":"b","recordType":"Other","fields":{}"#))
    let reply = try await ada.ask(
      .private, .changesZone,
      #"{"zones":[{"zoneID":{"zoneName":"Z"},"desiredRecordTypes":["Other"],"resultsLimit":1}]}"#)
    #expect(reply["zones"][0].records == ["b@2"])
  }

  @Test func `A feed continues at the token`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"), note("b"))
    let token = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    #expect(try await ada.changes(zone: "Z", since: token)["zones"][0].records == [])
    _ = try await ada.modify(zone: "Z", note("c"), gone("a"))
    let page = try await ada.changes(zone: "Z", since: token)["zones"][0]
    #expect(page.records == ["c@3", "a: deleted"])
    #expect(page["records"][1].keys == ["deleted", "recordName", "zoneID"])
    let own = try await ada.changes(zone: "Z", since: token, ownClient: true)["zones"][0]
    #expect(own["records"][1]["recordType"].text == "Note")
  }

  @Test func `A reader without a token does not see deleted records`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"), note("b"))
    _ = try await ada.modify(zone: "Z", gone("a"))
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == ["b@2"])
    // A recreated record appears again, once.
    _ = try await ada.modify(zone: "Z", note("a"))
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == ["b@2", "a@4"])
  }

  @Test(arguments: 1...5) func `A feed has pages of the requested size`(limit: Int) async throws {
    let ada = try await client()
    for name in ["a", "b", "c", "d"] { _ = try await ada.modify(zone: "Z", note(name)) }
    var seen: [String] = []
    var token: String?
    var pages = 0
    while true {
      let page = try await ada.changes(zone: "Z", since: token, limit: limit)["zones"][0]
      seen += page.records
      token = page["syncToken"].text
      pages += 1
      if page["moreComing"].flag == false { break }
      try #require(pages < 10)
    }
    #expect(seen == ["a@1", "b@2", "c@3", "d@4"])
    #expect(pages == (4 + limit - 1) / limit)
  }

  @Test func `Zones share the space of one answer`() async throws {
    var limits = ServiceLimits()
    limits.recordsPerResponse = 3
    let ada = try await Cloud(limits: limits).user("_ada")
    for zone in ["A", "B"] {
      try await ada.makeZone(zone)
      _ = try await ada.modify(zone: zone, note("1"), note("2"))
    }
    let reply = try await ada.ask(
      .private, .changesZone,
      #"{"zones":[{"zoneID":{"zoneName":"A"}},{"zoneID":{"zoneName":"B"}}]}"#)
    #expect(reply["zones"].list.map(\.records) == [["1@1", "2@2"], ["1@1"]])
    #expect(reply["zones"].list.map { $0["moreComing"].flag } == [false, true])
  }

  @Test func `A token belongs to a zone and a reader, and others are rejected`() async throws {
    let ada = try await client()
    try await ada.makeZone("Other")
    let bob = try await cloud.user("_bob")
    try await bob.makeZone("Z")
    _ = try await ada.modify(zone: "Z", note("a"))
    let token = try #require(try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text)
    let strange = [
      try await ada.changes(zone: "Other", since: token),
      try await bob.changes(zone: "Z", since: token),
    ]
    for reply in strange {
      #expect(reply["zones"][0]["serverErrorCode"].text == "BAD_REQUEST")
      #expect(reply["zones"][0]["extensionErrorCode"].isThere == false)
    }
    let database = try #require(try await ada.databaseChanges()["syncToken"].text)
    for wrong in [database, "x", "////", String(token.dropLast(4)), token + "AAAA"] {
      let reply = try await ada.changes(zone: "Z", since: wrong)
      #expect(reply["zones"][0]["serverErrorCode"].text == "BAD_REQUEST", "\(wrong)")
    }
  }

  @Test func `A feed of a recreated zone cannot continue`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", note("a"))
    let token = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    let delete = #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}]}"#
    #expect(try await ada.ask(.private, .zonesModify, delete)["zones"][0]["deleted"].flag == true)
    let missing = try await ada.changes(zone: "Z", since: token)
    #expect(missing["zones"][0]["serverErrorCode"].text == "ZONE_NOT_FOUND")
    try await ada.makeZone("Z")
    let again = try await ada.changes(zone: "Z", since: token)["zones"][0]
    #expect(again["extensionErrorCode"].text == "ZONE_RECREATED")
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == [])
  }

  @Test func `The default zone and the public database have no feeds`() async throws {
    let ada = try await client()
    let standard = try await ada.changes(zone: "_defaultZone")["zones"][0]
    #expect(standard["reason"].text?.contains("cannot get changes in default zone") == true)
    #expect(try await ada.changes(in: .public, zone: "Z").status == 400)
    #expect(try await ada.databaseChanges(in: .public).status == 400)
    let old = try await ada.ask(.private, .recordsChanges, #"{"zoneID":{"zoneName":"Z"}}"#)
    #expect(old.records == [])
    #expect(old["syncToken"].isThere)
  }

  @Test func `Requested types can be given for all zones`() async throws {
    let ada = try await client()
    _ = try await ada.modify(
      zone: "Z", note("a"), ("create", #""recordName":"b","recordType":"Book","fields":{}"#))
    let reply = try await ada.ask(
      .private, .changesZone,
      #"{"desiredRecordTypes":["Book"],"zones":[{"zoneID":{"zoneName":"Z"}}]}"#)
    #expect(reply["zones"][0].records == ["b@2"])
  }

  /// Readers that read at any time, with pages of any size, reach the current state.
  @Test func `Every replica reaches the current state`() async throws {
    var random = SeededGenerator.forTest()
    let ada = try await client()
    var replicas = Array(repeating: (token: String?.none, contents: [String: String]()), count: 4)
    for step in 0..<150 {
      let name = "r\(Int.random(in: 0..<12, using: &random))"
      let change = Bool.random(using: &random) ? note(name, "\(step)") : gone(name)
      _ = try await ada.modify(zone: "Z", atomic: false, change)
      let reader = Int.random(in: 0..<8, using: &random)
      guard replicas.indices.contains(reader) else { continue }
      let limit = Int.random(in: 1...4, using: &random)
      let page = try await ada.changes(zone: "Z", since: replicas[reader].token, limit: limit)[
        "zones"][0]
      Self.apply(page, to: &replicas[reader])
    }
    let expectation = Self.contents(try await ada.changes(zone: "Z")["zones"][0])
    for index in replicas.indices {
      repeat {
        let page = try await ada.changes(zone: "Z", since: replicas[index].token, limit: 3)[
          "zones"][0]
        Self.apply(page, to: &replicas[index])
        if page["moreComing"].flag == false { break }
      } while true
      #expect(replicas[index].contents == expectation, "\(random)")
    }
  }

  private static func apply(
    _ page: Reply, to replica: inout (token: String?, contents: [String: String])
  ) {
    for record in page["records"].list {
      guard let name = record["recordName"].text else { continue }
      replica.contents[name] = record["deleted"].flag == true ? nil : record.field("text")
    }
    replica.token = page["syncToken"].text
  }

  private static func contents(_ page: Reply) -> [String: String] {
    var replica = (token: String?.none, contents: [String: String]())
    apply(page, to: &replica)
    return replica.contents
  }
}

extension Reply {
  /// The answer as text that is equal for equal contents.
  fileprivate func sorted() throws -> String {
    let data = try JSONSerialization.data(withJSONObject: tree ?? [], options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }
}
