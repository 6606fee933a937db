import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Lookups after a lost answer or a conflict, and the files of their records.
@Suite("Lookups without files")
struct LookWithoutFilesTests {
  private let cloud: WatchedCloud
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await WatchedCloud()
    database = cloud.container("anna").privateCloudDatabase
    try await database.save(zone)
  }

  private static let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)

  private func record(_ folder: URL) throws -> CKRecord {
    let file = folder.appendingPathComponent("file")
    try Data(repeating: 7, count: 500).write(to: file)
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    record["file"] = CKAsset(fileURL: file)
    record["title"] = "Milk"
    return record
  }

  /// Delivers the next save, loses its answer, and rejects all downloads.
  private func loseAnswer() {
    let isFirst = Mutex(true)
    let lost = Self.lost
    cloud.injectedFault.withLock {
      $0 = { operation in
        if operation == "download" { return .answer(TransportResponse(status: 404)) }
        let loses = isFirst.withLock { isFirst in
          defer { if operation == "records/modify" { isFirst = false } }
          return isFirst && operation == "records/modify"
        }
        return loses ? .answerLost(lost) : .none
      }
    }
  }

  private var downloads: Int { cloud.asked.withLock { $0.filter { $0 == "download" }.count } }

  @Test(arguments: [
    CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys, .ifServerRecordUnchanged,
  ])
  func `A save with a lost answer counts as done without a download of its files`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await withTemporaryDirectory { folder in
      let record = try record(folder)
      loseAnswer()
      let results = try await database.modifyRecords(
        saving: [record], deleting: [], savePolicy: policy)
      #expect(succeeded(results.saveResults[record.recordID]) && record.recordChangeTag != nil)
      #expect(downloads == 0)
    }
  }

  @Test func `A conflict has the server's record even if its file is unavailable`() async throws {
    try await withTemporaryDirectory { folder in
      let record = try record(folder)
      try await database.save(record)
      let other = try await database.record(for: record.recordID)
      other["title"] = "Bread"
      try await database.save(other)
      cloud.injectedFault.withLock {
        $0 = { $0 == "download" ? .answer(TransportResponse(status: 404)) : .none }
      }
      record["title"] = "Wine"
      let error = await #expect(throws: CKError.self) { try await database.save(record) }
      let server = try #require(error?.serverRecord)
      #expect(server["title"] == "Bread" && (server["file"] as CKAsset?)?.fileURL == nil)
      // The merged record can be saved, because the server has the file.
      server["title"] = "Wine and bread"
      try await database.save(server)
    }
  }

  @Test func `A conflict has the files of the server's record if they are available`() async throws
  {
    try await withTemporaryDirectory { folder in
      let record = try record(folder)
      try await database.save(record)
      let other = try await database.record(for: record.recordID)
      other["title"] = "Bread"
      try await database.save(other)
      for isLost in [false, true] {
        cloud.injectedFault.withLock { $0 = { _ in .none } }
        if isLost {
          let isFirst = Mutex(true)
          let lost = Self.lost
          cloud.injectedFault.withLock {
            $0 = { operation in
              guard operation == "records/modify" else { return .none }
              let loses = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
              }
              return loses ? .lost(lost) : .none
            }
          }
        }
        record["title"] = "Wine \(isLost)"
        let error = await #expect(throws: CKError.self) { try await database.save(record) }
        let file = try #require((error?.serverRecord?["file"] as CKAsset?)?.fileURL)
        #expect(try Data(contentsOf: file) == Data(repeating: 7, count: 500))
      }
    }
  }
}
