import CloudRecords
import CloudWire
import Cryptography
import Foundation
import RecordServer
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

/// Values that a client seals are in no file of the server in plain text.
@Suite struct `Sealed values` {
  private static let secret = "the treasure lies beneath the third oak"

  /// Replaces a client's cipher.
  ///
  /// The result must contain nothing of the text.
  private static func seal(_ text: String) -> [UInt8] { text.utf8.map { $0 ^ 0xA5 } }

  @Test func `The server's files contain only the client's sealed bytes`() async throws {
    try await withTemporaryDirectory { folder in
      let engine = try SQLiteStorageEngine(folder: folder.path)
      let ada = try await Cloud(engine: engine).user("_ada")
      try await ada.makeZone("Z")
      let sealed = Self.seal(Self.secret)
      let text = Data(sealed).base64EncodedString()
      let fields =
        #""note":{"value":"\#(text)","type":"BYTES","isEncrypted":true},"plain":{"value":"a plain word"}"#
      for number in 0..<20 { _ = try await ada.put("r\(number)", "Note", fields, zone: "Z") }
      let found = try await ada.ask(
        .private, .recordsQuery,
        #"{"query":{"recordType":"Note","sortBy":[{"fieldName":"note"}]},"zoneID":{"zoneName":"Z"}}"#
      )
      #expect(found["records"][0].field("note") == text)
      #expect(found["records"][0]["fields"]["note"]["isEncrypted"].flag == true)
      let filtered = try await ada.ask(
        .private, .recordsQuery,
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"note","fieldValue":{"value":"\#(text)","type":"BYTES"}}]},"zoneID":{"zoneName":"Z"}}"#
      )
      #expect(filtered["reason"].text?.contains("cannot be queried") == true, "\(filtered)")
      let bag =
        #""bagType":"ZONE","zoneID":{"zoneName":"Z"},"data":"\#(Data(Self.seal("key " + Self.secret)).base64EncodedString())""#
      _ = try await ada.ask(
        .private, .keyBagsModify, #"{"operations":[{"operationType":"save","bag":{\#(bag)}}]}"#)
      try check(folder, sealed)
      await engine.close()
      try check(folder, sealed)
    }
  }

  @Test(arguments: ["", #","isEncrypted":true"#, #","isEncrypted":false"#])
  func `Only the type marks a value as sealed`(mark: String) async throws {
    let cloud = Cloud()
    let ada = try await cloud.user("_ada")
    let secret = #""secret":{"value":"c2VjcmV0","type":"ENCRYPTED_BYTES"\#(mark)}"#
    #expect(try await ada.put("r", "Note", secret).records == ["r@1"])
    let found = try await ada.lookUp("r")["records"][0]
    #expect(found.field("secret") == "c2VjcmV0")
    // Clients reject other types than the one that they wrote.
    #expect(found["fields"]["secret"]["type"].text == "ENCRYPTED_BYTES")
    #expect(!found["fields"]["secret"]["isEncrypted"].isThere)
    let schema = try await SchemaAdministrator(cloud).text()
    #expect(
      schema.split(whereSeparator: { $0 == " " || $0 == "," }).joined(separator: " ").contains(
        "secret ENCRYPTED BYTES"), "\(schema)")
    let record = #""recordName":"p","recordType":"Note","fields":{\#(secret)}"#
    let refused = try await ada.modify(in: .public, ("create", record))
    #expect(refused.records == ["p: BAD_REQUEST"])
    let reason = refused["records"][0]["reason"].text ?? ""
    #expect(
      reason.contains("encrypted fields are not supported in the public database"), "\(refused)")
    #expect(try await ada.lookUp(in: .public, "p").records == ["p: NOT_FOUND"])
  }

  /// A record has a value that its client sealed, and one that is only marked for sealing.
  @Test func `Every answer has the written type, even after the server sealed the value again`()
    async throws
  {
    let engine = MemoryStorageEngine()
    let ada = try await Cloud(engine: engine).user("_ada")
    try await ada.makeZone("Z")
    let fields =
      #""old":{"value":"c2VjcmV0","type":"ENCRYPTED_BYTES"},"new":{"value":"bmV3","type":"BYTES","isEncrypted":true}"#
    func check(_ record: Reply) {
      #expect(record["fields"]["old"]["type"].text == "ENCRYPTED_BYTES", "\(record)")
      #expect(
        record["fields"]["new"]["type"].text == "BYTES"
          && record["fields"]["new"]["isEncrypted"].flag == true)
    }
    check(try await ada.put("r", "Note", fields, zone: "Z")["records"][0])
    check(
      try await ada.modify(zone: "Z", ("forceUpdate", #""recordName":"r","fields":{}"#))["records"][
        0])
    let another = ValueSealer(
      SealingKey(SecretBytes([UInt8](repeating: 4, count: 32))),
      former: [SealingKey(SecretBytes([UInt8](repeating: 9, count: 32)))])
    let later = Cloud(engine: engine, sealer: another)
    try await later.server.runMaintenance()
    let client = try await later.user("_ada")
    check(try await client.changes(zone: "Z")["zones"][0]["records"][0])
    let query = #"{"query":{"recordType":"Note"},"zoneID":{"zoneName":"Z"}}"#
    check(try await client.ask(.private, .recordsQuery, query)["records"][0])
    check(try await client.lookUp(zone: "Z", "r")["records"][0])
  }

  @Test func `Sealed bytes are returned even in a field declared as a text`() async throws {
    let ada = try await Cloud().user("_ada")
    let marked = #""secret":{"value":"plain","type":"STRING","isEncrypted":true}"#
    #expect(try await ada.put("marked", "Note", marked).records == ["marked@1"])
    #expect(
      try await ada.put(
        "sealed", "Note", #""secret":{"value":"c2VjcmV0","type":"ENCRYPTED_BYTES"}"#
      ).records == [
        "sealed@2"
      ])
    let found = try await ada.lookUp("marked", "sealed")["records"]
    for (record, type, value) in [
      (found[0], "STRING", "plain"), (found[1], "ENCRYPTED_BYTES", "c2VjcmV0"),
    ] {
      #expect(
        record["fields"]["secret"]["type"].text == type && record.field("secret") == value,
        "\(record)")
    }
  }

  /// Searches every file, and checks that the search finds existing values.
  private func check(_ folder: URL, _ sealed: [UInt8]) throws {
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var contents = Data()
    for case let file as URL in files
    where (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true {
      contents.append(try Data(contentsOf: file))
      contents.append(0)
    }
    #expect(contents.range(of: Data(sealed)) != nil)
    #expect(contents.range(of: Data("a plain word".utf8)) != nil)
    let words =
      Self.secret.split(separator: " ").filter { $0.count > 4 }.map(String.init) + [Self.secret]
    for word in words {
      #expect(contents.range(of: Data(word.utf8)) == nil, "“\(word)” is in a file")
      #expect(
        contents.range(of: Data(Data(word.utf8).base64EncodedString().dropLast(4).utf8)) == nil)
    }
  }
}
