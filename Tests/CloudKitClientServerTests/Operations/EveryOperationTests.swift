import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import TestSupport
import Testing

/// The reports of failing operations: a result for each item, and then a single end.
@Suite("Every operation", .endsAtAll)
struct EveryOperationTests {
  private let cloud: TestCloud
  private let device: TestDevice
  private let shared: CKShare.Metadata

  init() async throws {
    cloud = try await TestCloud()
    device = try await cloud.signIn("anna@example.com")
    let database = try await cloud.signIn("anna@example.com").container.privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Trips"))
    let share = try #require(
      try await database.save(CKShare(recordZoneID: zone.zoneID)) as? CKShare)
    shared = try await device.container.shareMetadata(for: try #require(share.url))
  }

  /// The kinds of operations, each with two items if it has items.
  enum Kind: CaseIterable {
    case modifyRecords, fetchRecords, fetchCurrentUser, query
    case modifyZones, fetchZones, fetchAllZones, databaseChanges, zoneChanges
    case modifySubscriptions, fetchSubscriptions, fetchAllSubscriptions
    case shareMetadata, acceptShares, shareAccess, participants, identities, webAuthToken

    /// The report of items that all fail alike.
    func lines(_ code: String) -> [String] {
      switch self {
      case .fetchCurrentUser, .query, .fetchAllZones, .databaseChanges, .fetchAllSubscriptions,
        .identities,
        .webAuthToken:
        ["end: \(code)"]
      case .acceptShares: ["one: \(code)", "end: \(code)"]
      default: ["one: \(code)", "two: \(code)", "end: \(code)"]
      }
    }
  }

  private static let zoneIDs = [CKRecordZone.ID(zoneName: "one"), CKRecordZone.ID(zoneName: "two")]
  private static let recordIDs = [CKRecord.ID(recordName: "one"), CKRecord.ID(recordName: "two")]

  /// An operation that records its reports.
  private func operation(_ kind: Kind, _ transcript: Transcript) -> CKOperation {
    let end = { @Sendable (result: Result<Void, any Error>) in transcript.note("end", result) }
    switch kind {
    case .modifyRecords:
      let operation = CKModifyRecordsOperation(
        recordsToSave: [CKRecord(recordType: "Note", recordID: Self.recordIDs[0])],
        recordIDsToDelete: [Self.recordIDs[1]])
      operation.perRecordSaveBlock = { transcript.note($0.recordName, $1) }
      operation.perRecordDeleteBlock = { transcript.note($0.recordName, $1) }
      operation.modifyRecordsResultBlock = end
      return operation
    case .fetchRecords:
      let operation = CKFetchRecordsOperation(recordIDs: Self.recordIDs)
      operation.perRecordResultBlock = { transcript.note($0.recordName, $1) }
      operation.fetchRecordsResultBlock = end
      return operation
    case .fetchCurrentUser:
      let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
      operation.fetchRecordsResultBlock = end
      return operation
    case .query:
      let operation = CKQueryOperation(
        query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
      operation.queryResultBlock = { transcript.note("end", $0) }
      return operation
    case .modifyZones, .fetchZones, .fetchAllZones, .databaseChanges, .zoneChanges:
      return zoneOperation(kind, transcript, end)
    case .modifySubscriptions, .fetchSubscriptions, .fetchAllSubscriptions:
      return subscriptionOperation(kind, transcript, end)
    case .shareMetadata, .acceptShares, .shareAccess, .participants, .identities, .webAuthToken:
      return containerOperation(kind, transcript, end)
    }
  }

  private func zoneOperation(
    _ kind: Kind, _ transcript: Transcript,
    _ end: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> CKOperation {
    switch kind {
    case .modifyZones:
      let operation = CKModifyRecordZonesOperation(
        recordZonesToSave: [CKRecordZone(zoneID: Self.zoneIDs[0])],
        recordZoneIDsToDelete: [Self.zoneIDs[1]])
      operation.perRecordZoneSaveBlock = { transcript.note($0.zoneName, $1) }
      operation.perRecordZoneDeleteBlock = { transcript.note($0.zoneName, $1) }
      operation.modifyRecordZonesResultBlock = end
      return operation
    case .fetchZones, .fetchAllZones:
      let operation =
        kind == .fetchZones
        ? CKFetchRecordZonesOperation(recordZoneIDs: Self.zoneIDs)
        : CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
      operation.perRecordZoneResultBlock = { transcript.note($0.zoneName, $1) }
      operation.fetchRecordZonesResultBlock = end
      return operation
    case .databaseChanges:
      let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
      operation.fetchDatabaseChangesResultBlock = { transcript.note("end", $0) }
      return operation
    default:
      let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: Self.zoneIDs)
      operation.recordZoneFetchResultBlock = { transcript.note($0.zoneName, $1) }
      operation.fetchRecordZoneChangesResultBlock = end
      return operation
    }
  }

  private func subscriptionOperation(
    _ kind: Kind, _ transcript: Transcript,
    _ end: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> CKOperation {
    switch kind {
    case .modifySubscriptions:
      let operation = CKModifySubscriptionsOperation(
        subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "one")],
        subscriptionIDsToDelete: ["two"])
      operation.perSubscriptionSaveBlock = { transcript.note($0, $1) }
      operation.perSubscriptionDeleteBlock = { transcript.note($0, $1) }
      operation.modifySubscriptionsResultBlock = end
      return operation
    default:
      let operation =
        kind == .fetchSubscriptions
        ? CKFetchSubscriptionsOperation(subscriptionIDs: ["one", "two"])
        : CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
      operation.perSubscriptionResultBlock = { transcript.note($0, $1) }
      operation.fetchSubscriptionsResultBlock = end
      return operation
    }
  }

  private func containerOperation(
    _ kind: Kind, _ transcript: Transcript,
    _ end: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> CKOperation {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["one", "two"])
    switch kind {
    case .shareMetadata:
      let operation = CKFetchShareMetadataOperation(
        shareURLs: ["one", "two"].map { webAddress("https://cloud.test/share/\($0)") })
      operation.perShareMetadataResultBlock = { transcript.note($0.lastPathComponent, $1) }
      operation.fetchShareMetadataResultBlock = end
      return operation
    case .acceptShares:
      let operation = CKAcceptSharesOperation(shareMetadatas: [shared])
      operation.perShareResultBlock = { transcript.note("one", $1) }
      operation.acceptSharesResultBlock = end
      return operation
    case .shareAccess:
      let operation = CKShareRequestAccessOperation(
        shareURLs: ["one", "two"].map { webAddress("https://cloud.test/share/\($0)") })
      operation.perShareAccessRequestResultBlock = { transcript.note($0.lastPathComponent, $1) }
      operation.shareAccessRequestResultBlock = end
      return operation
    case .participants:
      let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
      operation.perShareParticipantResultBlock = { transcript.note($0.emailAddress ?? "", $1) }
      operation.fetchShareParticipantsResultBlock = end
      return operation
    case .identities:
      let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
      operation.userIdentityDiscoveredBlock = { _, info in transcript.note(info.emailAddress ?? "")
      }
      operation.discoverUserIdentitiesResultBlock = end
      return operation
    default:
      let operation = CKFetchWebAuthTokenOperation(apiToken: "a page's")
      operation.fetchWebAuthTokenResultBlock = { transcript.note("end", $0) }
      return operation
    }
  }

  /// Starts an operation in its queue, and signals when all its blocks have returned.
  private func begin(_ operation: CKOperation, _ container: CKContainer) -> AsyncStream<Never> {
    let ended = AsyncStream<Never>.makeStream()
    operation.completionBlock = { ended.continuation.finish() }
    if let operation = operation as? CKDatabaseOperation {
      container.privateCloudDatabase.add(operation)
    } else {
      container.add(operation)
    }
    return ended.stream
  }

  private func carryOut(_ operation: CKOperation, _ container: CKContainer) async {
    for await _ in begin(operation, container) {}
    #expect(operation.isFinished && !operation.isExecuting)
  }

  // MARK: Tests

  @Test(arguments: Kind.allCases)
  func `Each item fails if the server is not trusted`(_ kind: Kind) async {
    let transcript = Transcript()
    device.network.inject(.wrongCertificate)
    await carryOut(operation(kind, transcript), device.container)
    #expect(transcript.lines == kind.lines("networkFailure"))
  }

  @Test func `An incomplete link is reported before the request for the others fails`()
    async throws
  {
    let (container, transcript) = (device.container, Transcript())
    _ = try await container.userRecordID()
    let operation = CKFetchShareMetadataOperation(
      shareURLs: ["one", "two#k=x"].map { webAddress("https://cloud.test/share/\($0)") })
    operation.perShareMetadataResultBlock = { transcript.note($0.lastPathComponent, $1) }
    operation.fetchShareMetadataResultBlock = { transcript.note("end", $0) }
    device.network.inject(.wrongCertificate)
    await carryOut(operation, container)
    #expect(
      transcript.lines == [
        "two: invalidArguments", "one: networkFailure", "end: networkFailure",
      ])
  }

  @Test(arguments: Kind.allCases) func `Each item fails if the container is unknown`(
    _ kind: Kind
  ) async {
    let transcript = Transcript()
    await carryOut(operation(kind, transcript), CKContainer(identifier: "iCloud.nowhere"))
    #expect(transcript.lines == kind.lines("missingEntitlement"))
  }

  @Test(arguments: Kind.allCases)
  func `Each item fails if the operation is cancelled while it runs`(_ kind: Kind) async throws {
    let transcript = Transcript()
    device.network.inject(.silence)
    let operation = operation(kind, transcript)
    let ended = begin(operation, device.container)
    try await yields(while: cloud.clock.waiterCount == 0)
    operation.cancel()
    for await _ in ended {}
    #expect(transcript.lines == kind.lines("operationCancelled"))
  }

  @Test(arguments: Kind.allCases)
  func `Each item fails without a request if the operation was cancelled before`(_ kind: Kind) async
  {
    let transcript = Transcript()
    let operation = operation(kind, transcript)
    let before = device.network.requestCount
    operation.cancel()
    await carryOut(operation, device.container)
    #expect(transcript.lines == kind.lines("operationCancelled"))
    #expect(device.network.requestCount == before)
  }
}
