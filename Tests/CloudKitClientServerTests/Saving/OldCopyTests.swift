import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// Changes of old copies that are saved with `.changedKeys`.
@Suite("Forced saves of old copies")
struct OldCopyTests {
  private let cloud: WatchedCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let zone = CKRecordZone(zoneName: "Trips")
  private var database: CKDatabase { anna.privateCloudDatabase }

  init() async throws {
    cloud = try await WatchedCloud()
    (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    try await database.save(zone)
  }

  private func trip(_ name: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Trip", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    (record["title"], record["days"]) = ("Alps", 3)
    return record
  }

  private func saveChanges(of records: [CKRecord]) async throws -> [String: CKError.Code?] {
    let saved = try await database.modificationResults(saving: records, savePolicy: .changedKeys)
      .saveResults
    return Dictionary(
      uniqueKeysWithValues: saved.map { ($0.key.recordName, error($0.value)?.code) })
  }

  // MARK: Shares

  /// A share of a trip in its owner's program.
  private func share(_ permission: CKShare.ParticipantPermission = .none) async throws -> CKShare {
    let root = trip("root")
    let share = CKShare(rootRecord: root)
    share.publicPermission = permission
    _ = try await database.modifyRecords(saving: [root, share], deleting: [])
    return share
  }

  private func join(_ share: CKShare) async throws {
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
  }

  private func invite(_ name: String, to share: CKShare) async throws {
    let guest =
      name == "bob"
      ? try await anna.shareParticipant(forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
      : try await anna.shareParticipant(forEmailAddress: name)
    share.addParticipant(guest)
  }

  /// A newer copy of the share invites Bob, who joins.
  private func letJoin(_ share: CKShare) async throws {
    let theirs = try #require(try await database.record(for: share.recordID) as? CKShare)
    try await invite("bob", to: theirs)
    try await database.save(theirs)
    try await join(share)
  }

  /// The participants other than the owner.
  private func guests(_ share: CKRecord?) -> [String] {
    let participants = (share as? CKShare)?.participants ?? []
    return participants.filter { $0.role != .owner }.map { guest in
      guest.userIdentity.userRecordID?.recordName == cloud.name("bob") ? "bob" : "carol"
    }
    .sorted()
  }

  @Test func `A user who has joined since stays, and a user invited in the old copy is added`()
    async throws
  {
    let share = try await share()
    try await letJoin(share)
    _ = try await cloud.cloud.signIn("carol@example.com")
    try await invite("carol@example.com", to: share)
    share[CKShare.SystemFieldKey.title] = "A trip"
    #expect(try await saveChanges(of: [share]) == [share.recordID.recordName: nil])
    let there = try await database.record(for: share.recordID)
    #expect(guests(there) == ["bob", "carol"] && there[CKShare.SystemFieldKey.title] == "A trip")
    #expect(try await bob.sharedCloudDatabase.allRecordZones().count == 1)
    // The object now has the current participants.
    #expect(guests(share) == ["bob", "carol"] && share.changedKeys().isEmpty)
    let guest = try #require(
      share.participants.first { $0.acceptanceStatus == .accepted && $0.role != .owner })
    share.removeParticipant(guest)
    #expect(try await saveChanges(of: [share]) == [share.recordID.recordName: nil])
    #expect(guests(share) == ["carol"])
    #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
  }

  @Test func `A user removed from the old copy is removed, and one who has joined since stays`()
    async throws
  {
    let share = try await share()
    _ = try await cloud.cloud.signIn("carol@example.com")
    try await invite("carol@example.com", to: share)
    try await database.save(share)
    try await letJoin(share)
    share.removeParticipant(try #require(share.participants.last))
    #expect(try await saveChanges(of: [share]) == [share.recordID.recordName: nil])
    #expect(guests(share) == ["bob"])
  }

  @Test func `A user who joined an open share gets the old copy's public permission`() async throws
  {
    let share = try await share(.readWrite)
    try await join(share)
    share.publicPermission = .readOnly
    #expect(try await saveChanges(of: [share]) == [share.recordID.recordName: nil])
    #expect(guests(share) == ["bob"] && share.publicPermission == .readOnly)
    #expect(try await bob.sharedCloudDatabase.allRecordZones().count == 1)
  }

  @Test func `A user who joins while the share is looked up is not removed, and the save fails`()
    async throws
  {
    let share = try await share()
    _ = try await cloud.cloud.signIn("carol@example.com")
    try await invite("carol@example.com", to: share)
    let isFirst = Mutex(true)
    cloud.between.withLock {
      $0 = { operation in
        let isDue = isFirst.withLock { first in
          defer { if operation == "records/modify" { first = false } }
          return first && operation == "records/modify"
        }
        guard isDue else { return }
        do { try await letJoin(share) } catch { Issue.record(error) }
      }
    }
    let conflict = await #expect(throws: CKError.self) {
      try await database.modificationResults(saving: [share], savePolicy: .changedKeys).saveResults[
        share.recordID]?
        .get()
    }
    #expect(conflict?.code == .serverRecordChanged)
    #expect(guests(conflict?.serverRecord) == ["bob"])
    #expect(try await saveChanges(of: [share]) == [share.recordID.recordName: nil])
    #expect(guests(share) == ["bob", "carol"])
  }

  // MARK: Missing records

  @Test func `A missing record is not created from changes`() async throws {
    let (gone, other) = (trip("gone"), trip("other"))
    _ = try await database.modifyRecords(saving: [gone, other], deleting: [])
    try await database.deleteRecord(withID: gone.recordID)
    (gone["days"], other["days"]) = (4, 4)
    #expect(
      try await saveChanges(of: [gone, other]) == [
        "gone": .unknownItem, "other": .batchRequestFailed,
      ])
    await #expect { try await database.record(for: gone.recordID) } throws: {
      CKError.unknownItem ~= $0
    }
    // A record that was never saved is created, and all keys are saved on request.
    #expect(try await saveChanges(of: [trip("new")]) == ["new": nil])
    _ = try await database.modifyRecords(saving: [gone], deleting: [], savePolicy: .allKeys)
    let again = try await database.record(for: gone.recordID)
    #expect(again["title"] == "Alps" && again["days"] == 4)
  }

  @Test func `A missing share is not created again`() async throws {
    let share = try await share()
    try await database.deleteRecord(withID: share.recordID)
    try await invite("bob", to: share)
    #expect(try await saveChanges(of: [share]) == [share.recordID.recordName: .unknownItem])
  }

  @Test func `If another server rejects a save without a type, the client looks up the record`()
    async throws
  {
    let server = ForeignServer()
    let database = server.container().privateCloudDatabase
    let record = try await database.record(for: CKRecord.ID(recordName: "one"))
    record["title"] = "Milk"
    server.found.withLock { $0["other"] = "{}" }
    server.record.withLock {
      $0 = #"{"recordName":"one","serverErrorCode":"BAD_REQUEST","reason":"No type."}"#
    }
    func saved() async throws -> CKError? {
      error(
        try await database.modificationResults(saving: [record], savePolicy: .changedKeys)
          .saveResults[record.recordID])
    }
    #expect(try await saved()?.code == .unknownItem)
    let body = try #require(
      server.asked.withLock { $0.last { $0.operation == "records/modify" }?.body })
    #expect(body.contains("forceUpdate") && !body.contains("recordType"), "\(body)")
    server.found.withLock {
      $0["one"] = #"{"recordName":"one","recordType":"Note","recordChangeTag":"1","fields":{}}"#
    }
    let refusal = try await saved()
    #expect(refusal?.code == .invalidArguments && refusal?.localizedDescription == "No type.")
  }
}
