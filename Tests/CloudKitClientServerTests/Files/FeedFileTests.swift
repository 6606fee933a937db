import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Feeds with files that fail to arrive.
///
/// No reader continues past them.
@Suite("Files in feeds")
struct FeedFileTests {
  private let cloud: WatchedCloud
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private var database: CKDatabase { cloud.container("anna").privateCloudDatabase }

  /// A zone with three notes, the second of which has a file.
  private func prepare(_ folder: URL) async throws {
    let file = folder.appendingPathComponent("file")
    try Data(repeating: 7, count: 500).write(to: file)
    try await database.save(zone)
    for name in ["one", "two", "three"] {
      let record = CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
      record["title"] = name
      if name == "two" { record["file"] = CKAsset(fileURL: file) }
      try await database.save(record)
    }
    cloud.asked.withLock { $0 = [] }
  }

  private func interfere(_ injectedFault: WatchedCloud.InjectedFault) {
    cloud.injectedFault.withLock { $0 = { $0 == "download" ? injectedFault : .none } }
  }

  private static let offline = WatchedCloud.InjectedFault.lost(
    TransportError(.offline, "No network."))

  @Test func `An engine fetches a record again if the disk had no space for its file`() async throws
  {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      let notesProgram = NotesProgram()
      var configuration = CKSyncEngine.Configuration(
        database: database, stateSerialization: nil, delegate: notesProgram)
      configuration.automaticallySync = false
      let engine = CKSyncEngine(configuration)
      interfere(.fullDisk)
      let refusal = await #expect(throws: CKError.self) { try await engine.fetchChanges() }
      #expect(
        refusal?.code == .internalError
          && engine.state.zoneIDsWithUnfetchedServerChanges == [zone.zoneID])
      interfere(.none)
      try await engine.fetchChanges()
      #expect(notesProgram.titles == ["one: one", "three: three", "two: two"])
    }
  }

  @Test(arguments: [
    (WatchedCloud.InjectedFault.fullDisk, CKError.Code.internalError),
    (offline, .networkUnavailable),
  ])
  func `A zone's page is discarded if a file fails, and is fetched whole the next time`(
    _ injectedFault: WatchedCloud.InjectedFault, _ code: CKError.Code
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      interfere(injectedFault)
      let refusal = await #expect(throws: CKError.self) {
        try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
      }
      #expect(refusal?.code == code)
      interfere(.none)
      let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
      #expect(changes.modificationResultsByID.values.count { succeeded($0) } == 3)
    }
  }

  @Test func `A record whose file the server lost has an error, and the token advances`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      interfere(.answer(TransportResponse(status: 404)))
      let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
      #expect(
        changes.modificationResultsByID.compactMap { error($1).map { $0.code } } == [
          .assetNotAvailable
        ])
      let next = try await database.recordZoneChanges(
        inZoneWith: zone.zoneID, since: changes.changeToken)
      #expect(next.modificationResultsByID.isEmpty)
    }
  }

  /// An operation on the zone and another one that records the calls of all its blocks.
  @available(*, deprecated)
  private func operation(_ transcript: Transcript) -> CKFetchRecordZoneChangesOperation {
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone.zoneID, CKRecordZone.ID(zoneName: "Others")])
    operation.recordWasChangedBlock = { transcript.note($0.recordName, $1) }
    operation.recordChangedBlock = { transcript.note("older \($0.recordID.recordName)") }
    operation.recordZoneFetchResultBlock = { transcript.note("end of \($0.zoneName)", $1) }
    operation.recordZoneFetchCompletionBlock = { zoneID, token, _, _, error in
      transcript.note("older end of \(zoneID.zoneName) \(token != nil)", error)
    }
    operation.fetchRecordZoneChangesResultBlock = { transcript.note("end", $0) }
    operation.fetchRecordZoneChangesCompletionBlock = { transcript.note("older end", $0) }
    return operation
  }

  @available(*, deprecated)
  @Test
  func `An operation reports no token past a file without space, and other zones continue`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      try await database.save(CKRecordZone(zoneName: "Others"))
      interfere(.fullDisk)
      let transcript = Transcript()
      await database.carryOut(operation(transcript))
      #expect(
        transcript.lines == [
          "one: done", "older one", "two: internalError", "three: internalError",
          "end of Notes: internalError",
          "older end of Notes false: internalError", "end of Others: done",
          "older end of Others true: done",
          "end: done", "older end: partialFailure",
        ])
    }
  }

  @available(*, deprecated)
  @Test
  func `An operation offline or cancelled at a file ends with that error and no token`()
    async throws
  {
    for isCancelled in [false, true] {
      let tests = try await FeedFileTests()
      try await tests.expectEnd(isCancelled: isCancelled)
    }
  }

  @available(*, deprecated)
  private func expectEnd(isCancelled: Bool) async throws {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      try await database.save(CKRecordZone(zoneName: "Others"))
      let transcript = Transcript()
      let operation = operation(transcript)
      cloud.injectedFault.withLock {
        $0 = { endpoint in
          guard endpoint == "download" else { return .none }
          guard isCancelled else { return Self.offline }
          operation.cancel()
          return .lost(TransportError(.cancelled, "Cancelled."))
        }
      }
      await database.carryOut(operation)
      let code = isCancelled ? CKError.Code.operationCancelled : .networkUnavailable
      #expect(
        transcript.lines == [
          "one: done", "older one", "two: \(code)", "three: \(code)", "end of Notes: \(code)",
          "older end of Notes false: \(code)", "end of Others: \(code)",
          "older end of Others false: \(code)",
          "end: \(code)", "older end: \(code)",
        ])
    }
  }

  @Test func `A task that is cancelled at a zone's file throws the cancellation`() async throws {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      interfere(.lost(TransportError(.cancelled, "Cancelled.")))
      let refusal = await #expect(throws: CKError.self) {
        try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
      }
      #expect(refusal?.code == .operationCancelled)
    }
  }

  @available(*, deprecated)
  @Test func `The oldest operation reports no token past a file that did not arrive`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      interfere(Self.offline)
      let transcript = Transcript()
      let operation = CKFetchRecordChangesOperation(
        recordZoneID: zone.zoneID, previousServerChangeToken: nil)
      operation.recordChangedBlock = { transcript.note($0.recordID.recordName) }
      operation.fetchRecordChangesCompletionBlock = { transcript.note("end \($0 != nil)", $2) }
      await database.carryOut(operation)
      #expect(transcript.lines == ["one", "end false: networkUnavailable"])
    }
  }
}
