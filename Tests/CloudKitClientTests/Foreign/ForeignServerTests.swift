import ClientTestSupport
import CloudKitClient
import CloudRecords
import Foundation
import Synchronization
import TestSupport
import Testing

/// Answers of foreign servers in CloudKit's documented protocol.
@Suite("Foreign servers", .endsAtAll)
struct ForeignServerTests {
  private let server = ForeignServer()

  private static func notification(_ name: String) -> String {
    #"{"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.foreign","nid":"\#(name)","ckuserid":"_me","fet":{"dbs":1,"sid":"\#(name)","zid":"Notes","zoid":"_me"}}}"#
  }

  @Test func `A device gets one notification after another by long polling`() async throws {
    let container = server.container()
    var words = try container.binding().signals.makeAsyncIterator()
    guard case .listening? = await words.next() else {
      Issue.record("The device does not listen.")
      return
    }
    // An answer without a body means that nothing has happened.
    for text in [Self.notification("first"), "", Self.notification("second")] { server.tell(text) }
    var reported: [CKNotification] = []
    while reported.count < 2, let word = await words.next() {
      if case .notification(let notification) = word { reported.append(notification) }
    }
    #expect(reported.map(\.subscriptionID) == ["first", "second"])
    #expect(
      (reported.first as? CKRecordZoneNotification)?.recordZoneID
        == CKRecordZone.ID(zoneName: "Notes"))
    let asked = server.asked.withLock { $0.map(\.operation) }
    #expect(asked.first == "tokens/create" && asked.filter { $0 == "wait/c1" }.count >= 3)
  }

  /// Subscriptions with names and fields that the library does not let a program choose.
  private static let subscriptions =
    #"{"subscriptions":[{"subscriptionID":"\u00e9t\u00e9","subscriptionType":"database"},{"subscriptionID":"","subscriptionType":"zone","zoneID":{"zoneName":"_odd"}},{"subscriptionID":"q","subscriptionType":"query","query":{"recordType":"9","filterBy":[{"fieldName":"a..b","comparator":"EQUALS","fieldValue":{"value":1}},{"fieldName":"a b","comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"x"}}]}}]}"#

  @Test func `Subscriptions may have any name on the server`() async throws {
    server.answers.withLock { $0["subscriptions/list"] = Self.subscriptions }
    let database = server.container().privateCloudDatabase
    let known = try await database.allSubscriptions()
    #expect(known.prefix(2).map(\.subscriptionID) == ["été", ""])
    for subscription in known {
      #expect(
        (subscription.copy() as? CKSubscription)?.subscriptionID == subscription.subscriptionID)
    }
  }

  private static let encrypted =
    #"{"recordName":"one","recordType":"Note","recordChangeTag":"1","fields":{"title":{"value":"Milk","type":"STRING"},"secret":{"value":"eggs","type":"STRING","isEncrypted":true},"bytes":{"value":"AQID","type":"BYTES","isEncrypted":true}}}"#

  @Test
  func `Encrypted values that no device sealed are an error that names them`() async throws {
    server.record.withLock { $0 = Self.encrypted }
    let database = server.container().privateCloudDatabase
    let error = await #expect(throws: CKError.self) {
      try await database.record(for: CKRecord.ID(recordName: "one"))
    }
    #expect(error?.code == .internalError && error?.unsealedFields == ["bytes", "secret"])
    #expect(error?.localizedDescription.contains("encryptedValues") == true)
    #expect(error?.isUnreadable == true && CKError(.internalError).unsealedFields == nil)
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one"))
    record.encryptedValues["secret"] = "bread"
    await #expect {
      try await database.save(record)
    } throws: {
      let error = $0 as? CKError
      return error?.code == .invalidArguments
        && error?.localizedDescription.contains("encryptedValues") == true
    }
    #expect(!server.asked.withLock { $0.contains { $0.body.contains("bread") } })
  }

  @Test func `Deleting a missing record succeeds`() async throws {
    server.record.withLock {
      $0 = #"{"recordName":"one","serverErrorCode":"NOT_FOUND","reason":"Record not found"}"#
    }
    let database = server.container().privateCloudDatabase
    #expect(
      try await database.deleteRecord(withID: CKRecord.ID(recordName: "one")).recordName == "one")
    // A save or a fetch finds that it is missing.
    await #expect {
      try await database.save(
        CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one")))
    } throws: { CKError.unknownItem ~= $0 }
  }

  @Test func `A downloaded file has the name that the client gives it`() async throws {
    let asset =
      #"{"fileChecksum":"AX","size":3,"downloadURL":"https://cdn.example.com/B/${f}?o=1"}"#
    server.record.withLock {
      $0 =
        #"{"recordName":"one","recordType":"Note","recordChangeTag":"1","fields":{"file":{"value":\#(asset),"type":"ASSETID"}}}"#
    }
    let record = try await server.container().privateCloudDatabase.record(
      for: CKRecord.ID(recordName: "one"))
    let file = try #require((record["file"] as? CKAsset)?.fileURL)
    #expect(try Data(contentsOf: file) == Data("abc".utf8))
    #expect(server.asked.withLock { $0.last?.operation } == "https://cdn.example.com/B/file?o=1")
  }

  @Test func `Assets whose sizes overflow when added do not stop the program`() async throws {
    let asset =
      #"{"fileChecksum":"A","size":\#(Int64.max),"downloadURL":"https://cdn.example.com/B/a"}"#
    let field = #"{"value":\#(asset),"type":"ASSETID"}"#
    let fields = #"{"one":\#(field),"two":\#(field)}"#
    server.record.withLock {
      $0 =
        #"{"recordName":"one","recordType":"Note","recordChangeTag":"1","fields":\#(fields)}"#
    }
    await #expect(throws: CKError.self) {
      try await server.container().privateCloudDatabase.record(
        for: CKRecord.ID(recordName: "one"))
    }
    #expect(server.asked.withLock { $0.contains { $0.operation == "https://cdn.example.com/B/a" } })
  }

  @Test(arguments: [
    ("https://api.apple-cloudkit.com", "https://www.icloud.com/share/"),
    ("https://cloud.example.com/", "https://cloud.example.com/share/"),
  ])
  func `Shares have their server's URLs`(_ server: String, _ shares: String) {
    let container = ContainerAddress(container: "iCloud.foreign", environment: .development)
    #expect(CloudAddress(server: server, container: container).shareAddress == shares)
  }

  @Test func `Values that the server encrypts follow its protocol`() async throws {
    server.record.withLock { $0 = Self.encrypted }
    let container = server.container(.server)
    let record = try await container.privateCloudDatabase.record(
      for: CKRecord.ID(recordName: "one"))
    #expect(
      record.encryptedValues["secret"] == "eggs"
        && record.encryptedValues["bytes"] == Data([1, 2, 3]))
    record.encryptedValues["secret"] = "bread"
    try await container.privateCloudDatabase.save(record)
    let body = try #require(
      server.asked.withLock { $0.last { $0.operation == "records/modify" }?.body })
    #expect(
      body.contains(#""secret":{"value":"bread","type":"STRING","isEncrypted":true}"#), "\(body)")
    #expect(!server.asked.withLock { $0.contains { $0.operation.contains("bags") } })
    await #expect { try await container.encryption.status() } throws: {
      CKError.invalidArguments ~= $0
    }
  }
}
