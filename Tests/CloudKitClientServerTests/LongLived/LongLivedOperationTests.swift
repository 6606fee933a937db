import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudTransport
import Foundation
import PredicateLanguage
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// A transport on which no answer ever arrives.
struct SilentTransport: CloudTransport {
  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    try await wait()
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse { try await wait() }

  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    throw TransportError(.offline, "no streams")
  }

  /// Waits until the task is cancelled.
  private func wait() async throws(TransportError) -> TransportResponse {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw TransportError(.cancelled, "The test has ended.")
  }
}

@Suite("Long-lived operations")
struct LongLivedOperationTests {
  private let zone = CKRecordZone(zoneName: "Notes")
  private let token = CKServerChangeToken("a place")

  private func note(_ name: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = "The title of \(name)"
    return record
  }

  private func longLived(_ operation: CKModifyRecordsOperation) -> CKModifyRecordsOperation {
    operation.configuration.isLongLived = true
    return operation
  }

  @Test func `The next process completes an unfinished operation, for the same user only`()
    async throws
  {
    let cloud = try await WatchedCloud()
    try await withTemporaryDirectory { folder in
      let next = try cloud.container("anna", folder: folder)
      try await next.privateCloudDatabase.save(zone)
      let former = try cloud.container("anna", folder: folder, over: SilentTransport())
      let begun = longLived(CKModifyRecordsOperation(recordsToSave: [note("one")]))
      let end = AsyncStream<CKError?>.makeStream()
      begun.modifyRecordsResultBlock = { end.continuation.yield(error($0)) }
      await withCheckedContinuation { isKept in
        begun.longLivedOperationWasPersistedBlock = { isKept.resume() }
        former.privateCloudDatabase.add(begun)
      }

      let others = try cloud.container("bob", folder: folder)
      #expect(try await others.allLongLivedOperationIDs().isEmpty)
      #expect(try await others.longLivedOperation(for: begun.operationID) == nil)

      #expect(try await next.allLongLivedOperationIDs() == [begun.operationID])
      let found = try await next.longLivedOperation(for: begun.operationID)
      let operation = try #require(found as? CKModifyRecordsOperation)
      #expect(operation.operationID == begun.operationID && operation.configuration.isLongLived)
      #expect(operation.database == next.privateCloudDatabase)
      #expect(await finish(operation, next.privateCloudDatabase) == nil)
      let saved = try await next.privateCloudDatabase.record(for: note("one").recordID)
      #expect(saved["title"] == "The title of one")
      #expect(try await next.allLongLivedOperationIDs().isEmpty)

      begun.cancel()
      for await error in end.stream {
        #expect(error?.code == .operationCancelled)
        break
      }
    }
  }

  @Test func `Work that was done before the process ended counts as done`() async throws {
    let cloud = try await WatchedCloud()
    let container = cloud.container("anna")
    let database = container.privateCloudDatabase
    try await database.save(zone)
    let operation = longLived(CKModifyRecordsOperation(recordsToSave: [note("one")]))
    let archive = try #require(OperationArchive(operation, in: .private, for: .account("anna")))
    #expect(await finish(operation, database) == nil)
    let again = archive.operation(named: operation.operationID, in: container)
    #expect(await finish(try #require(again as? CKModifyRecordsOperation), database) == nil)
  }

  @Test func `A zone deletion that a former process completed counts as done`() async throws {
    let cloud = try await WatchedCloud()
    let container = cloud.container("anna")
    let database = container.privateCloudDatabase
    try await database.save(zone)
    let operation = CKModifyRecordZonesOperation(recordZoneIDsToDelete: [zone.zoneID])
    operation.configuration.isLongLived = true
    let archive = try #require(OperationArchive(operation, in: .private, for: .account("anna")))
    await database.carryOut(operation)
    let again = try #require(
      archive.operation(named: operation.operationID, in: container)
        as? CKModifyRecordZonesOperation)
    let reported = Mutex<[CKError.Code?]>([])
    again.perRecordZoneDeleteBlock = { _, result in
      reported.withLock { $0.append(error(result)?.code) }
    }
    await database.carryOut(again)
    #expect(reported.withLock(\.self) == [nil])
  }

  @Test func `A failure is reported once and ends the operation`() async throws {
    let cloud = try await WatchedCloud()
    try await withTemporaryDirectory { folder in
      let container = try cloud.container("anna", folder: folder)
      let operation = longLived(CKModifyRecordsOperation(recordsToSave: [note("one")]))
      let reported = Mutex<[CKError.Code?]>([])
      operation.perRecordSaveBlock = { _, result in
        reported.withLock { $0.append(error(result)?.code) }
      }
      #expect(await finish(operation, container.privateCloudDatabase) == nil)
      #expect(reported.withLock(\.self) == [.zoneNotFound])
      #expect(try await container.allLongLivedOperationIDs().isEmpty)
    }
  }

  @Test func `Two objects for one operation take turns`() async {
    let store = MemoryOperationStore()
    let place = CloudAddress(
      server: "https://example.com",
      container: ContainerAddress(container: "iCloud.test", environment: .development))
    let operations = LongLivedOperations(store, at: place)
    let reported = Mutex<[String]>([])
    #expect(await operations.begin("A", nil) == false)
    let second = Task {
      _ = await operations.begin("A", nil)
      reported.withLock { $0.append("second begins") }
      operations.end("A")
    }
    for _ in 0..<100 { await Task.yield() }
    reported.withLock { $0.append("first ends") }
    operations.end("A")
    await second.value
    #expect(reported.withLock(\.self) == ["first ends", "second begins"])
  }

  @Test func `A damaged file is reported, and names that lead elsewhere are rejected`() async throws
  {
    let cloud = try await WatchedCloud()
    try await withTemporaryDirectory { folder in
      let container = try cloud.container("anna", folder: folder)
      let former = try cloud.container("anna", folder: folder, over: SilentTransport())
      let operation = longLived(CKModifyRecordsOperation(recordsToSave: [note("one")]))
      await withCheckedContinuation { isKept in
        operation.longLivedOperationWasPersistedBlock = { isKept.resume() }
        former.privateCloudDatabase.add(operation)
      }
      let kept = folder.appendingPathComponent("operations")
      let names = try FileManager.default.contentsOfDirectory(atPath: kept.path).filter {
        $0.hasSuffix(".operation")
      }
      let name = try #require(names.first)
      #expect(names.count == 1)
      #expect(try await container.longLivedOperation(for: "../\(operation.operationID)") == nil)
      let file = try FileHandle(forWritingTo: kept.appendingPathComponent(name))
      try file.truncate(atOffset: 40)
      try file.close()
      let failure = try #require(
        await #expect(throws: CKError.self) {
          try await container.longLivedOperation(for: operation.operationID)
        })
      #expect(
        failure.code == .internalError
          && failure.localizedDescription.contains(operation.operationID))
      operation.cancel()
    }
  }

  /// Stores an operation that the process never ends.
  private func keep(_ name: String, in folder: URL, _ cloud: WatchedCloud) async throws
    -> CKModifyRecordsOperation
  {
    let former = try cloud.container("anna", folder: folder, over: SilentTransport())
    let operation = longLived(CKModifyRecordsOperation(recordsToSave: [note(name)]))
    await withCheckedContinuation { isKept in
      operation.longLivedOperationWasPersistedBlock = { isKept.resume() }
      former.privateCloudDatabase.add(operation)
    }
    return operation
  }

  @Test(arguments: [false, true])
  func `An operation that is cancelled before it begins is removed`(
    isAdded: Bool
  )
    async throws
  {
    let cloud = try await WatchedCloud()
    try await withTemporaryDirectory { folder in
      let begun = try await keep("one", in: folder, cloud)
      let next = try cloud.container("anna", folder: folder)
      let found = try await next.longLivedOperation(for: begun.operationID)
      let operation = try #require(found as? CKModifyRecordsOperation)
      operation.cancel()
      if isAdded {
        #expect(await finish(operation, next.privateCloudDatabase)?.code == .operationCancelled)
      }
      #expect(try await next.allLongLivedOperationIDs().isEmpty)
      begun.cancel()
    }
  }

  @Test func `One damaged file does not stop other names from being listed`() async throws {
    let cloud = try await WatchedCloud()
    try await withTemporaryDirectory { folder in
      let (one, two) = (
        try await keep("one", in: folder, cloud), try await keep("two", in: folder, cloud)
      )
      let kept = folder.appendingPathComponent("operations")
      let names = try FileManager.default.contentsOfDirectory(atPath: kept.path)
      let name = try #require(names.first { $0.contains(one.operationID) })
      let file = try FileHandle(forWritingTo: kept.appendingPathComponent(name))
      try file.truncate(atOffset: 40)
      try file.close()
      let container = try cloud.container("anna", folder: folder)
      #expect(try await container.allLongLivedOperationIDs() == [two.operationID])
      for operation in [one, two] { operation.cancel() }
    }
  }

  // MARK: Storage

  @Test func `Every kind of operation keeps its arguments when it is stored`() throws {
    let zoneID = zone.zoneID
    let recordID = note("one").recordID
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "stars > 3"))
    query.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: false)]
    let records = CKModifyRecordsOperation(
      recordsToSave: [note("one")], recordIDsToDelete: [recordID])
    records.savePolicy = .changedKeys
    records.isAtomic = false
    records.clientChangeTokenData = Data([1, 2])
    let fetch = CKFetchRecordsOperation(recordIDs: [recordID])
    fetch.desiredKeys = ["title"]
    let queried = CKQueryOperation(query: query)
    queried.zoneID = zoneID
    queried.resultsLimit = 7
    queried.desiredKeys = []
    let database = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    database.resultsLimit = 3
    database.fetchAllChanges = false
    let zones = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zoneID],
      configurationsByRecordZoneID: [
        zoneID: .init(previousServerChangeToken: token, resultsLimit: 4, desiredKeys: ["title"])
      ])
    let operations: [CKDatabaseOperation] = [
      records, fetch, queried,
      CKModifyRecordZonesOperation(
        recordZonesToSave: [zone], recordZoneIDsToDelete: [zoneID]),
      CKFetchRecordZonesOperation(recordZoneIDs: [zoneID]), CKFetchRecordZonesOperation(), database,
      zones,
      CKModifySubscriptionsOperation(
        subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "all")],
        subscriptionIDsToDelete: ["old"]),
      CKFetchSubscriptionsOperation(subscriptionIDs: ["all"]),
    ]
    let container = CKContainer(identifier: "iCloud.test")
    for operation in operations {
      operation.configuration.timeoutIntervalForRequest = 5
      operation.configuration.qualityOfService = .utility
      let kept = try #require(
        OperationArchive(operation, in: .shared, for: .configured("digest")), "\(operation)")
      let read = try #require(OperationArchive(kept.bytes))
      #expect(read.user == .configured("digest"))
      let again = try #require(
        read.operation(named: "A", in: container) as? CKDatabaseOperation, "\(operation)")
      #expect(arguments(of: again) == arguments(of: operation))
      #expect(again.operationID == "A" && again.database?.databaseScope == .shared)
      #expect(
        again.configuration.timeoutIntervalForRequest == 5
          && again.configuration.qualityOfService == .utility)
    }
  }

  /// The records of an operation in the next process.
  private func kept(_ records: [CKRecord], _ container: CKContainer) throws -> [CKRecord] {
    let operation = longLived(CKModifyRecordsOperation(recordsToSave: records))
    let archive = try #require(OperationArchive(operation, in: .private, for: nil))
    let again =
      archive.operation(named: operation.operationID, in: container) as? CKModifyRecordsOperation
    return try #require(again?.recordsToSave)
  }

  @Test func `The ancestor of a changed record is stored`() async throws {
    let cloud = try await WatchedCloud()
    let container = cloud.container("anna")
    let database = container.privateCloudDatabase
    try await database.save(zone)
    let (parent, child) = (note("parent"), note("child"))
    let picture = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kept-\(UUID().uuidString)")
    try Data("picture".utf8).write(to: picture)
    child["picture"] = CKAsset(fileURL: picture)
    child.setParent(parent)
    _ = try await database.modifyRecords(saving: [parent, child], deleting: [])
    try FileManager.default.removeItem(at: picture)
    child["title"] = "Changed"
    child.setParent(nil as CKRecord?)
    let again = try #require(try kept([child], container).first)
    let others = try await database.record(for: child.recordID)
    others["title"] = "Of others"
    try await database.save(others)
    let conflict = await #expect(throws: CKError.self) { try await database.save(again) }
    #expect(conflict?.code == .serverRecordChanged)
    #expect(conflict?.ancestorRecord?["title"] == "The title of child")
    #expect(conflict?.ancestorRecord?.parent?.recordID == parent.recordID)
    // The server already has the file.
    _ = try await database.modifyRecords(saving: [again], deleting: [], savePolicy: .allKeys)
      .saveResults.mapValues {
        try $0.get()
      }
  }

  @Test func `The changed participants of a share are stored`() async throws {
    let cloud = try await WatchedCloud()
    let container = cloud.container("anna")
    let database = container.privateCloudDatabase
    try await database.save(zone)
    let share = try #require(
      try await database.save(CKShare(recordZoneID: zone.zoneID)) as? CKShare)
    let unchanged = try #require(try kept([share], container).first as? CKShare)
    share.publicPermission = .readOnly
    let again = try #require(try kept([share], container).first as? CKShare)
    try await database.save(again)
    let saved = try await database.record(for: share.recordID)
    #expect((saved as? CKShare)?.publicPermission == .readOnly)
    let conflict = await #expect(throws: CKError.self) { try await database.save(share) }
    #expect(
      (conflict?.ancestorRecord as? CKShare)?.publicPermission == CKShare.ParticipantPermission.none
    )
    // An unchanged share stores no participants.
    unchanged["title"] = "Ours"
    _ = try await database.modifyRecords(
      saving: [unchanged], deleting: [], savePolicy: .changedKeys
    ).saveResults
      .mapValues { try $0.get() }
    #expect(
      (try await database.record(for: share.recordID) as? CKShare)?.publicPermission == .readOnly)
  }

  @Test func `Operations of other kinds are not stored`() {
    final class Own: CKFetchRecordsOperation, @unchecked Sendable {}
    #expect(OperationArchive(Own(), in: .private, for: nil) == nil)
    #expect(OperationArchive(Array("no archive".utf8)) == nil)
  }

  @Test func `A query resumes at an archived cursor`() async throws {
    let cloud = try await WatchedCloud()
    let database = cloud.container("anna").privateCloudDatabase
    try await database.save(zone)
    _ = try await database.modifyRecords(saving: (0..<5).map { note("n\($0)") }, deleting: [])
    let query = CKQuery(
      recordType: "Note", predicate: NSPredicate(format: "title BEGINSWITH %@", "The"))
    let first = try await database.records(
      matching: query, inZoneWith: zone.zoneID, resultsLimit: 3)
    let bytes = try NSKeyedArchiver.archivedData(
      withRootObject: try #require(first.queryCursor), requiringSecureCoding: true)
    let cursor = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryCursor.self, from: bytes))
    let rest = try await database.records(continuingMatchFrom: cursor)
    let names = (first.matchResults + rest.matchResults).map(\.0.recordName)
    #expect(names.sorted() == ["n0", "n1", "n2", "n3", "n4"] && rest.queryCursor == nil)
  }

  /// All arguments of an operation as text.
  private func arguments(of operation: CKDatabaseOperation) -> String {
    var parts: [Any?] = []
    switch operation {
    case let operation as CKModifyRecordsOperation:
      let titles = operation.recordsToSave?.map {
        "\($0.recordID) \($0["title"] ?? "") \($0.changedKeys())"
      }
      parts = [
        titles, operation.recordIDsToDelete, operation.savePolicy, operation.isAtomic,
        operation.clientChangeTokenData,
      ]
    case let operation as CKFetchRecordsOperation:
      parts = [operation.recordIDs, operation.desiredKeys]
    case let operation as CKQueryOperation:
      parts = [
        operation.query?.recordType, operation.query?.predicate.formatText,
        operation.query?.sortDescriptors?.map { "\($0.key ?? "") \($0.ascending)" },
        operation.zoneID,
        operation.resultsLimit, operation.desiredKeys,
      ]
    case let operation as CKModifyRecordZonesOperation:
      parts = [operation.recordZonesToSave?.map(\.zoneID), operation.recordZoneIDsToDelete]
    case let operation as CKFetchRecordZonesOperation: parts = [operation.recordZoneIDs]
    case let operation as CKFetchDatabaseChangesOperation:
      parts = [
        operation.previousServerChangeToken == token, operation.resultsLimit,
        operation.fetchAllChanges,
      ]
    case let operation as CKFetchRecordZoneChangesOperation:
      let configurations = operation.configurationsByRecordZoneID?.map { zoneID, wanted in
        "\(zoneID) \(wanted.previousServerChangeToken == token) \(wanted.resultsLimit) \(wanted.desiredKeys ?? [])"
      }
      parts = [operation.recordZoneIDs, configurations, operation.fetchAllChanges]
    case let operation as CKModifySubscriptionsOperation:
      parts = [
        operation.subscriptionsToSave?.map(\.subscriptionID), operation.subscriptionIDsToDelete,
      ]
    case let operation as CKFetchSubscriptionsOperation: parts = [operation.subscriptionIDs]
    default: break
    }
    return "\(parts)"
  }
}
