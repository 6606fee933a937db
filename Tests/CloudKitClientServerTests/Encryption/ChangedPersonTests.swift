import ClientTestSupport
import CloudKitClient
import Foundation
import Testing
import WatchedClouds

/// People whose keys changed, and people without a confirmed safety number.
@Suite("Changed and unverified people")
struct ChangedPersonTests {
  private let cloud: WatchedCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let zone = CKRecordZone(zoneName: "Secrets")

  init() async throws {
    cloud = try await WatchedCloud()
    (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    try await anna.privateCloudDatabase.save(zone)
    _ = try await bob.encryption.status()
  }

  private var bobID: CKRecord.ID { CKRecord.ID(recordName: cloud.name("bob")) }

  private func contact(_ phone: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: phone, zoneID: zone.zoneID))
    record.encryptedValues["phone"] = phone
    return record
  }

  /// Anna invites Bob to the zone, and he joins.
  private func share() async throws -> CKShare {
    let share = CKShare(recordZoneID: zone.zoneID)
    share.addParticipant(try await anna.shareParticipant(forUserRecordID: bobID))
    let result = try await anna.privateCloudDatabase.save(share)
    let saved = try #require(result as? CKShare)
    let url = try #require(saved.url)
    try await bob.accept(try await bob.shareMetadata(for: url))
    return saved
  }

  private func phone(_ name: String) async throws -> String? {
    let zoneID = CKRecordZone.ID(zoneName: "Secrets", ownerName: cloud.name("anna"))
    return try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: name, zoneID: zoneID)
    ).encryptedValues["phone"]
  }

  @Test(arguments: [true, false])
  func `Nothing is sealed for a share while a person's keys have changed`(isConfirmed: Bool)
    async throws
  {
    let share = try await share()
    try await anna.privateCloudDatabase.save(contact("1"))
    _ = try await bob.encryption.resetAll()
    // The next save compares the keys, as after a change of the share.
    (try anna.session()).vault.markKeysUndelivered()
    for _ in 0..<2 {
      await #expect {
        _ = try await anna.privateCloudDatabase.save(contact("2"))
      } throws: { error in
        let people = (error as? CKError)?.peopleWithChangedKeys
        return CKError.permissionFailure ~= error && people == [bobID]
      }
    }
    let plain = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: "plain", zoneID: zone.zoneID))
    try await anna.privateCloudDatabase.save(plain)
    if isConfirmed {
      let person = try await anna.encryption.person(for: bobID)
      let digits = try #require(person.changedSafetyNumber)
      #expect(try await bob.encryption.person(for: annaID).safetyNumber == digits)
      try await anna.encryption.confirm(safetyNumber: digits, with: bobID)
      try await anna.privateCloudDatabase.save(contact("2"))
      #expect(try await phone("2") == "2")
    } else {
      let found = try await anna.privateCloudDatabase.record(for: share.recordID)
      let fetched = try #require(found as? CKShare)
      let guest = try #require(fetched.participants.last)
      fetched.removeParticipant(guest)
      try await anna.privateCloudDatabase.save(fetched)
      try await anna.privateCloudDatabase.save(contact("2"))
    }
  }

  private var annaID: CKRecord.ID { CKRecord.ID(recordName: cloud.name("anna")) }

  @Test func `With the strict policy, keys wait for the confirmation of the digits`() async throws {
    try await anna.encryption.setKeyPolicy(.verifiedOnly)
    #expect(try await anna.encryption.keyPolicy() == .verifiedOnly)
    try await anna.privateCloudDatabase.save(contact("1"))
    let share = try await share()
    let request = CKContainer.Encryption.KeyRequest(
      shareID: share.recordID, userRecordID: bobID)
    #expect(try await anna.encryption.keyRequests() == [request])
    await #expect { try await anna.encryption.allow(request) } throws: {
      CKError.permissionFailure ~= $0
    }
    await #expect { _ = try await phone("1") } throws: { CKError.permissionFailure ~= $0 }
    let digits = try await anna.encryption.safetyNumber(with: bobID)
    try await anna.encryption.confirm(safetyNumber: digits, with: bobID)
    #expect(try await anna.encryption.keyRequests().isEmpty)
    #expect(try await phone("1") == "1")
  }
}
