import ClientTestSupport
import CloudEncryption
import CloudKitClient
import CloudRecords
import CloudWire
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Encrypted values through the API, with the real server.
///
/// Two devices of a user are two containers with their own keys.
struct EncryptionTests {
  private let cloud: WatchedCloud
  private let zone = CKRecordZone(zoneName: "Secrets")

  init() async throws { cloud = try await WatchedCloud() }

  private func contact(_ phone: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    record["name"] = "Anna"
    record.encryptedValues["phone"] = phone
    return record
  }

  @Test func `An encrypted value comes back, and the server has only the sealed one`() async throws
  {
    let anna = cloud.container("anna")
    try await anna.privateCloudDatabase.save(zone)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    #expect(
      record.encryptedValues.changedKeys().isEmpty && record.encryptedValues["phone"] == "555-0100")
    let fetched = try await anna.privateCloudDatabase.record(for: record.recordID)
    #expect(fetched["name"] == "Anna" && fetched.encryptedValues["phone"] == "555-0100")
    let seen = cloud.bodies.withLock(\.self)
    #expect(!seen.contains { $0.contains("555-0100") })
  }

  @Test func `A field that changes from plain to encrypted is sent once`() async throws {
    let anna = cloud.container("anna")
    try await anna.privateCloudDatabase.save(zone)
    let record = contact("555-0100")
    record["address"] = "Vienna"
    record["address"] = nil
    record.encryptedValues["address"] = "Vienna"
    try await anna.privateCloudDatabase.save(record)
    #expect(record.changedKeys().isEmpty && record.encryptedValues.changedKeys().isEmpty)
    let fetched = try await anna.privateCloudDatabase.record(for: record.recordID)
    #expect(fetched.allKeys() == ["name"] && fetched.encryptedValues["address"] == "Vienna")
  }

  @Test func `Requests about keys keep the limits of their operation`() async throws {
    let container = cloud.container("anna")
    try await container.privateCloudDatabase.save(zone)
    cloud.idleLimits.withLock { $0 = [] }
    cloud.limits.withLock { $0 = [] }
    let save = CKModifyRecordsOperation(recordsToSave: [contact("555-0100")])
    save.configuration.timeoutIntervalForRequest = 7
    save.configuration.timeoutIntervalForResource = 600
    #expect(await finish(save, container.privateCloudDatabase) == nil)
    let asked = cloud.idleLimits.withLock(\.self)
    #expect(asked.contains { $0.operation.hasPrefix("keyBags/") })
    #expect(asked.allSatisfy { $0.limit == .seconds(7) }, "\(asked)")
    #expect(cloud.limits.withLock { $0.allSatisfy { $0 == .seconds(600) } })
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 9
    cloud.idleLimits.withLock { $0 = [] }
    _ = try await container.configuredWith(configuration: configuration) {
      try await $0.encryption.renewRecoveryCode()
    }
    let other = cloud.idleLimits.withLock(\.self)
    #expect(!other.isEmpty && other.allSatisfy { $0.limit == .seconds(9) }, "\(other)")
  }

  @Test func `Another device needs the recovery code`() async throws {
    let (first, second) = (cloud.container("anna"), cloud.container("anna"))
    try await first.privateCloudDatabase.save(zone)
    guard case .readyWithNewKeys(let code) = try await first.encryption.status() else {
      Issue.record("The first device made no keys.")
      return
    }
    let record = try await first.privateCloudDatabase.save(contact("555-0100"))
    #expect(try await second.encryption.status() == .needsApproval)
    await #expect { try await second.privateCloudDatabase.record(for: record.recordID) } throws: {
      CKError.accountTemporarilyUnavailable ~= $0
    }
    await #expect { try await second.encryption.recover(with: "nonsense") } throws: {
      CKError.invalidArguments ~= $0
    }
    try await second.encryption.recover(with: code.lowercased())
    #expect(try await second.encryption.status() == .ready)
    let fetched = try await second.privateCloudDatabase.record(for: record.recordID)
    #expect(fetched.encryptedValues["phone"] == "555-0100")
  }

  @Test func `Programs with one account folder have the same keys`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (first, second) = (
      try cloud.container("anna", folder: folder), try cloud.container("anna", folder: folder)
    )
    try await first.privateCloudDatabase.save(zone)
    let record = try await first.privateCloudDatabase.save(contact("555-0100"))
    #expect(try await second.encryption.status() != .needsApproval)
    let fetched = try await second.privateCloudDatabase.record(for: record.recordID)
    #expect(fetched.encryptedValues["phone"] == "555-0100")
    let mode =
      try FileManager.default.attributesOfItem(atPath: folder.path + "/keys")[.posixPermissions]
      as? Int
    #expect(mode == 0o700)
  }

  @Test(arguments: [true, false]) func `A participant of a share reads its encrypted values`(
    _ isOfZone: Bool
  )
    async throws
  {
    let (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    _ = try await bob.encryption.status()
    try await anna.privateCloudDatabase.save(zone)
    let record = contact("555-0100")
    let share = isOfZone ? CKShare(recordZoneID: zone.zoneID) : CKShare(rootRecord: record)
    share.publicPermission = .none
    let guest = try await anna.shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
    guest.permission = .readWrite
    share.addParticipant(guest)
    record.encryptedValues["phone"] = nil
    _ = try await anna.privateCloudDatabase.modifyRecords(saving: [record, share], deleting: [])
      .saveResults.mapValues { try $0.get() }
    record.encryptedValues["phone"] = "555-0100"
    try await anna.privateCloudDatabase.save(record)
    let metadata = try await bob.shareMetadata(for: try #require(share.url))
    try await bob.accept(metadata)
    let zoneID = CKRecordZone.ID(zoneName: "Secrets", ownerName: cloud.name("anna"))
    let theirs = try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "one", zoneID: zoneID))
    #expect(theirs.encryptedValues["phone"] == "555-0100")
    theirs.encryptedValues["phone"] = "777"
    try await bob.sharedCloudDatabase.save(theirs)
    #expect(
      try await anna.privateCloudDatabase.record(for: record.recordID).encryptedValues["phone"]
        == "777")
  }

  /// A share of the whole zone or one record, in which Bob participates.
  private func share(
    _ record: CKRecord, ofZone isOfZone: Bool, _ anna: CKContainer, _ bob: CKContainer
  ) async throws
    -> (CKShare, CKShare.Participant)
  {
    let share = isOfZone ? CKShare(recordZoneID: zone.zoneID) : CKShare(rootRecord: record)
    share.publicPermission = .none
    let guest = try await anna.shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
    guest.permission = .readWrite
    share.addParticipant(guest)
    _ = try await anna.privateCloudDatabase.modifyRecords(
      saving: isOfZone ? [share] : [record, share], deleting: []
    ).saveResults.mapValues { try $0.get() }
    return (share, guest)
  }

  /// The encrypted value on the server.
  private func sealed(_ recordID: CKRecord.ID, _ container: CKContainer) async throws -> FieldValue?
  {
    try await stored(recordID, container)?.fields["phone"]?.value
  }

  /// The record on the server.
  private func stored(_ recordID: CKRecord.ID, _ container: CKContainer) async throws
    -> CloudRecord?
  {
    var request = RecordsLookupRequest()
    request.records = [
      .init(
        recordName: recordID.recordName, zone: ZoneReference(zoneName: recordID.zoneID.zoneName))
    ]
    let answer = try await container.session().call(request, .private).records.first
    guard case .record(let shown)? = answer else { return nil }
    return shown.record
  }

  @Test(arguments: [true, false]) func `Existing values are sealed again when a participant leaves`(
    _ isOfZone: Bool
  )
    async throws
  {
    let (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    _ = try await bob.encryption.status()
    try await anna.privateCloudDatabase.save(zone)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    let (share, guest) = try await share(record, ofZone: isOfZone, anna, bob)
    record.encryptedValues["phone"] = "556"
    try await anna.privateCloudDatabase.save(record)
    let before = try await sealed(record.recordID, anna)
    share.removeParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
    let after = try await sealed(record.recordID, anna)
    #expect(before != nil && after != nil && before != after)
    #expect(
      try await anna.privateCloudDatabase.record(for: record.recordID).encryptedValues["phone"]
        == "556")
    // The next save does not reseal again.
    try await anna.privateCloudDatabase.save(
      CKRecord(recordType: "Plain", recordID: .init(zoneID: zone.zoneID)))
    #expect(try await sealed(record.recordID, anna) == after)
  }

  /// Saves a record whose encrypted value was sealed for another record.
  private func saveDamaged(_ value: FieldValue, _ container: CKContainer) async throws {
    var input = RecordInput()
    (input.recordName, input.recordType) = ("damaged", "Contact")
    input.fields = [
      .init(name: "phone", field: FieldInput(.stated(value), isOpaqueCiphertext: true))
    ]
    var request = RecordsModifyRequest()
    request.zone = ZoneReference(zoneName: zone.zoneID.zoneName)
    request.operations = [RecordOperation(.create, input)]
    let answer = try await container.session().call(request, .private).records.first
    guard case .record? = answer else {
      Issue.record("The record was not saved: \(answer as Any)")
      return
    }
  }

  @Test func `A damaged value does not stop the resealing of other records`() async throws {
    let (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    _ = try await bob.encryption.status()
    try await anna.privateCloudDatabase.save(zone)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    let (share, guest) = try await share(record, ofZone: true, anna, bob)
    record.encryptedValues["phone"] = "556"
    try await anna.privateCloudDatabase.save(record)
    let before = try #require(try await sealed(record.recordID, anna))
    try await saveDamaged(before, anna)
    share.removeParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
    #expect(try await sealed(record.recordID, anna) != before)
    #expect(try await anna.session().vault.engine().scopesToReseal().isEmpty)
    // The next save does not reseal again.
    cloud.asked.withLock { $0 = [] }
    try await anna.privateCloudDatabase.save(
      CKRecord(recordType: "Plain", recordID: .init(zoneID: zone.zoneID)))
    #expect(cloud.asked.withLock { !$0.contains("changes/zone") })
  }

  @Test func `A zone with a value whose key may arrive is resealed again by the next process`()
    async throws
  {
    // A user of the same name with other keys.
    let stranger = try await WatchedCloud().container("anna")
    try await stranger.privateCloudDatabase.save(zone)
    let foreign = try await stranger.privateCloudDatabase.save(contact("555-0199"))
    let unknown = try #require(try await sealed(foreign.recordID, stranger))
    let (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    _ = try await bob.encryption.status()
    try await anna.privateCloudDatabase.save(zone)
    // The server accepts unknown keys only while the zone has none.
    try await saveDamaged(unknown, anna)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    let (share, guest) = try await share(record, ofZone: true, anna, bob)
    let before = try #require(try await sealed(record.recordID, anna))
    share.removeParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
    #expect(try await sealed(record.recordID, anna) != before)
    #expect(try await anna.session().vault.engine().scopesToReseal().count == 1)
    // This process does not list the zone again.
    cloud.asked.withLock { $0 = [] }
    try await anna.privateCloudDatabase.save(
      CKRecord(recordType: "Plain", recordID: .init(zoneID: zone.zoneID)))
    #expect(cloud.asked.withLock { !$0.contains("changes/zone") })
  }

  @Test(arguments: [true, false])
  func `Values that were already encrypted can be read once they are shared`(
    _ isChanged: Bool
  )
    async throws
  {
    let (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    _ = try await bob.encryption.status()
    try await anna.privateCloudDatabase.save(zone)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    let child = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: "child", zoneID: zone.zoneID))
    child.setParent(record)
    child.encryptedValues["phone"] = "777"
    try await anna.privateCloudDatabase.save(child)
    if isChanged { record.encryptedValues["phone"] = "556" }
    let (share, _) = try await share(record, ofZone: false, anna, bob)
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    let zoneID = CKRecordZone.ID(zoneName: "Secrets", ownerName: cloud.name("anna"))
    for (name, phone) in [("one", isChanged ? "556" : "555-0100"), ("child", "777")] {
      let theirs = try await bob.sharedCloudDatabase.record(
        for: CKRecord.ID(recordName: name, zoneID: zoneID))
      #expect(theirs.encryptedValues["phone"] == phone)
    }
    // The program's own object is up to date.
    record.encryptedValues["phone"] = "557"
    try await anna.privateCloudDatabase.save(record)
  }

  @Test func `Existing values are sealed again when a share is deleted`() async throws {
    let (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    _ = try await bob.encryption.status()
    try await anna.privateCloudDatabase.save(zone)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    let (share, _) = try await share(record, ofZone: true, anna, bob)
    let before = try await sealed(record.recordID, anna)
    try await anna.privateCloudDatabase.deleteRecord(withID: share.recordID)
    #expect(try await sealed(record.recordID, anna) != before)
    #expect(
      try await anna.privateCloudDatabase.record(for: record.recordID).encryptedValues["phone"]
        == "555-0100")
  }

  @Test func `Keys of a deleted zone are removed`() async throws {
    let anna = cloud.container("anna")
    try await anna.privateCloudDatabase.save(zone)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    let former = try #require(try await stored(record.recordID, anna))
    try await anna.privateCloudDatabase.deleteRecordZone(withID: zone.zoneID)
    try await anna.privateCloudDatabase.save(zone)
    try await anna.privateCloudDatabase.save(contact("555-0100"))
    let engine = try await anna.session().vault.engine()
    await #expect(throws: EncryptionError.self) { try await engine.open(former) }
  }

  @Test func `Two users see the same digits and confirm only those`() async throws {
    let (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    let (annasID, bobsID) = (
      CKRecord.ID(recordName: cloud.name("anna")), CKRecord.ID(recordName: cloud.name("bob"))
    )
    _ = try await anna.encryption.status()
    await #expect { try await anna.encryption.safetyNumber(with: bobsID) } throws: {
      CKError.unknownItem ~= $0
    }
    _ = try await bob.encryption.status()
    let digits = try await anna.encryption.safetyNumber(with: bobsID)
    #expect(try await bob.encryption.safetyNumber(with: annasID) == digits)
    #expect(digits.split(separator: " ").count == 12)
    try await anna.encryption.confirm(safetyNumber: digits, with: bobsID)
    await #expect {
      try await anna.encryption.confirm(safetyNumber: "1 2 3", with: bobsID)
    } throws: {
      CKError.permissionFailure ~= $0
    }
  }

  @Test func `A zone with abandoned keys is reported`() async throws {
    let anna = cloud.container("anna")
    try await anna.privateCloudDatabase.save(zone)
    let record = try await anna.privateCloudDatabase.save(contact("555-0100"))
    try await anna.encryption.reset(zone.zoneID)
    let error = await #expect(throws: CKError.self) {
      try await anna.privateCloudDatabase.record(for: record.recordID)
    }
    #expect(error?.code == .zoneNotFound)
    #expect(error?.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
  }

  @Test func `A user without a device or code starts over, and former devices are notified`()
    async throws
  {
    let (former, idle, new) = (
      cloud.container("anna"), cloud.container("anna"), cloud.container("anna")
    )
    guard case .readyWithNewKeys(let formerCode) = try await former.encryption.status() else {
      Issue.record("The first device made no keys.")
      return
    }
    try await former.privateCloudDatabase.save(zone)
    try await former.privateCloudDatabase.save(contact("555-0100"))
    let loose = CKRecord(recordType: "Contact", recordID: CKRecord.ID(recordName: "loose"))
    loose.encryptedValues["phone"] = "556"
    try await former.privateCloudDatabase.save(loose)
    try await idle.encryption.recover(with: formerCode)

    #expect(try await new.encryption.status() == .needsApproval)
    let code = try await new.encryption.resetAll()
    #expect(code != formerCode)
    #expect(try await new.encryption.status() == .ready)
    #expect(try await new.encryption.recoveryCode() == code)
    try await new.privateCloudDatabase.save(zone)
    let record = try await new.privateCloudDatabase.save(contact("777"))
    #expect(
      try await new.privateCloudDatabase.record(for: record.recordID).encryptedValues["phone"]
        == "777")
    // The default zone stays, with records that can no longer be opened.
    await #expect(throws: CKError.self) {
      try await new.privateCloudDatabase.record(for: loose.recordID)
    }
    let other = CKRecord(recordType: "Contact", recordID: CKRecord.ID(recordName: "other"))
    other.encryptedValues["phone"] = "778"
    try await new.privateCloudDatabase.save(other)
    #expect(
      try await new.privateCloudDatabase.record(for: other.recordID).encryptedValues["phone"]
        == "778")

    await #expect { try await idle.encryption.status() } throws: {
      CKError.accountTemporarilyUnavailable ~= $0
    }
    await #expect { try await former.encryption.recover(with: formerCode) } throws: {
      CKError.invalidArguments ~= $0
    }
    for device in [former, idle] {
      try await device.encryption.recover(with: code)
      #expect(try await device.encryption.status() == .ready)
      #expect(
        try await device.privateCloudDatabase.record(for: record.recordID).encryptedValues["phone"]
          == "777")
    }
  }

  @Test func `A running device learns of a full reset before it seals again`() async throws {
    let (former, new) = (cloud.container("anna"), cloud.container("anna"))
    try await former.privateCloudDatabase.save(zone)
    try await former.privateCloudDatabase.save(contact("555-0100"))
    _ = try await new.encryption.resetAll()
    await #expect {
      try await former.privateCloudDatabase.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    } throws: {
      ($0 as? CKError)?.userInfo[CKErrorUserDidResetEncryptedDataKey] != nil
    }
    try await former.privateCloudDatabase.save(zone)
    await #expect { try await former.privateCloudDatabase.save(contact("556")) } throws: {
      CKError.accountTemporarilyUnavailable ~= $0
    }
    // The new device still seals and opens values.
    let record = try await new.privateCloudDatabase.save(contact("777"))
    #expect(
      try await new.privateCloudDatabase.record(for: record.recordID).encryptedValues["phone"]
        == "777")
  }

  @Test func `A running device learns of a full reset from a recreated zone`() async throws {
    let (former, new) = (cloud.container("anna"), cloud.container("anna"))
    try await former.privateCloudDatabase.save(zone)
    try await former.privateCloudDatabase.save(contact("555-0100"))
    let changes = try await former.privateCloudDatabase.recordZoneChanges(
      inZoneWith: zone.zoneID, since: nil)
    _ = try await new.encryption.resetAll()
    try await new.privateCloudDatabase.save(zone)
    let record = try await new.privateCloudDatabase.save(contact("777"))
    await #expect {
      try await former.privateCloudDatabase.recordZoneChanges(
        inZoneWith: zone.zoneID, since: changes.changeToken)
    } throws: {
      CKError.changeTokenExpired ~= $0
    }
    let late = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: "two", zoneID: zone.zoneID))
    late.encryptedValues["phone"] = "556"
    await #expect { try await former.privateCloudDatabase.save(late) } throws: {
      CKError.accountTemporarilyUnavailable ~= $0
    }
    #expect(
      try await new.privateCloudDatabase.record(for: record.recordID).encryptedValues["phone"]
        == "777")
  }

  @Test(arguments: [false, true])
  func `A device that only saves learns of a full reset before it seals again`(
    _ isInFile: Bool
  ) async throws {
    try await withTemporaryDirectory { folder in
      let (former, new) = (cloud.container("anna"), cloud.container("anna"))
      try await former.privateCloudDatabase.save(zone)
      try await former.privateCloudDatabase.save(contact("555-0100"))
      let code = try await new.encryption.resetAll()
      try await new.privateCloudDatabase.save(zone)
      let late = CKRecord(
        recordType: "Contact", recordID: CKRecord.ID(recordName: "two", zoneID: zone.zoneID))
      if isInFile {
        let file = folder.appendingPathComponent("file")
        try Data("556".utf8).write(to: file)
        late["file"] = CKAsset(sealing: file)
      } else {
        late.encryptedValues["phone"] = "556"
      }
      await #expect { try await former.privateCloudDatabase.save(late) } throws: {
        CKError.accountTemporarilyUnavailable ~= $0
      }
      await #expect { try await new.privateCloudDatabase.record(for: late.recordID) } throws: {
        CKError.unknownItem ~= $0
      }
      // Plain values need no keys.
      let plain = CKRecord(
        recordType: "Contact", recordID: CKRecord.ID(recordName: "three", zoneID: zone.zoneID))
      try await former.privateCloudDatabase.save(plain)
      try await former.encryption.recover(with: code)
      try await former.privateCloudDatabase.save(late)
      let fetched = try await new.privateCloudDatabase.openingFiles.record(for: late.recordID)
      if isInFile {
        let copy = try #require((fetched["file"] as CKAsset?)?.fileURL)
        let contents = try withExtendedLifetime(fetched) { try Data(contentsOf: copy) }
        #expect(contents == Data("556".utf8))
      } else {
        #expect(fetched.encryptedValues["phone"] == "556")
      }
    }
  }

  @Test(arguments: [false, true])
  func `Plain records are saved and deleted next to those sealed under former keys`(
    _ overwrites: Bool
  ) async throws {
    let (former, new) = (cloud.container("anna"), cloud.container("anna"))
    try await former.privateCloudDatabase.save(zone)
    try await former.privateCloudDatabase.save(contact("555-0100"))
    _ = try await new.encryption.resetAll()
    try await new.privateCloudDatabase.save(zone)
    let other = try await new.privateCloudDatabase.save(CKRecordZone(zoneName: "Other"))
    let goes = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: "goes", zoneID: zone.zoneID))
    try await new.privateCloudDatabase.save(goes)
    func made(_ name: String, _ zone: CKRecordZone.ID) -> CKRecord {
      CKRecord(recordType: "Contact", recordID: CKRecord.ID(recordName: name, zoneID: zone))
    }
    let (sealed, plain, elsewhere) = (
      made("sealed", zone.zoneID), made("plain", zone.zoneID), made("elsewhere", other.zoneID)
    )
    sealed.encryptedValues["phone"] = "556"
    let policy =
      overwrites ? CKModifyRecordsOperation.RecordSavePolicy.allKeys : .ifServerRecordUnchanged
    let (saved, deleted) = try await former.privateCloudDatabase.modifyRecords(
      saving: [sealed, plain, elsewhere], deleting: [goes.recordID], savePolicy: policy,
      atomically: false)
    for (recordID, result) in saved where recordID != sealed.recordID {
      #expect(throws: Never.self) { try result.get() }
    }
    #expect(saved.count == 3)
    try deleted[goes.recordID]?.get()
    #expect(deleted.count == 1)
    #expect { try saved[sealed.recordID]?.get() } throws: {
      CKError.accountTemporarilyUnavailable ~= $0
    }
  }

  @Test func `A device that learns of a reset seals values that others can open`() async throws {
    let (first, second) = (cloud.container("anna"), cloud.container("anna"))
    try await first.privateCloudDatabase.save(zone)
    guard case .readyWithNewKeys(let code) = try await first.encryption.status() else {
      Issue.record("The first device made no keys.")
      return
    }
    try await first.privateCloudDatabase.save(contact("555-0100"))
    try await second.encryption.recover(with: code)
    try await second.encryption.reset(zone.zoneID)
    await #expect {
      try await first.privateCloudDatabase.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    } throws: {
      ($0 as? CKError)?.userInfo[CKErrorUserDidResetEncryptedDataKey] != nil
    }
    try await first.privateCloudDatabase.save(zone)
    let record = try await first.privateCloudDatabase.save(contact("555-0100"))
    let fetched = try await second.privateCloudDatabase.record(for: record.recordID)
    #expect(fetched.encryptedValues["phone"] == "555-0100")
  }

  @Test func `A device that learns of several resets at once removes the keys of each zone`()
    async throws
  {
    let (first, second) = (cloud.container("anna"), cloud.container("anna"))
    guard case .readyWithNewKeys(let code) = try await first.encryption.status() else {
      Issue.record("The first device made no keys.")
      return
    }
    let zones = [zone, CKRecordZone(zoneName: "More secrets")]
    let records = zones.map { zone in
      let record = CKRecord(
        recordType: "Contact", recordID: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
      record.encryptedValues["phone"] = "555-0100"
      return record
    }
    _ = try await first.privateCloudDatabase.modifyRecordZones(saving: zones, deleting: [])
    for record in records { try await first.privateCloudDatabase.save(record) }
    let token = try await first.privateCloudDatabase.databaseChanges(since: nil).changeToken
    try await second.encryption.recover(with: code)
    let engine = try await first.session().vault.engine()
    var former: [CloudRecord] = []
    for record in records { former.append(try #require(try await stored(record.recordID, first))) }
    for zone in zones { try await second.encryption.reset(zone.zoneID) }
    for record in former { _ = try await engine.open(record) }
    let received = try await first.privateCloudDatabase.databaseChanges(since: token)
    #expect(received.deletions.map(\.reason) == [.encryptedDataReset, .encryptedDataReset])
    for record in former {
      await #expect(throws: (any Error).self) { try await engine.open(record) }
    }
  }

  @Test func `The public database has no encrypted values`() async throws {
    let record = CKRecord(recordType: "Contact")
    record.encryptedValues["phone"] = "555-0100"
    await #expect { try await cloud.container("anna").publicCloudDatabase.save(record) } throws: {
      CKError.invalidArguments ~= $0
    }
  }
}
