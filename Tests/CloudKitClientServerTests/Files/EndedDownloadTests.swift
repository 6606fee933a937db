import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import PredicateLanguage
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Cancellation during downloads.
@Suite("Interrupted downloads")
struct EndedDownloadTests {
  private let cloud: WatchedCloud
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private var database: CKDatabase { cloud.container("anna").privateCloudDatabase }

  private func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zone.zoneID)
  }

  /// A zone with three notes, the second of which has a file.
  private func prepare(_ folder: URL) async throws {
    let file = folder.appendingPathComponent("file")
    try Data(repeating: 7, count: 500).write(to: file)
    try await database.save(zone)
    for name in ["1", "2", "3"] {
      let record = CKRecord(recordType: "Note", recordID: recordID(name))
      record["title"] = name
      if name == "2" { record["file"] = CKAsset(fileURL: file) }
      try await database.save(record)
    }
    cloud.asked.withLock { $0 = [] }
  }

  private var query: CKQuery {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return query
  }

  /// Cancels a request as soon as it fetches a file.
  private func cancelAtFile(_ cancel: @escaping @Sendable () -> Void) {
    cloud.injectedFault.withLock {
      $0 = { endpoint in
        guard endpoint == "download" else { return .none }
        cancel()
        return .lost(TransportError(.cancelled, "Cancelled."))
      }
    }
  }

  @Test func `Cancelling a fetch at a file cancels all records that have not arrived`() async throws
  {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      let transcript = Transcript()
      let operation = CKFetchRecordsOperation(recordIDs: ["1", "2", "3"].map { recordID($0) })
      operation.perRecordResultBlock = { transcript.note($0.recordName, $1) }
      operation.fetchRecordsResultBlock = { transcript.note("end", $0) }
      cancelAtFile { operation.cancel() }
      await database.carryOut(operation)
      #expect(
        transcript.lines
          == [
            "1: done", "2: operationCancelled", "3: operationCancelled", "end: operationCancelled",
          ])
    }
  }

  @Test func `Cancelling a query at a file cancels all records that have not arrived`() async throws
  {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      let transcript = Transcript()
      let operation = CKQueryOperation(query: query)
      operation.zoneID = zone.zoneID
      operation.recordMatchedBlock = { transcript.note($0.recordName, $1) }
      operation.queryResultBlock = { transcript.note("end", $0) }
      cancelAtFile { operation.cancel() }
      await database.carryOut(operation)
      #expect(
        transcript.lines
          == [
            "1: done", "2: operationCancelled", "3: operationCancelled", "end: operationCancelled",
          ])
    }
  }

  @Test func `Methods that are cancelled at the first file throw the cancellation`() async throws {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      cancelAtFile {}
      for limit in [1, 3] {
        let refusal = await #expect(throws: CKError.self) {
          try await database.records(for: [recordID("2"), recordID("3")].prefix(limit).map { $0 })
        }
        #expect(refusal?.code == .operationCancelled)
      }
      let file = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "2"))
      let refusal = await #expect(throws: CKError.self) {
        try await database.records(matching: file, inZoneWith: zone.zoneID)
      }
      #expect(refusal?.code == .operationCancelled)
    }
  }

  @Test func `A query that is cancelled after some records throws the cancellation`() async throws {
    try await withTemporaryDirectory { folder in
      try await prepare(folder)
      cancelAtFile {}
      let refusal = await #expect(throws: CKError.self) {
        try await database.records(matching: query, inZoneWith: zone.zoneID)
      }
      #expect(refusal?.code == .operationCancelled)
    }
  }
}
