import ClientTestSupport
import CloudEncryption
import CloudKitClient
import CloudRecords
import CloudSyncEngine
import CloudWire
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// Keys that reach participants after they joined a share, and records that are moved into one.
@Suite("Keys for later participants")
struct LaterParticipantKeyTests {
  private let cloud: WatchedCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let zone = CKRecordZone(zoneName: "Secrets")

  init() async throws {
    cloud = try await WatchedCloud()
    (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    try await anna.privateCloudDatabase.save(zone)
  }

  private func contact(_ name: String, under parent: String? = nil, _ phone: String? = nil)
    -> CKRecord
  {
    let record = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = name
    if let phone { record.encryptedValues["phone"] = phone }
    if let parent { record.setParent(CKRecord.ID(recordName: parent, zoneID: zone.zoneID)) }
    return record
  }

  private func save(_ records: [CKRecord], _ container: CKContainer) async throws {
    let results = try await container.privateCloudDatabase.modifyRecords(
      saving: records, deleting: []
    ).saveResults
    for result in results.values { _ = try result.get() }
  }

  /// Anna shares a record with every user who has the URL.
  private func share(_ root: CKRecord, _ permission: CKShare.ParticipantPermission = .readWrite)
    async throws -> CKShare
  {
    let share = CKShare(rootRecord: root)
    share.publicPermission = permission
    try await save([root, share], anna)
    return share
  }

  private func join(_ share: CKShare) async throws {
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
  }

  /// A device of Anna's learns of the new participants, and she allows them.
  private func deliverKeys(of share: CKShare) async throws {
    _ = try await anna.privateCloudDatabase.record(for: share.recordID)
    try await allowAll(anna)
  }

  /// Allows all key requests.
  private func allowAll(_ container: CKContainer) async throws {
    await (try container.session()).vault.keyDeliveriesAreDone()
    for request in try await container.encryption.keyRequests() {
      try await container.encryption.allow(request)
    }
  }

  private func bobs(_ name: String) -> CKRecord.ID {
    CKRecord.ID(
      recordName: name,
      zoneID: CKRecordZone.ID(zoneName: zone.zoneID.zoneName, ownerName: cloud.name("anna")))
  }

  private func phone(_ name: String) async throws -> String? {
    try await bob.sharedCloudDatabase.record(for: bobs(name)).encryptedValues["phone"]
  }

  // MARK: Later participants

  @Test func `A participant who joins by URL gets keys once the owner allows it`() async throws {
    let share = try await share(contact("root", "555"))
    let token = try await anna.privateCloudDatabase.recordZoneChanges(
      inZoneWith: zone.zoneID, since: nil
    ).changeToken
    _ = try await bob.encryption.status()
    try await join(share)
    await #expect { _ = try await phone("root") } throws: { CKError.permissionFailure ~= $0 }
    _ = try await anna.privateCloudDatabase.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
    await (try anna.session()).vault.keyDeliveriesAreDone()
    let request = CKContainer.Encryption.KeyRequest(
      shareID: share.recordID, userRecordID: CKRecord.ID(recordName: cloud.name("bob")))
    #expect(try await anna.encryption.keyRequests() == [request])
    await #expect { _ = try await phone("root") } throws: { CKError.permissionFailure ~= $0 }
    try await anna.encryption.allow(request)
    #expect(try await anna.encryption.keyRequests().isEmpty)
    #expect(try await phone("root") == "555")
  }

  @Test func `The owner's next process finds the participants who joined meanwhile`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let former = try cloud.container("anna", folder: folder)
    let root = contact("root", "555")
    let own = CKShare(rootRecord: root)
    own.publicPermission = .readOnly
    try await save([root, own], former)
    _ = try await bob.encryption.status()
    try await join(own)
    let next = try cloud.container("anna", folder: folder)
    _ = try await next.privateCloudDatabase.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    try await allowAll(next)
    #expect(try await phone("root") == "555")
  }

  @Test func `An engine fetches unreadable values once the keys arrive`() async throws {
    let share = try await share(contact("root", "555"))
    let sealed = (0..<20).map { contact("a\($0)", under: "root", "556") }
    try await save([contact("open", under: "root")] + sealed, anna)
    let notesProgram = NotesProgram()
    var configuration = CKSyncEngine.Configuration(
      database: bob.sharedCloudDatabase, stateSerialization: nil, delegate: notesProgram)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    try await join(share)
    await #expect { try await engine.fetchChanges() } throws: { CKError.permissionFailure ~= $0 }
    #expect(
      notesProgram.titles.filter { !$0.hasPrefix("Share") && !$0.contains("-") } == ["open: open"])
    // The list of skipped records survives a launch.
    configuration = CKSyncEngine.Configuration(
      database: bob.sharedCloudDatabase, stateSerialization: notesProgram.kept,
      delegate: notesProgram)
    configuration.automaticallySync = false
    let later = CKSyncEngine(configuration)
    cloud.asked.withLock { $0 = [] }
    try await later.fetchChanges()
    #expect(notesProgram[bobs("root")] == nil)
    // Records with the same keys share one request for them.
    #expect(cloud.asked.withLock { $0.count { $0 == "keyBags/lookup" } } <= 2)
    try await deliverKeys(of: share)
    try await later.fetchChanges()
    #expect(notesProgram[bobs("root")]?.encryptedValues["phone"] == "555")
    #expect(
      sealed.allSatisfy {
        notesProgram[bobs($0.recordID.recordName)]?.encryptedValues["phone"] == "556"
      })
    cloud.asked.withLock { $0 = [] }
    try await later.fetchChanges()
    #expect(!cloud.asked.withLock { $0.contains("records/lookup") })
  }

  /// A copy of a share that a device fetches.
  private func fetched(_ share: CKShare, by container: CKContainer) async throws -> CKShare {
    let record = try await container.privateCloudDatabase.record(for: share.recordID)
    return try #require(record as? CKShare)
  }

  private func ring(of share: CKShare) async throws -> KeyRing? {
    let zone = RecordZoneIdentifier(
      zoneName: zone.zoneID.zoneName, ownerName: cloud.name("anna"))
    let engine = try await anna.session().vault.engine()
    return try await engine.localRing(
      of: KeyScope(zone: zone, shareName: share.recordID.recordName))
  }

  @Test func `A delivery for an older version of a share revokes no keys of a new person`()
    async throws
  {
    _ = try await bob.encryption.status()
    let share = try await share(contact("root", "555"), .none)
    let marked = try await anna.session().vault.engine().scopesToReseal()
    let other = cloud.container("anna")
    let others = try await fetched(share, by: other)
    others[CKShare.SystemFieldKey.title] = "Contacts"
    try await other.privateCloudDatabase.save(others)
    // The delivery after the next fetch waits while the program invites Bob.
    let held = AsyncStream.makeStream(of: Void.self)
    let released = AsyncStream.makeStream(of: Void.self)
    let isFirst = Mutex(true)
    cloud.between.withLock {
      $0 = { operation in
        guard operation == "keyBags/lookup",
          isFirst.withLock({ isFirst in
            defer { isFirst = false }
            return isFirst
          })
        else { return }
        held.continuation.finish()
        for await _ in released.stream {}
      }
    }
    let present = try await fetched(share, by: anna)
    for await _ in held.stream {}
    let guest = try await anna.shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
    present.addParticipant(guest)
    try await save([present], anna)
    released.continuation.finish()
    await (try anna.session()).vault.keyDeliveriesAreDone()
    let recipients = try await ring(of: share)?.recipients.map(\.userRecordName)
    #expect(recipients?.contains(cloud.name("bob")) == true)
    #expect(try await anna.session().vault.engine().scopesToReseal() == marked)
    try await join(share)
    #expect(try await phone("root") == "555")
  }

  @Test func `A role lets a person manage keys only once the owner's program saved it`()
    async throws
  {
    _ = try await bob.encryption.status()
    let root = contact("root", "555")
    let share = CKShare(rootRecord: root)
    share.addParticipant(
      try await anna.shareParticipant(
        forUserRecordID: CKRecord.ID(recordName: cloud.name("bob"))))
    try await save([root, share], anna)
    try await join(share)
    func setRole(_ role: CKShare.ParticipantRole, by container: CKContainer) async throws {
      let changed = try await fetched(share, by: container)
      let guest = try #require(changed.participants.first { $0.role != .owner })
      guest.role = role
      try await container.privateCloudDatabase.save(changed)
    }
    try await setRole(.administrator, by: cloud.container("anna"))
    _ = try await fetched(share, by: anna)
    await (try anna.session()).vault.keyDeliveriesAreDone()
    #expect(try await ring(of: share)?.administrators.isEmpty == true)
    try await setRole(.privateUser, by: anna)
    try await setRole(.administrator, by: anna)
    let administrators = try await ring(of: share)?.administrators.map(\.userRecordName)
    #expect(administrators == [cloud.name("bob")])
  }

  // MARK: Records moved into a share

  @Test func `A record saved with a new parent is sealed for the participants`() async throws {
    let share = try await share(contact("root", "555"))
    _ = try await bob.encryption.status()
    try await join(share)
    try await deliverKeys(of: share)
    try await save(
      [contact("note", under: "folder", "556"), contact("folder", under: "root")], anna)
    #expect(try await phone("note") == "556")
    // The guest's records are sealed again, too.
    let records =
      [("folder2", "root", nil), ("note2", "folder2", "557")] as [(String, String, String?)]
    let own = records.map { name, parent, phone in
      let record = CKRecord(recordType: "Contact", recordID: bobs(name))
      record.setParent(bobs(parent))
      if let phone { record.encryptedValues["phone"] = phone }
      return record
    }
    let results = try await bob.sharedCloudDatabase.modifyRecords(saving: own, deleting: [])
      .saveResults
    for result in results.values { _ = try result.get() }
    let fetched = try await anna.privateCloudDatabase.record(for: contact("note2").recordID)
    #expect(fetched.encryptedValues["phone"] == "557")
  }

  @Test func `A record moved into a share is sealed again with its descendants`() async throws {
    let share = try await share(contact("root", "555"))
    _ = try await bob.encryption.status()
    try await join(share)
    try await deliverKeys(of: share)
    let folder = contact("folder", "556")
    try await save([folder, contact("note", under: "folder", "557")], anna)
    folder.setParent(CKRecord.ID(recordName: "root", zoneID: zone.zoneID))
    try await anna.privateCloudDatabase.save(folder)
    #expect(try await phone("folder") == "556")
    #expect(try await phone("note") == "557")
    // The program's object has the tag that resealing produced.
    folder["title"] = "Changed"
    try await anna.privateCloudDatabase.save(folder)
  }

  @Test func `Records of one tree make one request for each level`() async throws {
    try await save([contact("top"), contact("a", under: "top"), contact("b", under: "top")], anna)
    try await save([contact("first", "555")], anna)
    let children = (0..<100).map { contact("c\($0)", under: $0 % 2 == 0 ? "a" : "b", "55-\($0)") }
    cloud.asked.withLock { $0 = [] }
    try await save(children, anna)
    // One for the parents, and one for their parent.
    #expect(cloud.asked.withLock { $0.count { $0 == "records/lookup" } } == 2)
  }

  // MARK: The recovery code

  @Test func `The recovery code of keys that a save made is reported once, by the next status`()
    async throws
  {
    try await save([contact("one", "555")], anna)
    guard case .readyWithNewKeys(let code) = try await anna.encryption.status() else {
      Issue.record("The code was not reported.")
      return
    }
    #expect(try await anna.encryption.status() == .ready)
    #expect(try await anna.encryption.recoveryCode() == code)
    let other = cloud.container("anna")
    try await other.encryption.recover(with: code)
    #expect(try await other.encryption.status() == .ready)
  }
}
