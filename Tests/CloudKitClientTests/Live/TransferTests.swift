import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import Testing

/// How long operations may take, and files whose transfer breaks off.
struct TransferTests {
  private let cloud: WatchedCloud
  private var database: CKDatabase { cloud.container("anna").privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Notes")

  private static let lost = TransportFault(.broken, "The connection broke.", mayHaveArrived: true)

  init() async throws { cloud = try await WatchedCloud() }

  /// A record with a file of a thousand bytes, which is gone from this machine.
  private func recordWithFile() throws -> CKRecord {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("asset-\(UUID().uuidString)")
    try Self.contents.write(to: file)
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    record["file"] = CKAsset(fileURL: file)
    return record
  }

  private static let contents = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  /// Fetches a record, within a time in seconds.
  private func fetch(_ recordID: CKRecord.ID, within seconds: TimeInterval) async -> CKError? {
    let operation = CKFetchRecordsOperation(recordIDs: [recordID])
    operation.configuration.timeoutIntervalForResource = seconds
    return await withCheckedContinuation { end in
      operation.fetchRecordsResultBlock = { end.resume(returning: error($0)) }
      database.add(operation)
    }
  }

  @Test func `What an operation may take bounds each request, files among them`() async throws {
    try await database.save(zone)
    let record = try recordWithFile()
    cloud.limits.withLock { $0 = [] }
    let save = CKModifyRecordsOperation(recordsToSave: [record])
    save.configuration.timeoutIntervalForResource = 600
    #expect(await finish(save, database) == nil)
    #expect(await fetch(record.recordID, within: 600) == nil)
    let limits = cloud.limits.withLock(\.self)
    #expect(limits.count >= 5 && limits.allSatisfy { $0 == .seconds(600) }, "\(limits)")
  }

  @Test func `What an operation may take bounds what is sent again`() async throws {
    cloud.mischief.withLock { $0 = { _ in .lost(TransportFault(.offline, "No network.")) } }
    let name = CKRecord.ID(recordName: "one", zoneID: zone.zoneID)
    // The first wait before sending again is longer.
    #expect(await fetch(name, within: 0.1)?.code == .networkUnavailable)
    #expect(cloud.asked.withLock(\.count) == 1)
    let late = await fetch(name, within: 0)
    #expect(late?.code == .networkFailure && late?.localizedDescription.contains("timeoutIntervalForResource") == true)
    #expect(cloud.asked.withLock(\.count) == 1)
  }

  @Test(arguments: [
    (500, CKError.Code.serviceUnavailable, 4), (502, .serviceUnavailable, 4), (504, .serviceUnavailable, 4),
    (429, .serviceUnavailable, 4), (404, .assetNotAvailable, 1), (410, .assetNotAvailable, 1),
  ])
  func `A file that a server does not give is told as what it is`(_ status: Int, _ code: CKError.Code, _ requests: Int)
    async throws
  {
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    cloud.mischief.withLock { $0 = { $0 == "download" ? .answer(TransportResponse(status: status)) : .none } }
    let error = await #expect(throws: CKError.self) { try await database.record(for: record.recordID) }
    #expect(error?.code == code)
    #expect(cloud.asked.withLock { $0.filter { $0 == "download" }.count } == requests)
  }

  @Test func `A file whose transfer broke off goes on where it stopped, when it is asked for again`() async throws {
    let database = database
    try await database.save(zone)
    let record = try recordWithFile()
    try await database.save(record)
    cloud.mischief.withLock { $0 = { $0 == "download" ? .answerLost(Self.lost) : .none } }
    await #expect(throws: CKError.self) { try await database.record(for: record.recordID) }
    cloud.mischief.withLock { $0 = { _ in .none } }
    cloud.fileStatuses.withLock { $0 = [] }
    let again = try await database.record(for: record.recordID)
    let file = try #require((again["file"] as? CKAsset)?.fileURL)
    #expect(try Data(contentsOf: file) == Self.contents)
    #expect(cloud.fileStatuses.withLock(\.self) == [206])
    let third = try await database.record(for: record.recordID)
    #expect((third["file"] as? CKAsset)?.fileURL != file)
    #expect(cloud.fileStatuses.withLock(\.self) == [206, 200])
  }
}
