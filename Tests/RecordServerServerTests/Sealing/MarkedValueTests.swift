import CloudRecords
import CloudWire
import Cryptography
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

/// Values that a client only marks as encrypted are returned as sent, and stored sealed.
@Suite struct `Marked values` {
  private static let plain = #""plain":{"value":"a plain word","type":"STRING"}"#

  @Test func `No file of the server has marked values in plain text, whatever happens to them`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.appendingPathComponent("server").path)
      let cloud = Cloud(engine: engine)
      let ada = try await cloud.user("_ada")
      try await ada.makeZone("Z")
      _ = try await ada.subscribe(
        #""subscriptionID":"s","subscriptionType":"query","query":{"recordType":"Note"},"firesOn":["create","update","delete"],"zoneID":{"zoneName":"Z"},"notificationInfo":{"alertLocalizationKey":"K","alertLocalizationArgs":["text","number"],"additionalFields":["text"]}"#
      )
      for number in 0..<30 {
        #expect(
          try await ada.put("r\(number)", "Note", MarkedFields.json + "," + Self.plain, zone: "Z")
            .status == 200)
      }
      for number in 0..<10 {
        _ = try await ada.put("r\(number)", "Note", MarkedFields.json, zone: "Z")
      }
      for number in 5..<15 {
        _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"r\#(number)""#))
      }
      let cleared = try await ada.put("r20", "Note", #""text":{"value":null}"#, zone: "Z")
      #expect(
        cleared["records"][0]["fields"].keys
          == (MarkedFields.names.filter { $0 != "text" } + ["plain"]).sorted())
      try await cloud.server.runMaintenance()
      try await engine.backUp(to: folder.appendingPathComponent("copy.sqlite").path)
      #expect(try MarkedFields.found(in: folder) == [])
      await engine.close()
      #expect(try MarkedFields.found(in: folder) == [])
      #expect(try MarkedFields.contents(of: folder).range(of: Data("a plain word".utf8)) != nil)
    }
  }

  @Test func `Every endpoint returns marked values as they were sent`() async throws {
    let cloud = Cloud()
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    try await ada.makeZone("Z")
    let invited =
      #""participants":[{"userIdentity":{"userRecordName":"_bob"},"type":"USER","permission":"READ_WRITE","acceptanceStatus":"PENDING"}]"#
    let title = #""cloudkit.title":{"value":"T"}"#
    let created = try await ada.modify(
      zone: "Z",
      ("create", #""recordName":"r","recordType":"Note","fields":{\#(MarkedFields.json)}"#),
      (
        "create",
        #""recordName":"share","recordType":"cloudkit.share","fields":{\#(title)},"forRecord":{"recordName":"r"},\#(invited)"#
      ))
    #expect(created["records"][0].fields == MarkedFields.sent, "\(created)")
    let short = try #require(created["records"][1]["shortGUID"].text, "\(created)")
    let zone = #""zoneID":{"zoneName":"Z"}"#
    let resolved = try await ada.ask(
      .public, .recordsResolve,
      #"{"shortGUIDs":[{"value":"\#(short)","shouldFetchRootRecord":true}]}"#)
    #expect(resolved["results"][0]["rootRecord"].fields == MarkedFields.sent, "\(resolved)")
    _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    let query = #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"text"}]},\#(zone)}"#
    let replies = [
      try await ada.lookUp(zone: "Z", "r")["records"],
      try await ada.ask(.private, .recordsQuery, query)["records"],
      try await ada.changes(zone: "Z")["zones"][0]["records"],
      try await ada.changes(zone: "Z", reverse: true)["zones"][0]["records"],
      try await ada.ask(.private, .recordsChanges, "{\(zone)}")["records"],
      try await bob.lookUp(in: .shared, zone: "Z", owner: "_ada", "r")["records"],
      try await bob.changes(in: .shared, zone: "Z", owner: "_ada")["zones"][0]["records"],
    ]
    for (number, reply) in replies.enumerated() {
      let record = reply.list.first { $0["recordName"].text == "r" }
      #expect(record?.fields == MarkedFields.sent, "\(number): \(reply)")
    }
    let some = try await ada.ask(
      .private, .changesZone, #"{"zones":[{\#(zone),"desiredKeys":["number"]}]}"#)
    #expect(
      some["zones"][0]["records"].list.first { $0["recordName"].text == "r" }?["fields"].keys == [
        "number"
      ])
  }

  @Test func `Marked values stay while others change, and disappear when cleared or replaced`()
    async throws
  {
    let ada = try await Cloud().user("_ada")
    let secret = #""secret":{"value":"s1","type":"STRING","isEncrypted":true}"#
    _ = try await ada.put("r", "Note", #"\#(secret),"open":{"value":"o1"}"#)
    func fields(_ operation: String, _ fields: String) async throws -> [String] {
      let reply = try await ada.modify(
        (operation, #""recordName":"r","recordType":"Note","fields":{\#(fields)}"#))
      let reported = ["open", "secret"].map { "\($0)=\(reply["records"][0].field($0) ?? "")" }
      #expect(try await ada.lookUp("r")["records"][0].fields == reply["records"][0].fields)
      return reported
    }
    #expect(try await fields("forceUpdate", #""open":{"value":"o2"}"#) == ["open=o2", "secret=s1"])
    #expect(
      try await fields(
        "forceUpdate", #""secret":{"value":"s2","type":"STRING","isEncrypted":true}"#)
        == ["open=o2", "secret=s2"])
    #expect(try await fields("forceUpdate", #""secret":{"value":null}"#) == ["open=o2", "secret="])
    #expect(try await fields("forceUpdate", secret) == ["open=o2", "secret=s1"])
    #expect(try await fields("forceReplace", #""open":{"value":"o3"}"#) == ["open=o3", "secret="])
  }

  @Test func `Marked values are removed with their field`() async throws {
    let cloud = Cloud()
    let ada = try await cloud.user("_ada")
    _ = try await ada.put("r", "Note", MarkedFields.json)
    _ = try await cloud.server.removeField("text", of: "Note", fromDevelopmentOf: "iCloud.test")
    #expect(
      try await ada.lookUp("r")["records"][0]["fields"].keys
        == MarkedFields.names.filter { $0 != "text" })
  }

  @Test func `Marking does not change the maximum size of a record`() async throws {
    var taken: [Bool: [Int]] = [:]
    for bytes in stride(from: 150, to: 420, by: 3) {
      var limits = ServiceLimits()
      limits.recordBytes = bytes
      for isMarked in [false, true] {
        let mark = isMarked ? #","isEncrypted":true"# : ""
        let text = String(repeating: "é", count: 70)
        let fields = ["a", "b"].map { #""\#($0)":{"value":"\#(text)","type":"STRING"\#(mark)}"# }
          .joined(separator: ",")
        let reply = try await Cloud(limits: limits).user("_ada").put("r", "Note", fields)
        if reply.records == ["r@1"] { taken[isMarked, default: []].append(bytes) }
      }
    }
    #expect(taken[true] == taken[false])
    #expect((taken[true] ?? []).count > 10 && (taken[true] ?? []).count < 80)
  }

  @Test func `Marked values come back unchanged`() async throws {
    var random = SeededGenerator.forTest()
    let seed = "\(random)"
    let ada = try await Cloud().user("_ada")
    func text() -> String {
      String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 32...0x1F9FF, using: &random))
          }))
    }
    func bytes() -> String {
      Data(
        (0..<Int.random(in: 0...300, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      )
      .base64EncodedString()
    }
    func list(_ member: () -> Any) -> [Any] {
      (0..<Int.random(in: 0...5, using: &random)).map { _ in member() }
    }
    for number in 0..<60 {
      func number64() -> Any { Int64.random(in: .min ... .max, using: &random) }
      let values: [String: Any] = [
        "STRING": text(), "BYTES": bytes(), "INT64": number64(), "STRING_LIST": list(text),
        "BYTES_LIST": list(bytes),
        "INT64_LIST": list(number64),
        "TIMESTAMP": Int64.random(in: -1_000_000...2_000_000_000_000, using: &random),
      ]
      var fields: [String: Any] = [:]
      for (type, value) in values {
        fields["f" + type] = ["type": type, "value": value, "isEncrypted": true] as [String: Any]
      }
      let json = String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
      let saved = try await ada.put("r\(number)", "Note", String(json.dropFirst().dropLast()))
      let sent = MarkedFields.fields(json)
      #expect(saved["records"][0].fields == sent, "\(seed)")
      #expect(try await ada.lookUp("r\(number)")["records"][0].fields == sent, "\(seed)")
    }
  }
}
