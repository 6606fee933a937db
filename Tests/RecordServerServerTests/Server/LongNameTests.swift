import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// Names that are invalid because they are too long.
@Suite struct `Long names` {
  private let engine = MemoryStorageEngine()
  private let cloud: Cloud
  private static let long = String(repeating: "x", count: 10_000)

  init() { cloud = Cloud(engine: engine) }

  private func ada() async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    return ada
  }

  private func expectShort(
    _ reply: Reply, _ what: String, _ place: SourceLocation = #_sourceLocation
  ) throws {
    #expect(reply["serverErrorCode"].text == "BAD_REQUEST", "\(reply)", sourceLocation: place)
    let reason = try #require(reply["reason"].text, sourceLocation: place)
    #expect(reason.utf8.count < 500 && reason.contains(what), "\(reason)", sourceLocation: place)
    #expect(reason.contains("xxx…”"), "\(reason)", sourceLocation: place)
  }

  @Test(arguments: [DatabaseScope.private, .public, .shared])
  func `Long zone names are rejected, and truncated in messages`(
    scope: DatabaseScope
  ) async throws {
    let ada = try await ada()
    let zone = #"{"zoneName":"\#(Self.long)"}"#
    let owner = #"{"zoneName":"Z","ownerRecordName":"\#(Self.long)"}"#
    for (name, what) in [(zone, "zone name"), (owner, "owner's name")] {
      let found = try await ada.ask(scope, .zonesLookup, #"{"zones":[\#(name)]}"#)["zones"][0]
      try expectShort(found, what)
      let saved = try await ada.ask(
        scope, .recordsModify,
        #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"T","fields":{},"zoneID":\#(name)}}]}"#
      )
      try expectShort(saved["records"][0], what)
      let looked = try await ada.ask(
        scope, .recordsLookup, #"{"records":[{"recordName":"a","zoneID":\#(name)}]}"#)
      try expectShort(looked["records"][0], what)
      let asked = try await ada.ask(
        scope, .recordsQuery, #"{"query":{"recordType":"T"},"zoneID":\#(name)}"#)
      try expectShort(asked, what)
      guard scope == .private else { continue }
      let changes = try await ada.ask(scope, .changesZone, #"{"zones":[{"zoneID":\#(name)}]}"#)[
        "zones"][0]
      try expectShort(changes, what)
      let gone = try await ada.ask(
        scope, .zonesModify,
        #"{"operations":[{"operationType":"delete","zone":{"zoneID":\#(name)}}]}"#)
      try expectShort(gone["zones"][0], what)
    }
  }

  @Test func `Long record type names are rejected`() async throws {
    let ada = try await ada()
    let query = #""query":{"recordType":"\#(Self.long)"}"#
    try expectShort(try await ada.ask(.private, .recordsQuery, "{\(query)}"), "record type")
    let subscription =
      #"{"subscriptionID":"s","subscriptionType":"query","firesOn":["create"],\#(query),"zoneID":{"zoneName":"Z"}}"#
    let created = try await ada.ask(
      .private, .subscriptionsModify,
      #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#)
    try expectShort(created["subscriptions"][0], "record type")
  }

  @Test func `Long field names are truncated in messages`() async throws {
    let ada = try await ada()
    _ = try await ada.put("a", "T", #""title":{"value":"x"}"#)
    func expectCut(_ reply: Reply, _ what: String, _ place: SourceLocation = #_sourceLocation)
      throws
    {
      #expect(reply["serverErrorCode"].text == "BAD_REQUEST", "\(reply)", sourceLocation: place)
      let reason = try #require(reply["reason"].text, sourceLocation: place)
      #expect(
        reason.utf8.count < 700 && reason.contains("xxx…'") && reason.contains(what),
        sourceLocation: place)
    }
    for name in ["fieldName", "systemFieldName"] {
      for list in [
        #""filterBy":[{"\#(name)":"\#(Self.long)","comparator":"EQUALS","fieldValue":{"value":"x"}}]"#,
        #""sortBy":[{"\#(name)":"\#(Self.long)"}]"#,
      ] {
        let query = #""query":{"recordType":"T",\#(list)}"#
        try expectCut(
          try await ada.ask(.private, .recordsQuery, "{\(query)}"), "Did not find field: 'xxx")
        guard list.contains("filterBy") else { continue }
        let created = try await ada.subscribe(
          #""subscriptionID":"s","subscriptionType":"query","firesOn":["create"],\#(query)"#)
        try expectCut(created["subscriptions"][0], "Did not find field: 'xxx")
      }
    }
    let fields = #""fields":{"\#(Self.long)":{"value":"x","type":"STRING","isEncrypted":true}}"#
    for scope in [DatabaseScope.private, .public] {
      let saved = try await ada.modify(
        in: scope, ("create", #""recordName":"b","recordType":"T",\#(fields)"#))
      try expectCut(saved["records"][0], "ield 'xxx")
    }
  }

  @Test func `Long device names are rejected, and those that fit are kept`() async throws {
    let ada = try await ada()
    func save(_ kind: String, _ device: Int) async throws -> Reply {
      let device = String(repeating: "x", count: device)
      return try await ada.modify(
        (
          kind,
          #""recordName":"a","recordType":"T","fields":{},"modified":{"deviceID":"\#(device)"}"#
        ))["records"][0]
    }
    let long = try await save("create", 256)
    #expect(
      long["serverErrorCode"].text == "BAD_REQUEST"
        && long["reason"].text?.contains("at most 255 are allowed") == true)
    #expect(try await save("create", 255)["modified"]["deviceID"].text?.utf8.count == 255)
    #expect(try await save("forceUpdate", 256)["serverErrorCode"].text == "BAD_REQUEST")
  }

  // MARK: Stored failures

  private func rememberedBytes() async throws -> Int {
    try await engine.read(in: nil) { transaction in
      var most = 0
      try transaction.visitEntries(in: .all) { key, value in
        // The key contains the name of the test's only client.
        if String(decoding: Array(copying: key), as: UTF8.self).contains("the-client") {
          most = max(most, value.count)
        }
        return .proceed
      }
      return most
    }
  }

  @Test func `Long names take no space in stored failures`() async throws {
    var ada = try await ada()
    ada.stamp = RequestStamp(client: "the-client", number: 1, oldest: 1)
    let operations = (0..<200).map { number in
      let name = "\(number)" + String(repeating: "x", count: 240)
      return
        #"{"operationType":"update","record":{"recordName":"\#(name)","recordChangeTag":"1","fields":{}}}"#
    }
    let body =
      #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"Z"},"atomic":false}"#
    let first = try await ada.ask(.private, .recordsModify, body)
    let size = try await rememberedBytes()
    #expect((1_000...4_096).contains(size), "\(size)")
    let second = try await ada.ask(.private, .recordsModify, body)
    #expect(first.records == second.records && second["records"].list.count == 200)
    #expect(first["records"][0]["reason"].text == second["records"][0]["reason"].text)
    #expect(
      second["records"][199]["reason"].text?.contains("not remembered") == true,
      "\(second["records"][199])")
  }

  @Test func `Long names are truncated in stored messages at a character boundary`() async throws {
    var ada = try await ada()
    ada.stamp = RequestStamp(client: "the-client", number: 1, oldest: 1)
    let name = String(repeating: "🜁", count: 5_000)
    let body =
      #"{"operations":[{"operationType":"delete","subscription":{"subscriptionID":"\#(name)"}},{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"\#(name)"}}}]}"#
    let first = try await ada.ask(.private, .subscriptionsModify, body)
    #expect(first["subscriptions"].list.allSatisfy { $0["serverErrorCode"].isThere }, "\(first)")
    #expect(try await rememberedBytes() < 1_000)
    let second = try await ada.ask(.private, .subscriptionsModify, body)
    for item in second["subscriptions"].list {
      let reason = try #require(item["reason"].text)
      #expect(
        reason.utf8.count <= 400 && reason.contains("🜁…") && !reason.contains("\u{FFFD}"),
        "\(reason)")
    }
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcdef", 5, "ab…"), ("ää", 4, "ää"), ("äää", 5, "ä…"), ("äää", 6, "äää"),
    ("ääää", 6, "ä…"),
    ("e\u{301}e\u{301}", 5, "e…"), ("🜁🜁", 7, "🜁…"), ("🜁🜁", 6, "…"), ("abc", 0, "…"), ("", 0, ""),
  ]) func `Truncated texts end at a scalar boundary`(text: String, most: Int, expected: String) {
    #expect(text.cut(toBytes: most).unicodeScalars.elementsEqual(expected.unicodeScalars))
  }
}
