import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import PredicateLanguage
import RecordServer
import RecordServerHTTP
import Testing

/// The API's name for the signed-in user, in names of records and in values.
@Suite("The user's own name")
struct OwnNameTests {
  private let cloud: TestCloud
  private let ada: CKContainer
  private let grace: CKContainer

  init() async throws {
    cloud = try await TestCloud()
    ada = try await cloud.signIn("ada@example.com").container
    grace = try await cloud.signIn("grace@example.com").container
  }

  /// A post of Ada's that names its author.
  private func post() async throws -> CKRecord {
    let post = CKRecord(recordType: "Post", recordID: CKRecord.ID(recordName: "post"))
    try await ada.publicCloudDatabase.save(post)
    let author = CKRecord.Reference(recordID: try #require(post.creatorUserRecordID), action: .none)
    #expect(author.recordID.recordName == CKCurrentUserDefaultName)
    post["author"] = author
    post["readers"] = [author]
    return try await ada.publicCloudDatabase.save(post)
  }

  @Test func `The user's own name finds the user's record`() async throws {
    let author = try #require(try await post().creatorUserRecordID)
    let name = try await ada.userRecordID().recordName
    let record = try await ada.publicCloudDatabase.record(for: author)
    #expect(
      record.recordType == CKRecord.SystemType.userRecord && record.recordID.recordName == name)
  }

  @Test func `The user's own name is saved as the record that it means`() async throws {
    let record = CKRecord(
      recordType: CKRecord.SystemType.userRecord,
      recordID: CKRecord.ID(recordName: CKCurrentUserDefaultName))
    record["nickname"] = "Countess"
    _ = try await ada.publicCloudDatabase.modifyRecords(
      saving: [record], deleting: [], savePolicy: .changedKeys)
    let name = try await ada.userRecordID().recordName
    let seen = try await grace.publicCloudDatabase.record(for: CKRecord.ID(recordName: name))
    #expect(seen["nickname"] == "Countess")
  }

  private static let schema = """
    DEFINE SCHEMA RECORD TYPE Post (
      "___createdBy" REFERENCE QUERYABLE, author REFERENCE QUERYABLE, readers LIST<REFERENCE> QUERYABLE,
      GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world"
    );
    """

  @Test func `The user's own name finds records that the user created`() async throws {
    _ = try await cloud.service.server.importSchema(Array(Self.schema.utf8), into: cloud.container)
    let post = try await post()
    let author = try #require(post.creatorUserRecordID)
    let predicates = [
      NSPredicate(format: "creatorUserRecordID == %@", author),
      NSPredicate(
        format: "creatorUserRecordID == %@", CKRecord.Reference(recordID: author, action: .none)),
      NSPredicate(format: "author == %@", author), NSPredicate(format: "author IN %@", [author]),
      NSPredicate(format: "readers CONTAINS %@", author),
    ]
    for predicate in predicates {
      let query = CKQuery(recordType: "Post", predicate: predicate)
      #expect(
        try await ada.publicCloudDatabase.records(matching: query).matchResults.count == 1,
        "\(predicate)")
      #expect(
        try await grace.publicCloudDatabase.records(matching: query).matchResults.isEmpty,
        "\(predicate)")
    }
  }

  @Test func `The user's own name means the same user to every reader`() async throws {
    let post = try await post()
    let name = try await ada.userRecordID().recordName
    for reader in [grace, ada] {
      let seen = try await reader.publicCloudDatabase.record(for: post.recordID)
      let author = try #require(seen["author"] as CKRecord.Reference?)
      let readers = try #require(seen["readers"] as [CKRecord.Reference]?)
      #expect(author.recordID.recordName == name && readers == [author])
    }
  }

  @Test func `The user's own name names no user in a custom zone`() async throws {
    let zone = try await ada.privateCloudDatabase.save(CKRecordZone(zoneName: "Notes"))
    let record = CKRecord(
      recordType: "Note",
      recordID: CKRecord.ID(recordName: CKCurrentUserDefaultName, zoneID: zone.zoneID))
    try await ada.privateCloudDatabase.save(record)
    #expect(
      try await ada.privateCloudDatabase.record(for: record.recordID).recordID == record.recordID)
  }

  @Test func `An operation without a database finds the user's record`() async throws {
    let found = AsyncStream<Result<CKRecord, any Error>>.makeStream()
    let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    operation.configuration.container = ada
    operation.perRecordResultBlock = { found.continuation.yield($1) }
    operation.completionBlock = { found.continuation.finish() }
    let queue = OperationQueue()
    queue.addOperation(operation)
    let results = await found.stream.reduce(into: []) { $0.append($1) }
    let name = try await ada.userRecordID().recordName
    #expect(try results.map { try $0.get().recordID.recordName } == [name])
  }
}
