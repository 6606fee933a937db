import CloudKitClient
import Foundation
import TestSupport
import Testing

@Suite("Shares over bad networks", .blockingThreads, .endsAtAll)
struct ShareTrialTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")
  private var recordID: CKRecord.ID { CKRecord.ID(recordName: "one", zoneID: zoneID) }
  private var shareID: CKRecord.ID { CKRecord.ID(recordName: "share", zoneID: zoneID) }

  private func run(_ trial: NetworkTrial) async throws {
    try await trial.runThroughEverything(and: [.duplicate(answering: .second)])
  }

  // MARK: Operations

  private func prepare(_ devices: DistantCloud.Devices) async throws {
    try await devices.ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
  }

  /// Ada shares a note with Grace.
  private func share(_ devices: DistantCloud.Devices) async throws {
    let record = CKRecord(recordType: "Note", recordID: recordID)
    record["title"] = "Ada's"
    let share = CKShare(rootRecord: record, shareID: shareID)
    share.publicPermission = .none
    let grace = try await devices.ada.shareParticipant(
      forUserRecordID: try await devices.grace.userRecordID())
    grace.permission = .readWrite
    share.addParticipant(grace)
    let results = try await devices.ada.privateCloudDatabase.modifyRecords(
      saving: [record, share], deleting: []
    )
    .saveResults
    for result in results.values { _ = try result.get() }
    share["title"] = "Ours"
    try await devices.ada.privateCloudDatabase.save(share)
  }

  /// Grace accepts, and changes the note.
  private func accept(_ devices: DistantCloud.Devices) async throws {
    let share = try #require(
      try await devices.adasOther.privateCloudDatabase.record(for: shareID) as? CKShare)
    let metadata = try await devices.grace.shareMetadata(for: try #require(share.url))
    try await devices.grace.accept(metadata)
    let database = devices.grace.sharedCloudDatabase
    let record = try await database.record(
      for: CKRecord.ID(recordName: recordID.recordName, zoneID: metadata.share.recordID.zoneID))
    record["title"] = "Grace's"
    try await database.save(record)
  }

  /// Grace leaves.
  private func leave(_ devices: DistantCloud.Devices) async throws {
    let database = devices.grace.sharedCloudDatabase
    let zone = try #require(try await database.allRecordZones().first)
    try await database.deleteRecord(
      withID: CKRecord.ID(recordName: shareID.recordName, zoneID: zone.zoneID))
  }

  private func shareSeenByAda(_ devices: DistantCloud.Devices) async throws -> CKShare? {
    try await devices.adasOther.privateCloudDatabase.record(for: shareID) as? CKShare
  }

  // MARK: Trials

  @Test func `Shares are saved once, with their invitations`() async throws {
    try await run(
      NetworkTrial(prepare: prepare, act: share) { devices, when in
        let share = try await shareSeenByAda(devices)
        #expect(share?["title"] == "Ours", when)
        #expect(share?.participants.map(\.role) == [.owner, .privateUser], when)
        #expect(share?.participants.last?.permission == .readWrite, when)
        let changes = try await devices.adasOther.privateCloudDatabase.recordZoneChanges(
          inZoneWith: zoneID, since: nil)
        #expect(Set(changes.modificationResultsByID.keys) == [recordID, shareID], when)
      })
  }

  @Test func `Shares are accepted once`() async throws {
    try await run(
      NetworkTrial(
        prepare: {
          try await prepare($0)
          try await share($0)
        }, act: accept
      ) { devices, when in
        let participants = try await shareSeenByAda(devices)?.participants
        #expect(participants?.map(\.acceptanceStatus) == [.accepted, .accepted], when)
        let zones = try await devices.grace.sharedCloudDatabase.allRecordZones()
        #expect(zones.count == 1, when)
        let record = try await devices.ada.privateCloudDatabase.record(for: recordID)
        #expect(record["title"] == "Grace's", when)
      })
  }

  @Test func `Shares are left once`() async throws {
    try await run(
      NetworkTrial(
        prepare: {
          try await prepare($0)
          try await share($0)
          try await accept($0)
        }, act: leave
      ) { devices, when in
        let zones = try await devices.grace.sharedCloudDatabase.allRecordZones()
        #expect(zones.isEmpty, when)
        let statuses = try await shareSeenByAda(devices)?.participants.map(\.acceptanceStatus)
        #expect(statuses?.filter { $0 == .accepted }.count == 1, when)
        let record = try await devices.ada.privateCloudDatabase.record(for: recordID)
        #expect(record["title"] == "Grace's", when)
      })
  }

  @Test func `Removing a participant closes a share to them once`() async throws {
    try await run(
      NetworkTrial(
        prepare: {
          try await prepare($0)
          try await share($0)
          try await accept($0)
        },
        act: { devices in
          let share = try #require(
            try await devices.ada.privateCloudDatabase.record(for: shareID) as? CKShare)
          share.removeParticipant(try #require(share.participants.last))
          try await devices.ada.privateCloudDatabase.save(share)
        }
      ) { devices, when in
        let zones = try await devices.grace.sharedCloudDatabase.allRecordZones()
        #expect(zones.isEmpty, when)
        let share = try await shareSeenByAda(devices)
        #expect(share?.participants.map(\.role) == [.owner], when)
      })
  }

  @Test func `Shares of whole zones are saved, accepted and ended once`() async throws {
    let zoneShareID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID)
    try await run(
      NetworkTrial(
        prepare: prepare,
        act: { devices in
          let share = CKShare(recordZoneID: zoneID)
          share.publicPermission = .readOnly
          try await devices.ada.privateCloudDatabase.save(share)
          try await devices.grace.accept(
            try await devices.grace.shareMetadata(for: try #require(share.url)))
          let zones = try await devices.grace.sharedCloudDatabase.allRecordZones()
          #expect(zones.count == 1)
          try await devices.ada.privateCloudDatabase.deleteRecord(withID: zoneShareID)
        }
      ) { devices, when in
        let zones = try await devices.grace.sharedCloudDatabase.allRecordZones()
        #expect(zones.isEmpty, when)
        let error = await #expect(throws: CKError.self, when) {
          try await devices.adasOther.privateCloudDatabase.record(for: zoneShareID)
        }
        #expect(error?.code == .unknownItem, when)
      })
  }
}
