import CloudKitClient
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Encrypted values over bad networks", .blockingThreads, .endsAtAll)
struct EncryptionTrialTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Secrets")
  private var recordID: CKRecord.ID { CKRecord.ID(recordName: "one", zoneID: zoneID) }

  private func contact(_ phone: String) -> CKRecord {
    let record = CKRecord(recordType: "Contact", recordID: recordID)
    record.encryptedValues["phone"] = phone
    return record
  }

  private func phone(_ container: CKContainer) async throws -> String? {
    try await container.privateCloudDatabase.record(for: recordID).encryptedValues["phone"]
  }

  private func run(_ trial: NetworkTrial) async throws {
    try await trial.runThroughEverything(and: [.duplicate(answering: .second)])
  }

  /// Ada's first device makes the keys and saves a value.
  ///
  /// Returns the recovery code.
  private func begin(_ devices: DistantCloud.Devices) async throws -> String? {
    try await devices.ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
    let status = try await devices.ada.encryption.status()
    try await devices.ada.privateCloudDatabase.save(contact("555"))
    if case .readyWithNewKeys(let code) = status { return code }
    return try await devices.ada.encryption.recoveryCode()
  }

  @Test func `One set of keys seals values, and the recovery code brings it to another device`()
    async throws
  {
    try await run(
      NetworkTrial(
        act: { devices in
          let code = try #require(try await begin(devices))
          try await devices.adasOther.encryption.recover(with: code)
          let record = try await devices.adasOther.privateCloudDatabase.record(for: recordID)
          #expect(record.encryptedValues["phone"] == "555")
          record.encryptedValues["phone"] = "777"
          try await devices.adasOther.privateCloudDatabase.save(record)
        },
        verify: { devices, when in
          for device in [devices.ada, devices.adasOther] {
            let (status, phone) = (try await device.encryption.status(), try await phone(device))
            #expect(status == .ready && phone == "777", when)
          }
        }))
  }

  @Test func `A device that another one approved opens the values`() async throws {
    try await run(
      NetworkTrial(
        prepare: { _ = try await begin($0) },
        act: { devices in
          let (known, new) = (devices.ada.encryption, devices.adasOther.encryption)
          let status = try await new.status()
          #expect(status == .needsApproval)
          try await new.requestApproval(deviceName: "Tablet")
          let waiting = try await known.waitingDevices()
          #expect(waiting.map(\.name) == ["Tablet"])
          let device = try #require(waiting.first)
          try await known.beginApproval(of: device)
          guard case .compare(let digits) = try await new.approvalProgress() else {
            Issue.record("The new device shows no digits.")
            return
          }
          try await known.approve(device, code: digits)
          let isReady = try await new.confirmDigits()
          #expect(isReady)
        },
        verify: { devices, when in
          let phone = try await phone(devices.adasOther)
          #expect(phone == "555", when)
          let waiting = try await devices.ada.encryption.waitingDevices()
          #expect(waiting.isEmpty, when)
        }))
  }

  @Test(arguments: [true, false])
  func `Participants of a share open the values, and removed ones do not`(
    isOfZone: Bool
  ) async throws {
    let shareID = CKRecord.ID(
      recordName: isOfZone ? CKRecordNameZoneWideShare : "share", zoneID: zoneID)
    try await run(
      NetworkTrial(
        prepare: { devices in
          _ = try await devices.grace.encryption.status()
          _ = try await begin(devices)
        },
        act: { devices in
          let database = devices.ada.privateCloudDatabase
          let record = try await database.record(for: recordID)
          let share =
            isOfZone ? CKShare(recordZoneID: zoneID) : CKShare(rootRecord: record, shareID: shareID)
          share.publicPermission = .none
          let grace = try await devices.ada.shareParticipant(
            forUserRecordID: try await devices.grace.userRecordID())
          grace.permission = .readWrite
          share.addParticipant(grace)
          let results = try await database.modifyRecords(
            saving: isOfZone ? [share] : [record, share], deleting: []
          )
          .saveResults
          for result in results.values { _ = try result.get() }
          record.encryptedValues["phone"] = "666"
          try await database.save(record)
          let metadata = try await devices.grace.shareMetadata(for: try #require(share.url))
          try await devices.grace.accept(metadata)
          let theirs = try await devices.grace.sharedCloudDatabase.record(
            for: CKRecord.ID(recordName: "one", zoneID: metadata.share.recordID.zoneID))
          #expect(theirs.encryptedValues["phone"] == "666")
          theirs.encryptedValues["phone"] = "777"
          try await devices.grace.sharedCloudDatabase.save(theirs)
          let latest = try #require(try await database.record(for: share.recordID) as? CKShare)
          latest.removeParticipant(try #require(latest.participants.last))
          try await database.save(latest)
        },
        verify: { devices, when in
          let phone = try await phone(devices.ada)
          #expect(phone == "777", when)
          let zones = try await devices.grace.sharedCloudDatabase.allRecordZones()
          #expect(zones.isEmpty, when)
          let share = try await devices.ada.privateCloudDatabase.record(for: shareID) as? CKShare
          #expect(share?.participants.count == 1, when)
        }))
  }

  @Test func `Keys are reset once, and new values are sealed afterwards`() async throws {
    try await run(
      NetworkTrial(
        prepare: { _ = try await begin($0) },
        act: { devices in
          try await devices.ada.encryption.reset(zoneID)
          try await devices.ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
          try await devices.ada.privateCloudDatabase.save(contact("777"))
        },
        verify: { devices, when in
          let phone = try await phone(devices.ada)
          #expect(phone == "777", when)
          let changes = try await devices.ada.privateCloudDatabase.recordZoneChanges(
            inZoneWith: zoneID, since: nil)
          #expect(changes.modificationResultsByID.count == 1, when)
        }))
  }
}
