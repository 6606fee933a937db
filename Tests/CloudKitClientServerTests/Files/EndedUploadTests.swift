import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Events that end a batch during its uploads.
@Suite("Interrupted uploads", .endsAtAll)
struct EndedUploadTests {
  private static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  private func records(_ count: Int, in zoneID: CKRecordZone.ID, _ folder: URL) throws -> [CKRecord]
  {
    try (0..<count).map { number in
      let file = folder.appendingPathComponent("file\(number)")
      try Data(repeating: UInt8(number), count: 500).write(to: file)
      let record = CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: "\(number)", zoneID: zoneID))
      record["file"] = CKAsset(fileURL: file)
      return record
    }
  }

  private func operation(_ records: [CKRecord], _ transcript: Transcript)
    -> CKModifyRecordsOperation
  {
    let operation = CKModifyRecordsOperation(recordsToSave: records)
    operation.perRecordSaveBlock = { transcript.note($0.recordName, $1) }
    operation.modifyRecordsResultBlock = { transcript.note("end", $0) }
    return operation
  }

  @Test(arguments: [EndedUploadTests.zoneID, .default])
  func `An operation that is cancelled at its files ends as cancelled`(_ zoneID: CKRecordZone.ID)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await cloud.signIn("anna@example.com")
      let container = device.container
      try await container.privateCloudDatabase.save(CKRecordZone(zoneID: Self.zoneID))
      let transcript = Transcript()
      let operation = operation(try records(3, in: zoneID, folder), transcript)
      // The first file has arrived, and the second one hangs.
      device.network.inject(nil, nil, nil, .silence)
      let ended = AsyncStream<Never>.makeStream()
      operation.completionBlock = { ended.continuation.finish() }
      container.privateCloudDatabase.add(operation)
      try await yields(while: cloud.clock.waiterCount == 0)
      operation.cancel()
      for await _ in ended.stream {}
      #expect(
        transcript.lines == (0..<3).map { "\($0): operationCancelled" } + [
          "end: operationCancelled"
        ])
    }
  }

  @Test
  func `A file whose connection breaks is not confused with another one of its field`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await cloud.signIn("anna@example.com")
      let database = device.container.privateCloudDatabase
      _ = try await database.allRecordZones()
      let files = try (0..<2).map { number in
        let file = folder.appendingPathComponent("file\(number)")
        try Data(repeating: UInt8(number), count: 500).write(to: file)
        return CKAsset(fileURL: file)
      }
      let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one"))
      record["files"] = files
      // The URLs are requested, and the first file is sent. The network fails during the second
      // one.
      device.network.inject(nil, nil, .lostRequest)
      try await database.save(record)
      let saved = try await database.record(for: record.recordID)["files"] as [CKAsset]?
      let bytes = try (saved ?? []).map { try Data(contentsOf: try #require($0.fileURL)).first }
      #expect(bytes == [0, 1])
    }
  }

  @Test func `A task that is cancelled at its files throws the cancellation`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await cloud.signIn("anna@example.com")
      let database = device.container.privateCloudDatabase
      _ = try await database.allRecordZones()
      let records = try records(2, in: .default, folder)
      device.network.inject(nil, .silence)
      let saving = Task { try await database.modifyRecords(saving: records, deleting: []) }
      try await yields(while: cloud.clock.waiterCount == 0)
      saving.cancel()
      await #expect { try await saving.value } throws: { CKError.operationCancelled ~= $0 }
    }
  }

  @Test func `Without a network one file is tried, and the batch ends`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await WatchedCloud()
      let database = cloud.container("anna").privateCloudDatabase
      _ = try await database.allRecordZones()
      cloud.injectedFault.withLock { $0 = { _ in .lost(TransportError(.offline, "No network.")) } }
      cloud.asked.withLock { $0 = [] }
      let transcript = Transcript()
      await database.carryOut(operation(try records(3, in: .default, folder), transcript))
      #expect(
        transcript.lines == (0..<3).map { "\($0): networkUnavailable" } + [
          "end: networkUnavailable"
        ])
      #expect(cloud.asked.withLock(\.self) == [String](repeating: "assets/upload", count: 4))
    }
  }

  @Test func `An atomic batch stops at the first missing file`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await WatchedCloud()
      let database = cloud.container("anna").privateCloudDatabase
      try await database.save(CKRecordZone(zoneID: Self.zoneID))
      cloud.asked.withLock { $0 = [] }
      let records = try records(3, in: Self.zoneID, folder)
      records[1]["file"] = CKAsset(fileURL: folder.appendingPathComponent("nowhere"))
      let transcript = Transcript()
      await database.carryOut(operation(records, transcript))
      #expect(
        transcript.lines.sorted()
          == [
            "0: batchRequestFailed", "1: assetFileNotFound", "2: batchRequestFailed", "end: done",
          ])
      // The first record's requests: a URL and the file.
      #expect(cloud.asked.withLock(\.self) == ["assets/upload", "assets/upload"])
    }
  }

  @Test func `A non-atomic batch saves the other records`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await WatchedCloud()
      let database = cloud.container("anna").privateCloudDatabase
      let records = try records(3, in: .default, folder)
      records[1]["file"] = CKAsset(fileURL: folder.appendingPathComponent("nowhere"))
      let transcript = Transcript()
      await database.carryOut(operation(records, transcript))
      #expect(transcript.lines == ["1: assetFileNotFound", "0: done", "2: done", "end: done"])
    }
  }
}
