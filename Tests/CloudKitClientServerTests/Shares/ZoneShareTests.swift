import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Testing

/// The references of zones to their shares, with the real server.
@Suite("Zone shares")
struct ZoneShareTests {
  private let anna: CKDatabase
  private let bob: CKContainer
  private let guest: CKShare.Participant
  private let zoneID = CKRecordZone.ID(zoneName: "Trips")

  init() async throws {
    let cloud = try await TestCloud()
    let container = try await cloud.signIn("anna@example.com").container
    anna = container.privateCloudDatabase
    bob = try await cloud.signIn("bob@example.com").container
    guest = try await container.shareParticipant(forEmailAddress: "bob@example.com")
    guest.permission = .readWrite
  }

  /// Shares a zone or a record of it and lets Bob accept.
  ///
  /// Returns the zone's identifier for Bob.
  private func share(_ share: CKShare, with root: CKRecord? = nil) async throws -> CKRecordZone.ID {
    share.addParticipant(guest)
    let saved = try await anna.modifyRecords(
      saving: [root, share].compactMap(\.self), deleting: [])
    for result in saved.saveResults.values { _ = try result.get() }
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    return try #require(try await bob.sharedCloudDatabase.allRecordZones().first).zoneID
  }

  /// The name of the share's record in each way of fetching the zone; nil if there is none.
  private func shares(of zoneID: CKRecordZone.ID, in database: CKDatabase) async throws -> Set<
    CKRecord.ID?
  > {
    let all = try await database.allRecordZones().first { $0.zoneID == zoneID }
    let one = try await database.recordZone(for: zoneID)
    let several = try #require(try await database.recordZones(for: [zoneID])[zoneID]).get()
    return [try #require(all).share?.recordID, one.share?.recordID, several.share?.recordID]
  }

  @Test func `The owner and the participants see a zone's share`() async throws {
    #expect(try await anna.save(CKRecordZone(zoneID: zoneID)).share == nil)
    #expect(try await shares(of: zoneID, in: anna) == [nil])
    let share = CKShare(recordZoneID: zoneID)
    let bobsName = try await self.share(share)
    #expect(try await shares(of: zoneID, in: anna) == [share.recordID])
    #expect(try await anna.save(CKRecordZone(zoneID: zoneID)).share?.recordID == share.recordID)
    let bobs = try #require(
      try await shares(of: bobsName, in: bob.sharedCloudDatabase).first ?? nil)
    #expect(bobs.zoneID == bobsName && bobsName.ownerName != CKCurrentUserDefaultName)
    #expect(try await bob.sharedCloudDatabase.record(for: bobs) is CKShare)
  }

  @Test func `A zone share is deleted with its record`() async throws {
    try await anna.save(CKRecordZone(zoneID: zoneID))
    let share = CKShare(recordZoneID: zoneID)
    _ = try await self.share(share)
    try await anna.deleteRecord(withID: share.recordID)
    #expect(try await shares(of: zoneID, in: anna) == [nil])
  }

  @Test func `A record's share is not a zone share`() async throws {
    try await anna.save(CKRecordZone(zoneID: zoneID))
    let root = CKRecord(
      recordType: "Trip", recordID: CKRecord.ID(recordName: "one", zoneID: zoneID))
    let bobsName = try await share(CKShare(rootRecord: root), with: root)
    #expect(try await shares(of: zoneID, in: anna) == [nil])
    #expect(try await shares(of: bobsName, in: bob.sharedCloudDatabase) == [nil])
  }
}
