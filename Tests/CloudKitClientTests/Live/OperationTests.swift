import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import Testing

/// Runs an operation on a database to its end.
///
/// - Returns: The error of the end.
func finish(_ operation: CKModifyRecordsOperation, _ database: CKDatabase) async -> CKError? {
  await withCheckedContinuation { continuation in
    operation.modifyRecordsResultBlock = { continuation.resume(returning: error($0)) }
    database.add(operation)
  }
}

/// What operations tell, and when.
struct OperationTests {
  private let cloud: WatchedCloud
  private var database: CKDatabase { cloud.container("anna").privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private func note(_ name: String) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = name
    return record
  }

  @Test func `Blocks for records come before the last one, which comes once`() async throws {
    try await database.save(zone)
    let told = Mutex<[String]>([])
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one"), note("two")])
    operation.perRecordSaveBlock = { recordID, _ in told.withLock { $0.append(recordID.recordName) } }
    let queue = OperationQueue()
    operation.database = database
    await withCheckedContinuation { continuation in
      operation.modifyRecordsResultBlock = { _ in told.withLock { $0.append("end") } }
      operation.completionBlock = { continuation.resume() }
      queue.addOperation(operation)
    }
    #expect(told.withLock(\.self) == ["one", "two", "end"])
    #expect(operation.isFinished && !operation.isExecuting)
  }

  @Test func `An operation waits for those that it depends on`() async throws {
    let told = Mutex<[String]>([])
    let zones = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
    zones.modifyRecordZonesResultBlock = { _ in told.withLock { $0.append("zone") } }
    let records = CKModifyRecordsOperation(recordsToSave: [note("one")])
    records.addDependency(zones)
    (zones.database, records.database) = (database, database)
    let queue = OperationQueue()
    await withCheckedContinuation { continuation in
      records.modifyRecordsResultBlock = { result in
        told.withLock { $0.append(error(result) == nil ? "record" : "\(result)") }
        continuation.resume()
      }
      queue.addOperations([records, zones], waitUntilFinished: false)
    }
    #expect(told.withLock(\.self) == ["zone", "record"])
  }

  @Test func `An operation that was cancelled before it began tells so`() async throws {
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one")])
    operation.cancel()
    #expect(await finish(operation, database)?.code == .operationCancelled)
    let isUntouched = cloud.asked.withLock(\.isEmpty)
    #expect(isUntouched)
  }

  @Test func `A partial failure names what failed`() async throws {
    try await database.save(zone)
    try await database.save(note("there"))
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one"), note("there")])
    operation.isAtomic = false
    let end = await finish(operation, database)
    #expect(end?.code == .partialFailure)
    let errors = try #require(end?.partialErrorsByItemID)
    let name = CKRecord.ID(recordName: "there", zoneID: zone.zoneID)
    #expect(errors.count == 1 && (errors[name] as? CKError)?.code == .serverRecordChanged)
  }

  @Test func `Every record has a result where the network breaks`() async throws {
    try await database.save(zone)
    cloud.mischief.withLock { $0 = { _ in .lost(TransportFault(.offline, "No network.")) } }
    let told = Mutex<[CKError.Code?]>([])
    let operation = CKModifyRecordsOperation(recordsToSave: [note("one"), note("two")])
    operation.perRecordSaveBlock = { _, result in told.withLock { $0.append(error(result)?.code) } }
    #expect(await finish(operation, database)?.code == .networkUnavailable)
    #expect(told.withLock(\.self) == [.networkUnavailable, .networkUnavailable])
  }

  @Test func `All pages of a zone's changes come, and a place for each`() async throws {
    try await database.save(zone)
    _ = try await database.modifyRecords(saving: (0..<30).map { note("n\($0)") }, deleting: [])
    let told = Mutex((records: 0, places: 0))
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone.zoneID], configurationsByRecordZoneID: [zone.zoneID: .init(resultsLimit: 8)])
    operation.recordWasChangedBlock = { _, _ in told.withLock { $0.records += 1 } }
    operation.recordZoneChangeTokensUpdatedBlock = { _, _, _ in told.withLock { $0.places += 1 } }
    let end: Bool? = await withCheckedContinuation { continuation in
      let more = Mutex<Bool?>(nil)
      operation.recordZoneFetchResultBlock = { _, result in more.withLock { $0 = try? result.get().moreComing } }
      operation.fetchRecordZoneChangesResultBlock = { _ in continuation.resume(returning: more.withLock { $0 }) }
      database.add(operation)
    }
    #expect(end == false)
    #expect(told.withLock(\.records) == 30 && told.withLock(\.places) == 3)
  }

  @Test func `What a configuration leaves open is as the group says`() {
    let operation = CKFetchRecordsOperation(recordIDs: [])
    let group = CKOperationGroup()
    group.defaultConfiguration?.qualityOfService = .utility
    group.defaultConfiguration?.timeoutIntervalForRequest = 5
    operation.group = group
    operation.configuration.timeoutIntervalForRequest = 7
    let copy = operation.configuration.copy() as? CKOperation.Configuration
    #expect(copy?.timeoutIntervalForRequest == 7 && operation.configuration.qualityOfService == .default)
  }
}
