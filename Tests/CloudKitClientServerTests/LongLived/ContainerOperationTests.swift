import ClientTestSupport
import CloudKitClient
import Foundation
import TestSupport
import Testing
import WatchedClouds

/// Long-lived operations without a database.
@Suite("Long-lived operations of containers")
struct ContainerOperationTests {
  /// Stores an operation in a folder, like a process that ends before the answer.
  private func keep(_ operation: CKOperation, in folder: URL, _ cloud: WatchedCloud) async throws {
    let former = try cloud.container("bob", folder: folder, over: SilentTransport())
    operation.configuration.isLongLived = true
    await withCheckedContinuation { isKept in
      operation.longLivedOperationWasPersistedBlock = { isKept.resume() }
      former.add(operation)
    }
  }

  /// A zone of Anna's that all users may read.
  private func sharedZone(_ cloud: WatchedCloud) async throws -> URL {
    let database = cloud.container("anna").privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Trips"))
    let share = CKShare(recordZoneID: zone.zoneID)
    share.publicPermission = .readOnly
    try await database.save(share)
    return try #require(share.url)
  }

  @Test func `The next process accepts a share that the former one did not`() async throws {
    let cloud = try await WatchedCloud()
    let url = try await sharedZone(cloud)
    try await withTemporaryDirectory { folder in
      let next = try cloud.container("bob", folder: folder)
      let begun = CKAcceptSharesOperation(shareMetadatas: [try await next.shareMetadata(for: url)])
      try await keep(begun, in: folder, cloud)
      let listed = await completion { next.fetchAllLongLivedOperationIDs(completionHandler: $0) }
      #expect(listed.value == [begun.operationID] && listed.error == nil)
      let found = await completion {
        next.fetchLongLivedOperation(withID: begun.operationID, completionHandler: $0)
      }
      let operation = try #require(found.value as? CKAcceptSharesOperation)
      #expect(operation.operationID == begun.operationID && operation.configuration.isLongLived)
      let transcript = Transcript()
      operation.perShareResultBlock = { transcript.note($0.share.recordID.recordName, $1) }
      operation.acceptSharesResultBlock = { transcript.note("end", $0) }
      await next.carryOut(operation)
      #expect(transcript.lines == ["\(CKRecordNameZoneWideShare): done", "end: done"])
      #expect(
        try await next.sharedCloudDatabase.allRecordZones().map(\.zoneID.zoneName) == ["Trips"])
      #expect(try await next.allLongLivedOperationIDs().isEmpty)
      let gone = await completion {
        next.fetchLongLivedOperation(withID: begun.operationID, completionHandler: $0)
      }
      #expect(gone.value == nil && gone.error == nil)
      begun.cancel()
    }
  }

  @Test func `Every kind of operation keeps its arguments when it is stored`() async throws {
    let cloud = try await WatchedCloud()
    let url = try await sharedZone(cloud)
    try await withTemporaryDirectory { folder in
      let next = try cloud.container("bob", folder: folder)
      let looked = CKFetchShareMetadataOperation(shareURLs: [
        url, webAddress("https://cloud.test/share/two"),
      ])
      looked.shouldFetchRootRecord = true
      looked.rootRecordDesiredKeys = ["title"]
      let infos = [
        CKUserIdentity.LookupInfo(emailAddress: "a@example.com"),
        CKUserIdentity.LookupInfo(phoneNumber: "+1555"),
        CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(recordName: "_a")),
      ]
      let participants = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
      let discovered = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
      let requested = CKShareRequestAccessOperation(shareURLs: [url])
      for operation in [looked, requested, participants, discovered] {
        try await keep(operation, in: folder, cloud)
      }
      let again =
        try await next.longLivedOperation(for: looked.operationID) as? CKFetchShareMetadataOperation
      #expect(again?.shareURLs == looked.shareURLs && again?.shouldFetchRootRecord == true)
      #expect(again?.rootRecordDesiredKeys == ["title"] && again?.configuration.container == next)
      let asked = try await next.longLivedOperation(for: requested.operationID)
      #expect((asked as? CKShareRequestAccessOperation)?.shareURLs == [url])
      let people = try await next.longLivedOperation(for: participants.operationID)
      #expect((people as? CKFetchShareParticipantsOperation)?.userIdentityLookupInfos == infos)
      let found = try await next.longLivedOperation(for: discovered.operationID)
      #expect((found as? CKDiscoverUserIdentitiesOperation)?.userIdentityLookupInfos == infos)
      // Cancelling a fetched operation removes it.
      for operation in [again, asked, people, found] { operation?.cancel() }
      #expect(try await next.allLongLivedOperationIDs().isEmpty)
      for operation in [looked, requested, participants, discovered] { operation.cancel() }
    }
  }

  @available(*, deprecated)
  @Test func `Operations that no process could resume are not stored`() {
    for operation in [
      CKFetchWebAuthTokenOperation(apiToken: "a"), CKDiscoverAllUserIdentitiesOperation(),
    ] {
      #expect(OperationArchive(operation, in: nil, for: nil) == nil)
    }
  }
}
