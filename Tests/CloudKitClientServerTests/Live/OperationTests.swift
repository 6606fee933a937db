import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Runs an operation on a database to its end.
///
/// - Returns: The final error.
func finish(_ operation: CKModifyRecordsOperation, _ database: CKDatabase) async -> CKError? {
  let failure = Mutex<CKError?>(nil)
  // A long-lived operation is removed after it has reported its end, and before it completes.
  await withCheckedContinuation { continuation in
    operation.modifyRecordsResultBlock = { result in failure.withLock { $0 = error(result) } }
    operation.completionBlock = { continuation.resume() }
    database.add(operation)
  }
  return failure.withLock { $0 }
}

/// The reports of operations and their order.
@Suite(.endsAtAll) struct OperationTests {
  private let cloud: WatchedCloud
  private var database: CKDatabase { cloud.container("anna").privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private func note(_ name: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = name
    return record
  }

  @Test func `Blocks for records run before the final block, which runs once`() async throws {
    try await database.save(zone)
    let reported = Mutex<[String]>([])
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one"), note("two")])
    operation.perRecordSaveBlock = { recordID, _ in
      reported.withLock { $0.append(recordID.recordName) }
    }
    let queue = OperationQueue()
    operation.database = database
    await withCheckedContinuation { continuation in
      operation.modifyRecordsResultBlock = { _ in reported.withLock { $0.append("end") } }
      operation.completionBlock = { continuation.resume() }
      queue.addOperation(operation)
    }
    #expect(reported.withLock(\.self) == ["one", "two", "end"])
    #expect(operation.isFinished && !operation.isExecuting)
  }

  @Test func `An operation waits for its dependencies`() async throws {
    let reported = Mutex<[String]>([])
    let zones = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
    zones.modifyRecordZonesResultBlock = { _ in reported.withLock { $0.append("zone") } }
    let records = CKModifyRecordsOperation(recordsToSave: [note("one")])
    records.addDependency(zones)
    (zones.database, records.database) = (database, database)
    let queue = OperationQueue()
    await withCheckedContinuation { continuation in
      records.modifyRecordsResultBlock = { result in
        reported.withLock { $0.append(error(result) == nil ? "record" : "\(result)") }
        continuation.resume()
      }
      queue.addOperations([records, zones], waitUntilFinished: false)
    }
    #expect(reported.withLock(\.self) == ["zone", "record"])
  }

  @Test func `An operation added to a database waits for its dependencies`() async throws {
    let reported = Mutex<[String]>([])
    let zones = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
    zones.modifyRecordZonesResultBlock = { _ in reported.withLock { $0.append("zone") } }
    let records = CKModifyRecordsOperation(recordsToSave: [note("one")])
    records.addDependency(zones)
    await withCheckedContinuation { continuation in
      records.modifyRecordsResultBlock = { result in
        reported.withLock { $0.append(error(result) == nil ? "record" : "\(result)") }
        continuation.resume()
      }
      database.add(records)
      #expect(!records.isExecuting)
      database.add(zones)
    }
    #expect(reported.withLock(\.self) == ["zone", "record"])
  }

  @Test func `A configuration of an operation or a group is a copy, and nil resets it`() {
    let shared = CKOperation.Configuration()
    let (one, other, group) = (
      CKFetchRecordsOperation(), CKFetchRecordsOperation(), CKOperationGroup()
    )
    one.configuration = shared
    other.configuration = shared
    group.defaultConfiguration = shared
    one.qualityOfService = .background
    group.defaultConfiguration.timeoutIntervalForRequest = 7
    #expect(other.qualityOfService == .default && shared.qualityOfService == .default)
    #expect(other.configuration.timeoutIntervalForRequest == 60)
    one.configuration = nil
    group.defaultConfiguration = nil
    #expect(one.configuration.qualityOfService == .default)
    #expect(group.defaultConfiguration.timeoutIntervalForRequest == 60)
  }

  @Test func `An operation that was cancelled before it began reports it`() async throws {
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one")])
    operation.cancel()
    #expect(await finish(operation, database)?.code == .operationCancelled)
    let isUntouched = cloud.asked.withLock(\.isEmpty)
    #expect(isUntouched)
  }

  @available(*, deprecated)
  @Test(arguments: [false, true])
  func `Save failures are reported for each record; only older blocks get a partial failure`(
    _ isAtomic: Bool
  )
    async throws
  {
    try await database.save(zone)
    try await database.save(note("there"))
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one"), note("there")])
    operation.isAtomic = isAtomic
    let single = Mutex<[String: CKError.Code?]>([:])
    operation.perRecordSaveBlock = { name, result in
      single.withLock { $0[name.recordName] = .some(error(result)?.code) }
    }
    let whole = Mutex<(saved: [String]?, error: CKError?)>((nil, nil))
    operation.modifyRecordsCompletionBlock = { saved, _, error in
      whole.withLock { $0 = (saved?.map(\.recordID.recordName), error as? CKError) }
    }
    let ended = AsyncStream<CKError?>.makeStream()
    operation.modifyRecordsResultBlock = { ended.continuation.yield(error($0)) }
    await run(operation)
    ended.continuation.finish()
    #expect(await ended.stream.reduce(into: []) { $0.append($1) } == [nil])
    let neighbour = isAtomic ? CKError.Code.batchRequestFailed : nil
    #expect(single.withLock(\.self) == ["one": neighbour, "there": .serverRecordChanged])
    let (saved, failure) = whole.withLock(\.self)
    #expect(saved == (isAtomic ? [] : ["one"]) && failure?.code == .partialFailure)
    let errors = try #require(failure?.partialErrorsByItemID)
    let name = CKRecord.ID(recordName: "there", zoneID: zone.zoneID)
    #expect(
      errors.count == (isAtomic ? 2 : 1) && (errors[name] as? CKError)?.code == .serverRecordChanged
    )
  }

  @available(*, deprecated)
  @Test
  func `Fetch failures are reported for each item; only older blocks get a partial failure`()
    async throws
  {
    try await database.save(zone)
    let there = try await database.save(note("there")).recordID
    let records = CKFetchRecordsOperation(recordIDs: [there, note("absent").recordID])
    let zones = CKFetchRecordZoneChangesOperation(recordZoneIDs: [
      zone.zoneID, .init(zoneName: "Absent"),
    ])
    let newer = Mutex<[CKError.Code?]>([])
    let older = Mutex<[CKError.Code?]>([])
    records.fetchRecordsResultBlock = { result in newer.withLock { $0.append(error(result)?.code) }
    }
    records.fetchRecordsCompletionBlock = { found, error in
      #expect(found?.keys.map(\.recordName) == ["there"])
      older.withLock { $0.append((error as? CKError)?.code) }
    }
    zones.fetchRecordZoneChangesResultBlock = { result in
      newer.withLock { $0.append(error(result)?.code) }
    }
    zones.fetchRecordZoneChangesCompletionBlock = { error in
      older.withLock { $0.append((error as? CKError)?.code) }
    }
    for operation in [records, zones] { await run(operation) }
    #expect(newer.withLock(\.self) == [nil, nil])
    #expect(older.withLock(\.self) == [.partialFailure, .partialFailure])
  }

  /// Runs an operation until all its blocks have returned.
  private func run(_ operation: CKDatabaseOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      database.add(operation)
    }
  }

  @Test func `Every record has a result if the network breaks`() async throws {
    try await database.save(zone)
    cloud.injectedFault.withLock { $0 = { _ in .lost(TransportError(.offline, "No network.")) } }
    let reported = Mutex<[CKError.Code?]>([])
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one"), note("two")])
    operation.perRecordSaveBlock = { _, result in
      reported.withLock { $0.append(error(result)?.code) }
    }
    #expect(await finish(operation, database)?.code == .networkUnavailable)
    #expect(reported.withLock(\.self) == [.networkUnavailable, .networkUnavailable])
  }

  @Test func `All pages of a zone's changes arrive, each with a token`() async throws {
    try await database.save(zone)
    _ = try await database.modifyRecords(saving: (0..<30).map { note("n\($0)") }, deleting: [])
    let reported = Mutex((records: 0, tokens: 0))
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone.zoneID],
      configurationsByRecordZoneID: [zone.zoneID: .init(resultsLimit: 8)])
    operation.recordWasChangedBlock = { _, _ in reported.withLock { $0.records += 1 } }
    operation.recordZoneChangeTokensUpdatedBlock = { _, _, _ in reported.withLock { $0.tokens += 1 }
    }
    let end: Bool? = await withCheckedContinuation { continuation in
      let more = Mutex<Bool?>(nil)
      operation.recordZoneFetchResultBlock = { _, result in
        more.withLock { $0 = try? result.get().moreComing }
      }
      operation.fetchRecordZoneChangesResultBlock = { _ in
        continuation.resume(returning: more.withLock { $0 })
      }
      database.add(operation)
    }
    #expect(end == false)
    #expect(reported.withLock(\.records) == 30 && reported.withLock(\.tokens) == 3)
  }

  @Test func `A group supplies the values that a configuration does not set`() async {
    let group = CKOperationGroup()
    group.defaultConfiguration.timeoutIntervalForRequest = 5
    let (one, other) = (
      CKFetchRecordZonesOperation(recordZoneIDs: [zone.zoneID]),
      CKFetchRecordZonesOperation(recordZoneIDs: [zone.zoneID])
    )
    (one.group, other.group) = (group, group)
    other.configuration.timeoutIntervalForRequest = 7
    for operation in [one, other] { await run(operation) }
    let limits = cloud.idleLimits.withLock {
      $0.filter { $0.operation == "zones/lookup" }.map(\.limit)
    }
    #expect(limits == [.seconds(5), .seconds(7)])
    // The group does not change the operation's own configuration.
    let copy = other.configuration.copy() as? CKOperation.Configuration
    #expect(one.configuration.timeoutIntervalForRequest == 60)
    #expect(copy?.timeoutIntervalForRequest == 7)
  }
}
