import CloudRecords
import CloudWire
import RecordServer
import Testing

@Suite("assets/upload")
struct RequestUploadTests {
  let cloud = Cloud()

  private func ask(_ client: Client, _ scope: DatabaseScope, _ tokens: String) async throws -> Reply
  {
    try await client.ask(scope, .assetsUpload, #"{"tokens":[\#(tokens)]}"#)
  }

  private func grant(_ reply: Reply, _ index: Int = 0) throws -> UploadGrant {
    let url = try #require(reply["tokens"][index]["url"].text)
    #expect(url.hasPrefix("https://server/assets/upload?ticket="))
    return try cloud.tickets.uploadGrant(
      String(url.split(separator: "=", maxSplits: 1)[1].prefix { $0 != "&" }))
  }

  @Test func `Each field gets a URL, in order`() async throws {
    let ada = try await cloud.user("_ada")
    let reply = try await ask(
      ada, .private,
      #"{"recordType":"T","fieldName":"file","recordName":"a"},{"recordType":"T","fieldName":"other"}"#
    )
    #expect(reply["tokens"].list.count == 2)
    #expect(reply["tokens"][0]["recordName"].text == "a")
    #expect(reply["tokens"][0]["fieldName"].text == "file")
    #expect(reply["tokens"][1]["recordName"].text?.utf8.count == 36)
    let first = try grant(reply)
    #expect((first.userRecordName, first.recordName, first.fieldName) == ("_ada", "a", "file"))
    #expect(first.scope == .private && first.realm == ada.realm)
    #expect(try grant(reply, 1).recordName == nil)
    cloud.pass(seconds: Int64(ServiceLimits().assetAddressSeconds))
    #expect(throws: CloudError.self) { try grant(reply) }
  }

  @Test func `Each file gets its own URL, even in one field at one moment`() async throws {
    let ada = try await cloud.user("_ada")
    let field = #"{"recordType":"T","fieldName":"files","recordName":"a"}"#
    let replies = [
      try await ask(ada, .private, "\(field),\(field)"), try await ask(ada, .private, field),
    ]
    let addresses = replies.flatMap { $0["tokens"].list.compactMap { $0["url"].text } }
    #expect(
      addresses.count == 3 && Set(addresses).count == 3,
      "A query about one upload must not report another.")
  }

  @Test func `Only users who may save the record can upload`() async throws {
    let (anonymous, ada) = (try await cloud.client(.anonymous), try await cloud.user("_ada"))
    let field = #"{"recordType":"T","fieldName":"file"}"#
    #expect(
      try await ask(anonymous, .private, field)["serverErrorCode"].text == "AUTHENTICATION_REQUIRED"
    )
    #expect(
      try await ask(anonymous, .public, field)["serverErrorCode"].text == "AUTHENTICATION_REQUIRED")
    #expect(try await ask(try await cloud.client(.server("_key")), .private, field).status == 403)
    #expect(try grant(try await ask(ada, .public, field)).scope == .public)
    let foreign = #"{"tokens":[\#(field)],"zoneID":{"zoneName":"Notes","ownerRecordName":"_bob"}}"#
    #expect(
      try await ada.ask(.private, .assetsUpload, foreign)["serverErrorCode"].text
        == "ZONE_NOT_FOUND")
    #expect(
      try await ada.ask(.shared, .assetsUpload, foreign)["serverErrorCode"].text == "ZONE_NOT_FOUND"
    )
  }

  @Test func `Other users' public records are rejected`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    _ = try await ada.modify(
      in: .public, ("create", #""recordName":"a","recordType":"T","fields":{}"#))
    let field = #"{"recordType":"T","fieldName":"file","recordName":"a"}"#
    #expect(try await ask(bob, .public, field)["serverErrorCode"].text == "ACCESS_DENIED")
    #expect(try await ask(ada, .public, field)["tokens"].list.count == 1)
  }

  @Test(arguments: [
    (#"{"recordType":"T","fieldName":""}"#, "field name"),
    (#"{"recordType":"","fieldName":"f"}"#, "record type"),
    (#"{"recordType":"T"}"#, "fieldName"),
    (#"{"recordType":"T","fieldName":"f","recordName":"ä"}"#, "record name"),
    (#"{"recordType":"T","fieldName":"text","recordName":"a"}"#, "holds no files"),
  ])
  func `Invalid requests are rejected with a reason`(field: String, expected: String) async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.modify(
      ("create", #""recordName":"a","recordType":"T","fields":{"text":{"value":"x"}}"#))
    let reply = try await ask(ada, .private, field)
    #expect(reply["serverErrorCode"].text == "BAD_REQUEST")
    #expect(reply["reason"].text?.contains(expected) == true, "\(reply)")
  }

  @Test func `In production only fields of the schema get URLs`() async throws {
    let administrator = SchemaAdministrator(cloud)
    let (ada, there) = (
      try await cloud.user("_ada"), try await cloud.user("_ada", environment: .production)
    )
    _ = try await ada.modify(
      ("create", #""recordName":"a","recordType":"T","fields":{"text":{"value":"x"}}"#))
    try await administrator.importing(
      "DEFINE SCHEMA RECORD TYPE T (text STRING, file ASSET, files LIST<ASSET>);")
    try await administrator.deploy()
    for field in ["file", "files"] {
      #expect(
        try await ask(there, .private, #"{"recordType":"T","fieldName":"\#(field)"}"#)["tokens"]
          .list.count == 1)
    }
    let fields = [
      #"{"recordType":"T","fieldName":"other"}"#, #"{"recordType":"U","fieldName":"file"}"#,
    ]
    for field in fields {
      let reply = try await ask(there, .private, field)
      #expect(reply["serverErrorCode"].text == "BAD_REQUEST", "\(reply)")
      #expect(reply["extensionErrorCode"].text == "SCHEMA_NOT_DEPLOYED", "\(reply)")
      // In development the schema learns them from the record.
      #expect(try await ask(ada, .private, field)["tokens"].list.count == 1)
    }
  }

  @Test func `The number of files in a request is limited`() async throws {
    var limits = ServiceLimits()
    limits.operationsPerRequest = 2
    let ada = try await Cloud(limits: limits).user("_ada")
    let field = #"{"recordType":"T","fieldName":"file"}"#
    #expect(
      try await ask(ada, .private, [field, field].joined(separator: ","))["tokens"].list.count == 2)
    #expect(
      try await ask(ada, .private, [field, field, field].joined(separator: ",")).status == 400)
  }
}

@Suite("assets/rereference")
struct RereferenceTests {
  let cloud = Cloud()

  private func ask(_ client: Client, _ record: String, _ field: String = "file") async throws
    -> Reply
  {
    try await client.ask(
      .private, .assetsRereference,
      #"{"assets":[{"recordName":"\#(record)","fieldName":"\#(field)"}]}"#)["assets"]
  }

  @Test func `A receipt lets another record use the file`() async throws {
    let ada = try await cloud.user("_ada")
    let asset = try await ada.upload("one", record: "a", field: "file")
    let whole =
      #"{"fileChecksum":"\#(asset.checksum)","size":3,"receipt":"\#(asset.receipt)","referenceChecksum":"r","wrappingKey":"w"}"#
    #expect(try await ada.save("a", whole) == "a@1")
    let given = try await ask(ada, "a")[0]
    #expect(given["fileChecksum"].text == asset.checksum)
    #expect(given["size"].number == 3)
    #expect(given["referenceChecksum"].text == "r" && given["wrappingKey"].text == "w")
    #expect(given["downloadURL"].text?.hasPrefix("https://server/") == true)
    let receipt = try #require(given["receipt"].text)
    let again = UploadedAsset(checksum: asset.checksum, size: 3, receipt: receipt)
    #expect(try await ada.save("b", again, field: "other") == "b@2")
    let bob = try await cloud.user("_bob")
    #expect(try await bob.refusal("b", again).contains("another user"))
  }

  @Test func `The file stays when its first record is deleted`() async throws {
    let ada = try await cloud.user("_ada")
    #expect(try await ada.save("a", try await ada.upload("one")) == "a@1")
    let limits = ServiceLimits()
    cloud.pass(seconds: Int64(2 * limits.assetReceiptSeconds))
    while try await cloud.server.collectAssets(atMost: 10) {}
    let receipt = try #require(try await ask(ada, "a")[0]["receipt"].text)
    _ = try await ada.modify(("forceDelete", #""recordName":"a""#))
    cloud.pass(seconds: Int64(limits.assetReceiptSeconds) - 1)
    while try await cloud.server.collectAssets(atMost: 10) {}
    let asset = UploadedAsset(checksum: AssetChecksum(of: "one").text, size: 3, receipt: receipt)
    #expect(try await ada.save("b", asset).hasPrefix("b@"))
  }

  @Test func `Each file of a list gets a receipt`() async throws {
    let ada = try await cloud.user("_ada")
    let list = "[\(try await ada.upload("one")),\(try await ada.upload("two"))]"
    #expect(try await ada.save("a", list) == "a@1")
    let given = try await ask(ada, "a")
    #expect(given.list.map { $0["size"].number } == [3, 3])
    #expect(given[0]["receipt"].text != given[1]["receipt"].text)
  }

  @Test func `Each item has its own error`() async throws {
    let ada = try await cloud.user("_ada")
    #expect(try await ada.save("a", try await ada.upload("one")) == "a@1")
    let reply = try await ada.ask(
      .private, .assetsRereference,
      #"{"assets":[{"recordName":"x","fieldName":"file"},{"recordName":"a","fieldName":"file"},{"recordName":"a","fieldName":"none"},{"fieldName":"f"}]}"#
    )["assets"]
    #expect(
      reply.list.map { $0["serverErrorCode"].text } == [
        "NOT_FOUND", nil, "NOT_FOUND", "BAD_REQUEST",
      ])
    #expect(reply[0]["recordName"].text == "x")
  }

  @Test func `Only users can copy files`() async throws {
    let (ada, anonymous) = (try await cloud.user("_ada"), try await cloud.client(.anonymous))
    #expect(try await ada.save("a", try await ada.upload("one", in: .public), in: .public) == "a@1")
    let body = #"{"assets":[{"recordName":"a","fieldName":"file"}]}"#
    #expect(try await anonymous.ask(.public, .assetsRereference, body).status == 421)
    let bob = try await cloud.user("_bob")
    #expect(try await bob.ask(.public, .assetsRereference, body)["assets"][0]["receipt"].isThere)
  }

  @Test func `Invisible records are rejected`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    #expect(try await ada.save("a", try await ada.upload("one")) == "a@1")
    #expect(try await ask(bob, "a")[0]["serverErrorCode"].text == "NOT_FOUND")
  }
}
