import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// The fields in the answer to a save, and in the saved record.
@Suite("Fields after a save", .endsAtAll)
struct SavedFieldTests {
  private let cloud: WatchedCloud
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await WatchedCloud()
    database = cloud.container("anna").privateCloudDatabase
    try await database.save(zone)
  }

  private func note(_ name: String = "one", body: String = "Milk and bread") -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["body"] = body
    record["stars"] = 3
    return record
  }

  /// The bodies of the requests and answers that save records.
  private func saving(
    _ save: () async throws -> Void
  ) async throws -> (request: String, answer: String) {
    cloud.bodies.withLock { $0 = [] }
    try await save()
    let bodies = cloud.bodies.withLock(\.self)
    // Keys of encrypted values are stored by a request of their own.
    let place = try #require(
      bodies.indices.dropLast().first {
        bodies[$0].contains(#""operations""#) && bodies[$0 + 1].contains(#""recordChangeTag""#)
      })
    return (bodies[place], bodies[place + 1])
  }

  @Test func `The answer does not repeat the fields, which the record keeps`() async throws {
    let record = note()
    record.encryptedValues["secret"] = "of the device"
    let first = try await saving { try await database.save(record) }
    #expect(first.request.contains("Milk") && !first.answer.contains("Milk"))
    #expect(first.answer.contains("recordChangeTag") && !first.answer.contains("secret"))
    #expect(record["body"] == "Milk and bread" && record["stars"] == 3)
    #expect(record.encryptedValues["secret"] == "of the device")
    #expect(record.changedKeys().isEmpty && record.modificationDate != nil)
    let tag = record.recordChangeTag
    record["stars"] = 4
    let second = try await saving { try await database.save(record) }
    #expect(!second.answer.contains("stars") && record.recordChangeTag != tag)
    let there = try await database.record(for: record.recordID)
    #expect(there["body"] == "Milk and bread" && there["stars"] == 4)
    #expect(there.recordChangeTag == record.recordChangeTag)
  }

  @Test func `The answer does not grow with the record`() async throws {
    let (small, large) = (
      note("small", body: "a"), note("large", body: String(repeating: "a", count: 9_000))
    )
    let one = try await saving { try await database.save(small) }
    let other = try await saving { try await database.save(large) }
    #expect(other.request.utf8.count > one.request.utf8.count + 8_000)
    #expect(abs(other.answer.utf8.count - one.answer.utf8.count) < 50)
  }

  /// The answer to a forced save contains all fields, and serves as the comparison.
  @Test func `The answer to a batch is less than a half of one with all fields`() async throws {
    func batch(_ name: String) -> [CKRecord] {
      (0..<200).map { number in
        let record = note("\(name)-\(number)", body: "The body of note \(number), a line long")
        for field in 0..<8 { record["field\(field)"] = "value \(field) of \(number)" }
        return record
      }
    }
    let bare = try await saving {
      _ = try await database.modifyRecords(saving: batch("a"), deleting: [])
    }
    let whole = try await saving {
      _ = try await database.modifyRecords(
        saving: batch("b"), deleting: [], savePolicy: .allKeys)
    }
    let sizes = (request: bare.request.utf8.count, bare.answer.utf8.count, whole.answer.utf8.count)
    #expect(sizes.1 * 2 < sizes.2, "request, answer, answer with fields: \(sizes)")
    #expect(sizes.2 > sizes.request / 2)
  }

  @Test func `The answer describes uploaded files`() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      try Data("contents".utf8).write(to: file)
      let record = note()
      record["file"] = CKAsset(fileURL: file)
      let saved = try await saving { try await database.save(record) }
      #expect(saved.answer.contains("downloadURL") && !saved.answer.contains("Milk"))
      // The description lets another record take the file without another upload.
      let other = note("two")
      other["file"] = record["file"] as CKAsset?
      try await database.save(other)
      let there = try await database.record(for: other.recordID)
      let copy = try #require((there["file"] as CKAsset?)?.fileURL)
      #expect(try Data(contentsOf: copy) == Data("contents".utf8))
    }
  }

  @Test func `A forced save gets the fields that others have changed`() async throws {
    let record = note()
    try await database.save(record)
    let theirs = try await database.record(for: record.recordID)
    theirs["body"] = "Eggs"
    try await database.save(theirs)
    record["stars"] = 5
    let saved = try await saving {
      _ = try await database.modifyRecords(
        saving: [record], deleting: [], savePolicy: .changedKeys)
    }
    #expect(saved.answer.contains("Eggs") && record["body"] == "Eggs" && record["stars"] == 5)
  }

  /// A request whose answer is lost is repeated, and the record cannot be fetched afterwards.
  @Test func `A save is not reported with a version whose fields are unknown`() async throws {
    let record = note()
    try await database.save(record)
    let tag = record.recordChangeTag
    record["stars"] = 5
    let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)
    let count = Mutex(0)
    cloud.injectedFault.withLock {
      $0 = { operation in
        if operation == "records/lookup" { return .lost(TransportError(.untrusted, "No trust.")) }
        guard operation == "records/modify" else { return .none }
        return count.withLock { count in
          count += 1
          return count == 1 ? .answerLost(lost) : .none
        }
      }
    }
    let error = await #expect(throws: CKError.self) { try await database.save(record) }
    #expect(error?.code == .serverResponseLost && record.recordChangeTag == tag)
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    let there = try await database.record(for: record.recordID)
    #expect(there["stars"] == 5 && there.recordChangeTag != tag)
  }
}
