import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// The fields of records that were saved over other devices' changes.
@Suite("Fields after a forced save")
struct FreshFieldTests {
  private let cloud: WatchedCloud
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await WatchedCloud()
    database = cloud.container("anna").privateCloudDatabase
    try await database.save(zone)
  }

  /// A record on two devices.
  private func note() async throws -> (mine: CKRecord, theirs: CKRecord) {
    let mine = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    mine["title"] = "Milk"
    mine["body"] = "old"
    mine["place"] = "here"
    mine.encryptedValues["secret"] = "old"
    try await database.save(mine)
    return (mine, try await database.record(for: mine.recordID))
  }

  private func saveChanges(of record: CKRecord) async throws {
    let results = try await database.modifyRecords(
      saving: [record], deleting: [], savePolicy: .changedKeys)
    for result in results.saveResults.values { _ = try result.get() }
  }

  @Test func `Unchanged fields take the server's values`() async throws {
    let (mine, theirs) = try await note()
    theirs["body"] = "of the other device"
    theirs["place"] = nil as String?
    theirs["stars"] = 3
    theirs.encryptedValues["secret"] = "new"
    try await database.save(theirs)
    mine["title"] = "Bread"
    try await saveChanges(of: mine)
    #expect(mine["title"] == "Bread" && mine["body"] == "of the other device")
    #expect(mine.allKeys() == ["body", "title"] && mine.changedKeys().isEmpty)
    #expect(mine.encryptedValues["secret"] == "new")
    mine["body"] = "\(mine["body"] as String? ?? "") and of mine"
    try await database.save(mine)
    let there = try await database.record(for: mine.recordID)
    #expect(there["body"] == "of the other device and of mine" && there["stars"] == 3)
  }

  @Test func `The server's fields are the ancestor of a later conflict`() async throws {
    let (mine, theirs) = try await note()
    theirs["body"] = "v2"
    try await database.save(theirs)
    mine["title"] = "Bread"
    try await saveChanges(of: mine)
    theirs["body"] = "v3"
    try await saveChanges(of: theirs)
    mine["body"] = "mine"
    let conflict = await #expect(throws: CKError.self) { try await database.save(mine) }
    #expect(conflict?.code == .serverRecordChanged)
    #expect(
      conflict?.ancestorRecord?["body"] == "v2" && conflict?.ancestorRecord?["title"] == "Bread")
    #expect(conflict?.serverRecord?["body"] == "v3")
  }

  @Test func `Fields set during a save stay, with the server's values as the ancestor`()
    async throws
  {
    let (mine, theirs) = try await note()
    theirs["body"] = "v2"
    try await database.save(theirs)
    mine["title"] = "Bread"
    cloud.between.withLock { $0 = { if $0 == "records/modify" { mine["body"] = "mine" } } }
    try await saveChanges(of: mine)
    cloud.between.withLock { $0 = { _ in } }
    #expect(mine["body"] == "mine" && mine.changedKeys() == ["body"])
    theirs["body"] = "v3"
    try await saveChanges(of: theirs)
    let conflict = await #expect(throws: CKError.self) { try await database.save(mine) }
    #expect(conflict?.ancestorRecord?["body"] == "v2")
  }

  /// The answer is lost, and another device saves the same fields before the request is repeated.
  ///
  /// The request is reported as done, with the other device's version.
  @Test func `Fields are those of the version that a retried request finds`() async throws {
    let (mine, _) = try await note()
    let others = database
    let count = Mutex(0)
    let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)
    cloud.injectedFault.withLock {
      $0 = { operation in
        guard operation == "records/modify" else { return .none }
        return count.withLock { $0 == 1 } ? .answerLost(lost) : .none
      }
    }
    cloud.between.withLock {
      $0 = { operation in
        guard operation == "records/modify" else { return }
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number == 2 else { return }
        do {
          let theirs = try await others.record(for: mine.recordID)
          theirs["title"] = "Wine"
          theirs.encryptedValues["secret"] = "of the other device"
          try await others.save(theirs)
        } catch { Issue.record(error) }
      }
    }
    mine["title"] = "Bread"
    mine["body"] = "new"
    mine.encryptedValues["secret"] = "new"
    try await database.save(mine)
    #expect(mine["title"] == "Wine" && mine["body"] == "new" && mine.changedKeys().isEmpty)
    #expect(mine.encryptedValues["secret"] == "of the other device")
    // The record has the tag of the server's version.
    mine["body"] = "newer"
    try await database.save(mine)
    #expect(try await database.record(for: mine.recordID)["title"] == "Wine")
  }

  /// The answer is lost, and another device saves another field before the record is looked up.
  @Test func `Fields are those of the version that counts as done`() async throws {
    let (mine, _) = try await note()
    let others = database
    let loss = Mutex(true)
    let look = Mutex(true)
    let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)
    cloud.injectedFault.withLock {
      $0 = { operation in
        guard operation == "records/modify" else { return .none }
        return loss.withLock { isFirst in
          defer { isFirst = false }
          return isFirst ? .answerLost(lost) : .none
        }
      }
    }
    cloud.between.withLock {
      $0 = { operation in
        let isFirst = look.withLock { isFirst in
          defer { if operation == "records/lookup" { isFirst = false } }
          return isFirst && operation == "records/lookup"
        }
        guard isFirst else { return }
        do {
          let theirs = try await others.record(for: mine.recordID)
          theirs["body"] = "v2"
          try await others.save(theirs)
        } catch { Issue.record(error) }
      }
    }
    mine["title"] = "Bread"
    try await saveChanges(of: mine)
    #expect(mine["body"] == "v2" && mine["title"] == "Bread")
  }
}
