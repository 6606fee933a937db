import CloudRecords
import Foundation
import TestSupport
import Testing

/// Behaviour of record operations on which real clients of the web protocol depend.
@Suite("Unmodified clients and records", .blockingThreads, .endsAtAll)
struct RecordInteropTests {
  private static let zone = #""zoneID":{"zoneName":"Notes"}"#

  private func client(_ testService: TestService) async throws -> WebClient {
    let ada = try await testService.user("ada")
    let created = try ada.ask(
      "private", "zones/modify",
      #"{"operations":[{"operationType":"create","zone":{\#(Self.zone)}}]}"#)
    #expect(Data(base64Encoded: created["zones"][0]["syncToken"].text ?? "?") != nil, "\(created)")
    return ada
  }

  private func modify(_ client: WebClient, _ operations: String..., atomic: Bool = false) throws
    -> Reply
  {
    try client.ask(
      "private", "records/modify",
      #"{"operations":[\#(operations.joined(separator: ","))],\#(Self.zone),"atomic":\#(atomic)}"#)
  }

  private func save(_ name: String, _ fields: String = "", type: String = "forceUpdate") -> String {
    #"{"operationType":"\#(type)","record":{"recordName":"\#(name)","recordType":"Note","fields":{\#(fields)}}}"#
  }

  @Test func `Each operation has one result, in order, and errors are complete`() async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      let reply = try modify(
        ada, save("a"), save("a2", type: "create"), save("gone", type: "replace"),
        #"{"operationType":"delete","record":{"recordName":"never"}}"#,
        #"{"operationType":"forceDelete","record":{"recordName":"nor"}}"#, save("b"))
      let items = reply["records"].list
      #expect(
        items.map { $0["recordName"].text } == ["a", "a2", "gone", "never", "nor", "b"], "\(reply)")
      #expect(
        items.map { $0["serverErrorCode"].isThere } == [false, false, true, true, false, false])
      #expect(
        items[4]["deleted"].flag == true && items[3]["serverErrorCode"].text == "NOT_FOUND",
        "\(reply)")
      for item in items where item["serverErrorCode"].isThere {
        #expect(CloudErrorCode(rawValue: item["serverErrorCode"].text ?? "") != nil)
        #expect(item["reason"].text?.isEmpty == false)
      }
      let whole = try modify(ada, save("c"), save("a", type: "create"), atomic: true)
      #expect(whole.status == 200)
      #expect(
        whole["records"].list.map { $0["serverErrorCode"].text } == ["ATOMIC_ERROR", "EXISTS"],
        "\(whole)")
    }
  }

  @Test func `An item that needs a user says where to sign in, like a whole request`() async throws
  {
    try await TestService.run { testService in
      let anonymous = try testService.client()
      let body = #"{"operations":[\#(save("a"))]}"#
      let item = try anonymous.ask("public", "records/modify", body)["records"][0]
      #expect(item["serverErrorCode"].text == "AUTHENTICATION_REQUIRED", "\(item.object)")
      let whole = try anonymous.ask("private", "records/modify", body)
      #expect(
        whole.status == 421
          && whole["redirectURL"].text?.hasPrefix("http://cloud.example/sign-in?") == true)
      #expect(item["redirectURL"].text == whole["redirectURL"].text)
    }
  }

  @Test func `Tokens are always present in base64, and tombstones have no type`() async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      _ = try modify(ada, save("a"), save("b"))
      let first = try ada.ask("private", "changes/zone", #"{"zones":[{\#(Self.zone)}]}"#)["zones"][
        0]
      let token = try #require(first["syncToken"].text)
      #expect(Data(base64Encoded: token) != nil)
      #expect(first["records"].count == 2)
      let none = try ada.ask(
        "private", "changes/zone", #"{"zones":[{\#(Self.zone),"syncToken":"\#(token)"}]}"#)
      #expect(none["zones"][0]["records"].count == 0 && none["zones"][0]["syncToken"].text != nil)
      let deleted = try modify(ada, #"{"operationType":"forceDelete","record":{"recordName":"a"}}"#)
      let feed = try ada.ask(
        "private", "changes/zone", #"{"zones":[{\#(Self.zone),"syncToken":"\#(token)"}]}"#)
      for tombstone in [deleted["records"][0], feed["zones"][0]["records"][0]] {
        #expect(tombstone["recordName"].text == "a")
        #expect(tombstone["deleted"].flag == true)
        #expect(!tombstone["recordType"].isThere && !tombstone["fields"].isThere)
      }
    }
  }

  @Test(arguments: ["text/plain", "application/json", "application/json; charset=utf-8", "x/y"])
  func `The type of a body, unknown members and unknown parameters are ignored`(
    type: String
  ) async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      let target =
        "/database/1/\(ada.container)/private/records/modify\(ada.query)&remapEnums=true&dsid=1&ckjsBuildVersion=17"
      let body =
        #"{"operations":[\#(save("a"))],\#(Self.zone),"madeUp":{"a":[1,null]},"pluginFields":{}}"#
      let reply = try ada.post(target, body, "Content-Type: \(type)\r\n")
      #expect(reply["records"][0]["recordName"].text == "a", "\(reply)")
      #expect(reply.fields["content-type"]?.hasPrefix("application/json") == true)
    }
  }

  @Test
  func `Every field has its type, lists their members' type, and times are whole numbers`()
    async throws
  {
    try await TestService.run { testService in
      let ada = try await client(testService)
      let fields = [
        #""text":{"value":"x"}"#, #""number":{"value":3}"#, #""ratio":{"value":3,"type":"DOUBLE"}"#,
        #""time":{"value":1422312944104,"type":"TIMESTAMP"}"#,
        #""bytes":{"value":"YWJj","type":"BYTES"}"#,
        #""place":{"value":{"latitude":1.5,"longitude":2}}"#, #""tags":{"value":["a","b"]}"#,
        #""none":{"value":[],"type":"STRING_LIST"}"#, #""bare":"y""#,
      ].joined(separator: ",")
      let reply = try modify(ada, save("a", fields))
      let record = reply["records"][0]
      let types = record["fields"].keys.sorted().map { record["fields"][$0]["type"].text }
      #expect(
        types == [
          "STRING", "BYTES", "STRING_LIST", "INT64", "LOCATION", "DOUBLE", "STRING_LIST", "STRING",
          "TIMESTAMP",
        ],
        "\(reply)")
      #expect(record["fields"]["none"]["value"].count == 0)
      #expect(record["created"]["timestamp"].number?.truncatingRemainder(dividingBy: 1) == 0)
      #expect(record["deleted"].flag == false && record["pluginFields"].isThere)
      let cleared = try modify(
        ada, save("a", #""text":{"value":null},"number":{},"bare":{"value":null,"type":"STRING"}"#))
      let left = cleared["records"][0]["fields"].keys
      #expect(
        left.isDisjoint(with: ["text", "number", "bare"]) && left.contains("tags"), "\(cleared)")
      let fraction = try modify(ada, save("a", #""time":{"value":1.5,"type":"TIMESTAMP"}"#))
      #expect(
        fraction["records"][0]["serverErrorCode"].text ?? fraction.code == "BAD_REQUEST",
        "\(fraction)")
    }
  }

  @Test(arguments: ["numbersAsStrings", "numberAsStrings"])
  func `Numbers are texts under both names of the option`(key: String) async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      _ = try modify(ada, save("a", #""number":{"value":3}"#))
      let reply = try ada.ask(
        "private", "changes/zone", #"{"zones":[{\#(Self.zone),"\#(key)":true}]}"#)
      #expect(reply["zones"][0]["records"][0]["fields"]["number"]["value"].text == "3", "\(reply)")
    }
  }

  @Test func `A feed of zones continues under both names of its token`() async throws {
    try await TestService.run { testService in
      let ada = try await client(testService)
      let first = try ada.ask("private", "zones/changes")
      let token = try #require(first["metaSyncToken"].text, "\(first)")
      #expect(first["syncToken"].text == token)
      #expect(first["zones"].list.contains { $0["zoneID"]["zoneName"].text == "Notes" })
      for key in ["metaSyncToken", "syncToken"] {
        #expect(
          try ada.ask("private", "zones/changes", #"{"\#(key)":"\#(token)"}"#)["zones"].count == 0)
      }
    }
  }
}
