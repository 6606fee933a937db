import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Testing

/// Looking up shares and accepting them, through the API and with the real server.
@Suite("Sharing")
struct SharingTests {
  private let cloud: TestCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let share: CKShare
  private let url: URL
  private let root: CKRecord
  /// A URL that leads to no share.
  private let lost: URL

  init() async throws {
    cloud = try await TestCloud()
    anna = try await cloud.signIn("anna@example.com").container
    bob = try await cloud.signIn("bob@example.com").container
    let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Trips"))
    root = CKRecord(
      recordType: "Trip", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    (root["title"], root["days"]) = ("Alps", 3)
    share = CKShare(rootRecord: root)
    share[CKShare.SystemFieldKey.title] = "A trip"
    share.publicPermission = .none
    let guest = try await anna.shareParticipant(forEmailAddress: "bob@example.com")
    guest.permission = .readWrite
    share.addParticipant(guest)
    let saved = try await anna.privateCloudDatabase.modifyRecords(
      saving: [root, share], deleting: [])
    for result in saved.saveResults.values { _ = try result.get() }
    url = try #require(share.url)
    lost = url.deletingLastPathComponent().appendingPathComponent("nowhere")
  }

  private func expectInvited(_ metadata: CKShare.Metadata?) throws {
    let metadata = try #require(metadata)
    #expect(
      metadata.containerIdentifier == cloud.container
        && metadata.share.recordID.recordName == share.recordID.recordName
    )
    #expect(metadata.share[CKShare.SystemFieldKey.title] == "A trip")
    #expect(metadata.hierarchicalRootRecordID?.recordName == "one")
    #expect(metadata.participantStatus == .pending && metadata.participantPermission == .readWrite)
    #expect(metadata.participantRole == .privateUser)
    #expect(metadata.ownerIdentity.nameComponents?.givenName == "anna@example.com")
  }

  /// The title of the shared record, as Bob reads it.
  private func bobReads() async throws -> String? {
    let zone = try #require(try await bob.sharedCloudDatabase.allRecordZones().first)
    let record = try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    return record["title"]
  }

  // MARK: Methods

  @Test func `An invited user looks up a share, accepts it and reads`() async throws {
    let metadata = try await bob.shareMetadata(for: url)
    try expectInvited(metadata)
    #expect(metadata.rootRecord == nil)
    #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
    let accepted = try await bob.accept(metadata)
    #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
    #expect(try await bobReads() == "Alps")
    #expect(try await bob.shareMetadata(for: url).participantStatus == .accepted)
    // A participant may accept again.
    #expect(try await bob.accept(metadata).currentUserParticipant?.acceptanceStatus == .accepted)
  }

  @Test func `Several URLs are looked up, each with its result`() async throws {
    let found = try await bob.shareMetadatas(for: [url, lost])
    #expect(Set(found.keys) == [url, lost])
    let metadata = try #require(try found[url]?.get())
    try expectInvited(metadata)
    #expect(error(found[lost])?.code == .unknownItem)
    await #expect { try await bob.shareMetadata(for: lost) } throws: { CKError.unknownItem ~= $0 }
    let accepted = try await bob.accept([metadata])
    #expect(try accepted[metadata]?.get().currentUserParticipant?.acceptanceStatus == .accepted)
    #expect(try await bobReads() == "Alps")
  }

  @Test func `Completion handlers get the metadata of a URL and the accepted share`() async throws {
    let looked = await completion { bob.fetchShareMetadata(with: url, completionHandler: $0) }
    try expectInvited(looked.value)
    let missed = await completion { bob.fetchShareMetadata(with: lost, completionHandler: $0) }
    #expect(missed.value == nil && missed.error?.code == .unknownItem)
    let metadata = try #require(looked.value)
    let accepted = await completion { bob.accept(metadata, completionHandler: $0) }
    #expect(
      accepted.value?.currentUserParticipant?.acceptanceStatus == .accepted && accepted.error == nil
    )
    let signedOut = cloud.device().container
    let refused = await completion { signedOut.accept(metadata, completionHandler: $0) }
    #expect(refused.value == nil && refused.error?.code == .notAuthenticated)
  }

  @Test func `A user who is not invited gets no access`() async throws {
    let carol = try await cloud.signIn("carol@example.com").container
    let metadata = try await bob.shareMetadata(for: url)
    await #expect { try await carol.shareMetadata(for: url) } throws: { CKError.unknownItem ~= $0 }
    await #expect { try await carol.accept(metadata) } throws: { CKError.unknownItem ~= $0 }
    #expect(try await carol.sharedCloudDatabase.allRecordZones().isEmpty)
  }

  @Test func `A user who leaves a share cannot see it any more`() async throws {
    try await bob.accept(try await bob.shareMetadata(for: url))
    let zone = try #require(try await bob.sharedCloudDatabase.allRecordZones().first)
    let name = CKRecord.ID(recordName: share.recordID.recordName, zoneID: zone.zoneID)
    #expect(try await bob.sharedCloudDatabase.deleteRecord(withID: name) == name)
    #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
    // The owner still has it.
    #expect(try await anna.privateCloudDatabase.record(for: root.recordID)["title"] == "Alps")
  }

  // MARK: Operations

  @available(*, deprecated)
  private func look(_ urls: [URL], _ transcript: Transcript) -> CKFetchShareMetadataOperation {
    let operation = CKFetchShareMetadataOperation(shareURLs: urls)
    operation.perShareMetadataResultBlock = { transcript.note($0.lastPathComponent, $1) }
    operation.perShareMetadataBlock = {
      transcript.note("older \($0.lastPathComponent) \($1 != nil)", $2)
    }
    operation.fetchShareMetadataResultBlock = { transcript.note("end", $0) }
    operation.fetchShareMetadataCompletionBlock = { transcript.note("older end", $0) }
    return operation
  }

  @available(*, deprecated)
  @Test func `An operation reports each URL's metadata, then the end`() async throws {
    let transcript = Transcript()
    let operation = look([url, lost], transcript)
    #expect(operation.shareURLs == [url, lost])
    await bob.carryOut(operation)
    let name = url.lastPathComponent
    #expect(
      transcript.lines == [
        "\(name): done", "older \(name) true: done", "nowhere: unknownItem",
        "older nowhere false: unknownItem",
        "end: done", "older end: partialFailure",
      ])
  }

  @Test(arguments: [nil, ["title"], []] as [[String]?])
  func `An operation fetches the root record on request`(_ keys: [String]?) async throws {
    let roots = AsyncStream<CKRecord?>.makeStream()
    let operation = CKFetchShareMetadataOperation()
    operation.shareURLs = [url]
    operation.shouldFetchRootRecord = true
    operation.rootRecordDesiredKeys = keys
    operation.perShareMetadataResultBlock = { roots.continuation.yield(try? $1.get().rootRecord) }
    await bob.carryOut(operation)
    roots.continuation.finish()
    let found = await roots.stream.reduce(into: []) { $0.append($1) }
    #expect(found.map { $0?.recordID.recordName } == ["one"])
    #expect(found.first??.allKeys().sorted() == keys ?? ["days", "title"])
  }

  @available(*, deprecated)
  @Test func `An operation accepts shares, reports each, then the end`() async throws {
    let metadata = try await bob.shareMetadata(for: url)
    let transcript = Transcript()
    func accept(_ container: CKContainer) async {
      let operation = CKAcceptSharesOperation(shareMetadatas: [metadata])
      operation.perShareResultBlock = {
        transcript.note(
          $0.share.recordID.recordName == share.recordID.recordName ? "share" : "?", $1)
      }
      operation.perShareCompletionBlock = { transcript.note("older \($1 != nil)", $2) }
      operation.acceptSharesResultBlock = { transcript.note("end", $0) }
      operation.acceptSharesCompletionBlock = { transcript.note("older end", $0) }
      #expect(operation.shareMetadatas == [metadata])
      await container.carryOut(operation)
    }
    await accept(bob)
    #expect(
      transcript.lines == ["share: done", "older true: done", "end: done", "older end: done"])
    #expect(try await bobReads() == "Alps")
    await accept(cloud.device().container)
    #expect(
      transcript.lines.dropFirst(4) == [
        "share: notAuthenticated", "older false: notAuthenticated", "end: notAuthenticated",
        "older end: notAuthenticated",
      ])
  }
}
