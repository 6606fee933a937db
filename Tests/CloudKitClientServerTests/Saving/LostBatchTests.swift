import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import GeographicLocations
import Synchronization
import Testing
import WatchedClouds

/// Results of atomic batches if it is unknown at first whether they arrived.
@Suite("Batches with lost answers")
struct LostBatchTests {
  private let cloud: WatchedCloud
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await WatchedCloud()
    database = cloud.container("anna").privateCloudDatabase
    try await database.save(zone)
  }

  private func note(_ name: String, _ title: String = "Milk") -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = title
    return record
  }

  private func isThere(_ record: CKRecord) async throws -> Bool {
    succeeded(try await database.records(for: [record.recordID])[record.recordID])
  }

  private static let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)
  private static let forces = [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys]

  /// Injects a fault into the next save.
  private func interfere(_ injectedFault: WatchedCloud.InjectedFault) {
    let isFirst = Mutex(true)
    cloud.injectedFault.withLock {
      $0 = { operation in
        guard operation == "records/modify" else { return .none }
        return isFirst.withLock { first in
          defer { first = false }
          return first ? injectedFault : .none
        }
      }
    }
  }

  /// Saves a record on another device before the lookup.
  private func saveElsewhere(_ change: @escaping @Sendable (CKDatabase) async throws -> Void) {
    let others = cloud.container("anna").privateCloudDatabase
    let isFirst = Mutex(true)
    cloud.between.withLock {
      $0 = { operation in
        let isDue = isFirst.withLock { first in
          defer { if operation == "records/lookup" { first = false } }
          return first && operation == "records/lookup"
        }
        guard isDue else { return }
        do { try await change(others) } catch { Issue.record(error) }
      }
    }
  }

  /// The result of each record of a batch.
  private func results(
    saving records: [CKRecord], deleting recordIDs: [CKRecord.ID] = [],
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async -> [String] {
    let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: recordIDs)
    operation.savePolicy = policy
    let transcript = transcript(of: operation)
    _ = await finish(operation, database)
    return transcript.lines
  }

  private func transcript(of operation: CKModifyRecordsOperation) -> Transcript {
    let transcript = Transcript()
    operation.perRecordSaveBlock = { transcript.note($0.recordName, $1) }
    operation.perRecordDeleteBlock = { transcript.note("delete \($0.recordName)", $1) }
    return transcript
  }

  // MARK: Forced saves

  @Test(arguments: forces, [true, false])
  func `A deletion in a batch with an empty save is done when it is reported as done`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy, _ arrives: Bool
  ) async throws {
    let (same, gone) = (note("same"), note("gone"))
    _ = try await database.modifyRecords(saving: [same, gone], deleting: [])
    same["title"] = "Milk"
    interfere(arrives ? .answerLost(Self.lost) : .lost(Self.lost))
    #expect(
      await results(saving: [same], deleting: [gone.recordID], policy) == [
        "same: done", "delete gone: done",
      ])
    #expect(try await !isThere(gone))
    same["title"] = "Bread"
    try await database.save(same)
  }

  @Test(arguments: forces) func `An empty save is done although its request was lost`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    let same = try await database.save(note("same"))
    same["title"] = "Milk"
    interfere(.lost(Self.lost))
    cloud.asked.withLock { $0 = [] }
    _ = try await database.modifyRecords(saving: [same], deleting: [], savePolicy: policy)
    #expect(same.changedKeys().isEmpty)
    let requests = cloud.asked.withLock { $0.filter { $0 == "records/modify" }.count }
    #expect(requests == 1)
  }

  /// The other device makes the same change and deletes nothing.
  @Test(arguments: forces)
  func `A record that exists is not reported as deleted, whichever device saved the others`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    let (changed, gone) = (note("changed"), note("gone"))
    _ = try await database.modifyRecords(saving: [changed, gone], deleting: [])
    changed["title"] = "Bread"
    interfere(.lost(Self.lost))
    saveElsewhere { others in
      let theirs = try await others.record(for: changed.recordID)
      theirs["title"] = "Bread"
      try await others.save(theirs)
    }
    let lines = await results(saving: [changed], deleting: [gone.recordID], policy)
    #expect(lines == ["changed: done", "delete gone: batchRequestFailed"])
    #expect(try await isThere(gone))
  }

  @Test(arguments: forces) func `An empty save does not let another change be overwritten`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    let (same, changed) = (note("same"), note("changed"))
    _ = try await database.modifyRecords(saving: [same, changed], deleting: [])
    same["title"] = "Milk"
    changed["title"] = "Bread"
    interfere(.answerLost(Self.lost))
    saveElsewhere { others in
      let theirs = try await others.record(for: changed.recordID)
      theirs["title"] = "Wine"
      try await others.save(theirs)
    }
    #expect(
      await results(saving: [same, changed], policy) == [
        "same: done", "changed: serverRecordChanged",
      ])
    #expect(try await database.record(for: changed.recordID)["title"] == "Wine")
  }

  private static func place(altitude: Double) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 16), altitude: altitude,
      horizontalAccuracy: 5, verticalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 1_000))
  }

  @Test(arguments: forces) func `Another altitude at the same coordinates is another value`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    let changed = note("changed")
    changed["place"] = Self.place(altitude: 100)
    _ = try await database.modifyRecords(saving: [changed], deleting: [])
    changed["place"] = Self.place(altitude: 200)
    interfere(.lost(Self.lost))
    saveElsewhere { others in
      let theirs = try await others.record(for: changed.recordID)
      theirs["place"] = Self.place(altitude: 300)
      try await others.save(theirs)
    }
    #expect(await results(saving: [changed], policy) == ["changed: serverRecordChanged"])
  }

  // MARK: Former processes

  /// The operation in the next process, which does not know whether it was done.
  private func kept(
    _ operation: CKModifyRecordsOperation, in container: CKContainer
  ) throws -> (CKModifyRecordsOperation, Transcript) {
    operation.configuration.isLongLived = true
    let archive = try #require(OperationArchive(operation, in: .private, for: .account("anna")))
    let found = archive.operation(named: operation.operationID, in: container)
    let again = try #require(found as? CKModifyRecordsOperation)
    return (again, transcript(of: again))
  }

  @Test func `A former process's saves and deletions count as done`() async throws {
    let container = cloud.container("anna")
    let (old, gone, new) = (note("old"), note("gone"), note("new"))
    _ = try await database.modifyRecords(saving: [old, gone], deleting: [])
    old["title"] = "Bread"
    let operation = CKModifyRecordsOperation(
      recordsToSave: [old, new], recordIDsToDelete: [gone.recordID])
    let (again, transcript) = try kept(operation, in: container)
    #expect(await finish(operation, container.privateCloudDatabase) == nil)
    #expect(await finish(again, container.privateCloudDatabase) == nil)
    #expect(transcript.lines == ["old: done", "new: done", "delete gone: done"])
  }

  @Test func `A deletion that no process performed does not count as done`() async throws {
    let container = cloud.container("anna")
    let (old, gone) = (note("old"), note("gone"))
    _ = try await database.modifyRecords(saving: [old, gone], deleting: [])
    let theirs = try await database.record(for: old.recordID)
    old["title"] = "Bread"
    let operation = CKModifyRecordsOperation(
      recordsToSave: [old], recordIDsToDelete: [gone.recordID])
    let (again, transcript) = try kept(operation, in: container)
    // Another device makes the same change and deletes nothing.
    theirs["title"] = "Bread"
    try await database.save(theirs)
    _ = await finish(again, container.privateCloudDatabase)
    #expect(transcript.lines == ["old: done", "delete gone: batchRequestFailed"])
    #expect(try await isThere(gone))
  }

  @Test func `A conflicting batch does not count as done even if its deletions are done`()
    async throws
  {
    let container = cloud.container("anna")
    let (old, gone) = (note("old"), note("gone"))
    _ = try await database.modifyRecords(saving: [old, gone], deleting: [])
    let theirs = try await database.record(for: old.recordID)
    old["title"] = "Bread"
    let operation = CKModifyRecordsOperation(
      recordsToSave: [old], recordIDsToDelete: [gone.recordID])
    let (again, transcript) = try kept(operation, in: container)
    theirs["title"] = "Wine"
    _ = try await database.modifyRecords(saving: [theirs], deleting: [gone.recordID])
    _ = await finish(again, container.privateCloudDatabase)
    #expect(transcript.lines == ["old: serverRecordChanged", "delete gone: batchRequestFailed"])
  }
}
