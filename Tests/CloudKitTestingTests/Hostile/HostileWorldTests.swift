import CloudEncryption
import CloudKitClient
import CloudKitTesting
import CloudRecords
import Foundation
import Synchronization
import Testing

/// Named attacks of a server, with their invariants.
///
/// `Documentation/ThreatModel.md` refers to them by their codes, such as C1.
@Suite("Worlds of a hostile server") struct HostileWorldTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Z", ownerName: CKCurrentUserDefaultName)

  /// A cloud that attacks by plan only.
  private func world() async throws -> HostileCloud {
    try await HostileCloud(seed: 1, attacks: [])
  }

  private func note(_ name: String, _ text: String, in zoneID: CKRecordZone.ID? = nil) -> CKRecord {
    let record = CKRecord(
      recordType: "Note",
      recordID: CKRecord.ID(recordName: name, zoneID: zoneID ?? self.zoneID))
    record.encryptedValues["s"] = text
    return record
  }

  private func started(_ container: CKContainer) async throws -> CKContainer {
    _ = try await container.encryption.status()
    try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
    return container
  }

  private func bobID(_ bob: TestDevice) throws -> CKRecord.ID {
    CKRecord.ID(recordName: try #require(bob.userRecordName))
  }

  /// Ada invites people to her zone by name.
  private func share(_ ada: CKContainer, with people: [TestDevice]) async throws -> CKShare {
    let share = CKShare(recordZoneID: zoneID)
    for person in people {
      let guest = try await ada.shareParticipant(forUserRecordID: try bobID(person))
      guest.permission = .readWrite
      share.addParticipant(guest)
    }
    let saved = try await ada.privateCloudDatabase.save(share)
    return try #require(saved as? CKShare)
  }

  private func join(_ share: CKShare, _ bob: CKContainer) async throws {
    let url = try #require(share.url)
    try await bob.accept(try await bob.shareMetadata(for: url))
  }

  private func read(_ name: String, _ ada: CKContainer) async throws -> String? {
    try await ada.privateCloudDatabase.record(
      for: CKRecord.ID(recordName: name, zoneID: zoneID)
    ).encryptedValues["s"]
  }

  // MARK: C1: the six digits

  @Test func `C1: a device answers one challenge, even if its answer was lost`() async throws {
    let cloud = try await world()
    let device = try await cloud.signIn("ada")
    let (old, new) = (try await started(device.container), device.container)
    try await new.encryption.requestApproval(deviceName: "new")
    let waiting = try #require(try await old.encryption.waitingDevices().first)
    try await old.encryption.beginApproval(of: waiting)
    // The reveal arrives at the server, which then shows another challenge.
    cloud.perform(.failAfterDelivery, always: true)
    await #expect(throws: CKError.self) { _ = try await new.encryption.approvalProgress() }
    cloud.perform(.failAfterDelivery, always: false)
    cloud.perform(.replayKeys, always: true)
    for _ in 0..<8 {
      // Any digits belong to the first challenge.
      guard case .compare(let digits)? = try? await new.encryption.approvalProgress() else {
        continue
      }
      cloud.perform(.replayKeys, always: false)
      try await old.encryption.approve(waiting, code: digits)
      #expect(try await new.encryption.confirmDigits())
      return
    }
    #expect(try await !new.encryption.confirmDigits())
  }

  // MARK: C2: shares and people that the server invents

  @Test func `C2: an invented share gives keys to no person, and the program learns of it`()
    async throws
  {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    cloud.perform(.inventShare, always: true)
    try await ada.privateCloudDatabase.save(note("a", "secret"))
    _ = try await ada.privateCloudDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil)
    let requests = try await ada.encryption.keyRequests()
    #expect(cloud.performed.contains(.inventShare) && cloud.leaks.isEmpty)
    #expect(
      Set(requests.map(\.userRecordID.recordName)) == [HostileCloud.inventedUserRecordName])
  }

  @Test func `C2: an invented participant of a true share gets no keys`() async throws {
    let cloud = try await world()
    let bob = try await cloud.signIn("bob")
    let ada = try await started(cloud.signIn("ada").container)
    let bobs = bob.container
    _ = try await bobs.encryption.status()
    try await ada.privateCloudDatabase.save(note("a", "secret"))
    let share = try await share(ada, with: [bob])
    cloud.perform(.inventParticipant, always: true)
    _ = try await ada.privateCloudDatabase.record(for: share.recordID)
    try await ada.privateCloudDatabase.save(note("b", "secret"))
    let requests = try await ada.encryption.keyRequests()
    #expect(
      requests.map(\.userRecordID.recordName) == [HostileCloud.inventedUserRecordName])
    #expect(cloud.leaks.isEmpty)
    // The invited participant can join. The invented one gets keys only if the program allows it.
    try await join(share, bobs)
    for request in requests { try await ada.encryption.allow(request) }
    #expect(cloud.leaks.map(\.isInvented) == [true])
  }

  // MARK: C3: values that no device has sealed

  @Test func `C3: a value that no device has sealed is never shown`() async throws {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    for name in ["a", "b"] { try await ada.privateCloudDatabase.save(note(name, name)) }
    for name in ["a", "b"] { #expect(try await read(name, ada) == name) }
    for attack in [HostileCloud.Attack.forgeValue, .damageValue, .moveValue] {
      for _ in 0..<4 {
        cloud.plan(attack)
        let value = try? await read("a", ada)
        #expect(value == nil || value == "a", "\(attack)")
      }
    }
    #expect(cloud.performed.count == 12)
    #expect(try await read("a", ada) == "a")
  }

  // MARK: H1: false keys at the first contact

  @Test func `H1: digits show keys that the server forged at the first contact`() async throws {
    let cloud = try await world()
    let device = try await cloud.signIn("ada")
    let bob = try await cloud.signIn("bob")
    let (ada, bobs) = (try await started(device.container), bob.container)
    _ = try await bobs.encryption.status()
    try await ada.privateCloudDatabase.save(note("a", "1"))
    cloud.perform(.forgeKeys, always: true)
    _ = try await share(ada, with: [bob])
    cloud.perform(.forgeKeys, always: false)
    #expect(cloud.leaks.map(\.isInvented) == [false])
    let adaID = CKRecord.ID(recordName: try #require(device.userRecordName))
    let person = try await ada.encryption.person(for: try bobID(bob))
    let digits = try await bobs.encryption.safetyNumber(with: adaID)
    #expect(person.safetyNumber != digits && person.changedSafetyNumber == digits)
    // Saving reports the changed keys. Confirming the true digits gives the zone a new key.
    (try ada.session()).vault.markKeysUndelivered()
    await #expect {
      try await ada.privateCloudDatabase.save(note("b", "2"))
    } throws: {
      ($0 as? CKError)?.peopleWithChangedKeys != nil
    }
    try await ada.encryption.confirm(safetyNumber: digits, with: try bobID(bob))
    try await ada.privateCloudDatabase.save(note("b", "2"))
    #expect(cloud.leaks.count == 1)
  }

  @Test func `H1: a link and the strict policy give nothing to forged keys`() async throws {
    let cloud = try await world()
    let (ada, bob) = (
      try await started(cloud.signIn("ada").container), try await cloud.signIn("bob").container
    )
    _ = try await bob.encryption.status()
    try await ada.privateCloudDatabase.save(note("a", "1"))
    let share = CKShare(recordZoneID: zoneID)
    share.publicPermission = .readWrite
    let result = try await ada.privateCloudDatabase.save(share)
    let saved = try #require(result as? CKShare)
    let link = try await ada.encryption.link(to: saved)
    let metadata = try await bob.shareMetadata(for: link)
    cloud.perform(.forgeKeys, always: true)
    // The person who joins learns that the server shows false keys of the owner.
    await #expect {
      try await bob.accept(metadata)
    } throws: {
      ($0 as? CKError)?.peopleWithChangedKeys != nil
    }
    cloud.perform(.forgeKeys, always: false)
    try await bob.accept(metadata)
    cloud.perform(.forgeKeys, always: true)
    _ = try await ada.privateCloudDatabase.record(for: saved.recordID)
    #expect(try await ada.encryption.keyRequests().count == 1)
    #expect(cloud.leaks.isEmpty)
  }

  // MARK: H2: earlier keys after a pretended deletion

  @Test func `H2: nothing is sealed under a removed person's key after a pretended deletion`()
    async throws
  {
    let cloud = try await world()
    let bob = try await cloud.signIn("bob")
    let (ada, bobs) = (try await started(cloud.signIn("ada").container), bob.container)
    _ = try await bobs.encryption.status()
    try await ada.privateCloudDatabase.save(note("a", "1"))
    let share = try await share(ada, with: [bob])
    try await join(share, bobs)
    let zone = CKRecordZone.ID(
      zoneName: "Z", ownerName: try #require(try await owner(of: ada)))
    let theirs = try await bobs.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "a", zoneID: zone))
    #expect(theirs.encryptedValues["s"] == "1")
    let found = try await ada.privateCloudDatabase.record(for: share.recordID)
    let fetched = try #require(found as? CKShare)
    fetched.removeParticipant(try #require(fetched.participants.last))
    try await ada.privateCloudDatabase.save(fetched)
    await (try ada.session()).vault.keyDeliveriesAreDone()
    // The server pretends that the zone was reset, and shows earlier bags.
    cloud.plan(.resetZone)
    _ = try? await read("a", ada)
    // As if a feed had reported the reset.
    try await ada.session().vault.engine().forgetKeys(
      of: RecordZoneIdentifier(zoneName: zone.zoneName, ownerName: zone.ownerName))
    cloud.perform(.replayKeys, always: true)
    let before = cloud.sealed["b"]?.count ?? 0
    for _ in 0..<4 { _ = try? await ada.privateCloudDatabase.save(note("b", "2")) }
    cloud.perform(.replayKeys, always: false)
    #expect(cloud.performed.first == .resetZone && cloud.performed.contains(.replayKeys))
    let sent = cloud.sealed["b"]?.dropFirst(before) ?? []
    #expect(!sent.isEmpty)
    for field in sent { #expect(try await !opens(field, "b", bobs, zone)) }
  }

  private func owner(of container: CKContainer) async throws -> String? {
    try await container.userRecordID().recordName
  }

  /// Whether a device can open a field that another one has sent.
  private func opens(
    _ field: HostileCloud.SentField, _ name: String, _ container: CKContainer,
    _ zoneID: CKRecordZone.ID
  ) async throws -> Bool {
    try await HostileLife.opens(field, name, container, zoneID)
  }

  // MARK: H5: removal at once

  @Test func `H5: a device that only saves seals nothing more under a removed person's key`()
    async throws
  {
    let cloud = try await world()
    let (device, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
    let (ada, bobs) = (try await started(device.container), bob.container)
    let saver = device.container
    let code = try #require(try await ada.encryption.recoveryCode())
    try await saver.encryption.recover(with: code)
    _ = try await bobs.encryption.status()
    try await ada.privateCloudDatabase.save(note("a", "1"))
    let share = try await share(ada, with: [bob])
    try await join(share, bobs)
    try await saver.privateCloudDatabase.save(note("b", "1"))
    let found = try await ada.privateCloudDatabase.record(for: share.recordID)
    let fetched = try #require(found as? CKShare)
    fetched.removeParticipant(try #require(fetched.participants.last))
    try await ada.privateCloudDatabase.save(fetched)
    try await saver.privateCloudDatabase.save(note("c", "2"))
    let zone = CKRecordZone.ID(
      zoneName: "Z", ownerName: try #require(try await owner(of: ada)))
    // An honest server rejects a first attempt under the former key, so the last value that it
    // receives is sealed under the new key.
    let last = try #require(cloud.sealed["c"]?.last)
    #expect(try await !opens(last, "c", bobs, zone))
  }

  // MARK: M1: mixed and earlier versions

  /// The pair of values of a record.
  private func pair(_ ada: CKContainer, of name: String = "a") async throws -> [String?] {
    let record = try await ada.privateCloudDatabase.record(
      for: CKRecord.ID(recordName: name, zoneID: zoneID))
    return [record.encryptedValues["s"], record.encryptedValues["t"]]
  }

  /// A record in three versions, each of which the server has shown.
  private func threeVersions(_ ada: CKContainer, of name: String = "a") async throws {
    let record = note(name, "1")
    record.encryptedValues["t"] = "1"
    for text in ["1", "2", "3"] {
      for key in ["s", "t"] { record.encryptedValues[key] = text }
      try await ada.privateCloudDatabase.save(record)
      #expect(try await pair(ada, of: name) == [text, text])
    }
  }

  @Test func `M1: values of several versions are never shown as one`() async throws {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    try await threeVersions(ada)
    cloud.perform(.mixVersions, always: true)
    var errors = 0
    for _ in 0..<24 {
      do {
        let shown = try await pair(ada)
        #expect(shown[0] == shown[1])
      } catch {
        errors += 1
      }
    }
    #expect(errors > 0)
    cloud.perform(.mixVersions, always: false)
    #expect(try await pair(ada) == ["3", "3"])
  }

  @Test func `M1: a record that returns to an earlier version is reported`() async throws {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    // All containers post their notifications to one center, so other tests have other records.
    try await threeVersions(ada, of: "replayed")
    let reported = Mutex<[CKRecord.ID]>([])
    let center = NotificationCenter.default
    let token = center.addObserver(
      forName: CKContainer.Encryption.olderRecordsShown, object: nil, queue: nil
    ) { note in
      let recordIDs = note.userInfo?[CKContainer.Encryption.recordIDsKey] as? [CKRecord.ID]
      reported.withLock { $0 += recordIDs ?? [] }
    }
    defer { center.removeObserver(token) }
    cloud.perform(.replayRecord, always: true)
    var expected = 0
    for _ in 0..<12 where try await pair(ada, of: "replayed") != ["3", "3"] { expected += 1 }
    #expect(expected > 0)
    let mine = reported.withLock { $0.filter { $0.recordName == "replayed" } }
    #expect(mine.count >= expected)
  }

  // MARK: M8: values in another user's name

  @Test func `M8: a person with the keys and the server's help cannot write in another name`()
    async throws
  {
    let cloud = try await world()
    let bob = try await cloud.signIn("bob")
    let (ada, bobs) = (try await started(cloud.signIn("ada").container), bob.container)
    _ = try await bobs.encryption.status()
    try await ada.privateCloudDatabase.save(note("a", "1"))
    try await join(try await share(ada, with: [bob]), bobs)
    let zone = CKRecordZone.ID(
      zoneName: "Z", ownerName: try #require(try await owner(of: ada)))
    let theirs = try await bobs.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "a", zoneID: zone))
    #expect(theirs.encryptedValues["s"] == "1")
    try await bobs.sharedCloudDatabase.save(note("b", "2", in: zone))
    try await cloud.learnKeys(of: zone, from: bobs)
    cloud.perform(.impersonate, always: true)
    for name in ["a", "b"] {
      for _ in 0..<6 {
        await #expect(throws: CKError.self) { _ = try await read(name, ada) }
        await #expect(throws: CKError.self) {
          _ = try await bobs.sharedCloudDatabase.record(
            for: CKRecord.ID(recordName: name, zoneID: zone))
        }
      }
    }
    #expect(cloud.performed.allSatisfy { $0 == .impersonate } && cloud.performed.count >= 24)
    cloud.perform(.impersonate, always: false)
    #expect(try await read("a", ada) == "1")
    #expect(try await read("b", ada) == "2")
  }

  // MARK: Values that are left out

  @Test func `A value that the server leaves out is an error, and not an empty value`()
    async throws
  {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    try await threeVersions(ada)
    cloud.perform(.omitValue, always: true)
    for _ in 0..<6 {
      await #expect {
        _ = try await pair(ada)
      } throws: {
        ($0 as? CKError)?.isUnreadable == true
      }
    }
    // A request for some fields gets only those.
    cloud.perform(.omitValue, always: false)
    let recordID = CKRecord.ID(recordName: "a", zoneID: zoneID)
    for key in ["s", "t"] {
      let found = try await ada.privateCloudDatabase.records(for: [recordID], desiredKeys: [key])
      let record = try #require(try found[recordID]?.get())
      #expect(record.encryptedValues[key] == "3" && record.encryptedValues.allKeys() == [key])
    }
  }

  @Test
  func `A plain value in place of an encrypted one is an error, and does not stop the program`()
    async throws
  {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    let other = try await cloud.signIn("ada").container
    try await threeVersions(ada)
    cloud.perform(.forgeValue, always: true)
    let recordID = CKRecord.ID(recordName: "a", zoneID: zoneID)
    var plain = 0
    for _ in 0..<24 {
      do {
        _ = try await pair(ada)
        Issue.record("A forged value was shown.")
      } catch let error as CKError {
        #expect(error.unsealedFields == ["s", "t"], "\(error)")
      }
      // A device that has not seen the record before cannot know that it was encrypted.
      guard let record = try? await other.privateCloudDatabase.record(for: recordID) else {
        continue
      }
      plain += 1
      #expect(record["s"] == "forged" && record["t"] == "forged")
      record.encryptedValues["s"] = "mine"
      #expect(record["s"] == nil && record.encryptedValues["s"] == "mine")
      #expect(record.changedKeys().isEmpty)
    }
    #expect(plain > 0)
  }

  @Test func `The server's record of a conflict says that it lacks a value`() async throws {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    try await threeVersions(ada)
    for (attack, lacksValues) in [(nil, false), (HostileCloud.Attack.omitValue, true)] {
      if let attack { cloud.perform(attack, always: true) }
      do {
        try await ada.privateCloudDatabase.save(note("a", "4"))
        Issue.record("The record is there already.")
      } catch let error as CKError {
        #expect(error.serverRecord?.lacksValues == lacksValues, "\(error)")
        let reason = error.userInfo[NSUnderlyingErrorKey] as? CKError
        #expect((reason != nil) == lacksValues)
        #expect(reason?.localizedDescription.contains("leftOut") != false, "\(error)")
      }
    }
  }

  @Test func `The server's record of a conflict has values of one save`() async throws {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    try await threeVersions(ada)
    cloud.perform(.mixVersions, always: true)
    var incomplete = 0
    for _ in 0..<24 {
      do {
        try await ada.privateCloudDatabase.save(note("a", "4"))
        Issue.record("The record is there already.")
      } catch let error as CKError {
        let server = try #require(error.serverRecord)
        let shown: [String?] = [server.encryptedValues["s"], server.encryptedValues["t"]]
        #expect(shown[0] == shown[1] || shown.contains(nil), "\(error)")
        if server.lacksValues { incomplete += 1 }
        #expect(server.lacksValues == (error.userInfo[NSUnderlyingErrorKey] != nil))
      }
    }
    #expect(incomplete > 0)
  }

  @Test func `A removed value is no value, and does not come back`() async throws {
    let cloud = try await world()
    let (ada, other) = (
      try await started(cloud.signIn("ada").container), try await cloud.signIn("ada").container
    )
    let code = try #require(try await ada.encryption.recoveryCode())
    try await other.encryption.recover(with: code)
    try await threeVersions(ada)
    for policy in [CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged, .changedKeys]
    {
      let record = try await ada.privateCloudDatabase.record(
        for: CKRecord.ID(recordName: "a", zoneID: zoneID))
      record.encryptedValues["t"] = nil
      _ = try await ada.privateCloudDatabase.modifyRecords(
        saving: [record], deleting: [], savePolicy: policy)
      for device in [other, ada] { #expect(try await pair(device) == ["3", nil]) }
      cloud.plan(.omitValue)
      await #expect(throws: CKError.self) { _ = try await pair(other) }
      record.encryptedValues["t"] = "3"
      try await ada.privateCloudDatabase.save(record)
      #expect(try await pair(other) == ["3", "3"])
    }
  }

  @Test func `A record that has lost all its sealed values is reported`() async throws {
    let cloud = try await world()
    let ada = try await started(cloud.signIn("ada").container)
    try await ada.privateCloudDatabase.save(note("lost", "1"))
    #expect(try await read("lost", ada) == "1")
    let reported = Mutex(false)
    let center = NotificationCenter.default
    let token = center.addObserver(
      forName: CKContainer.Encryption.olderRecordsShown, object: nil, queue: nil
    ) { note in
      let recordIDs = note.userInfo?[CKContainer.Encryption.recordIDsKey] as? [CKRecord.ID]
      if recordIDs?.contains(where: { $0.recordName == "lost" }) == true {
        reported.withLock { $0 = true }
      }
    }
    defer { center.removeObserver(token) }
    cloud.plan(.removeValue)
    #expect(try await read("lost", ada) == nil)
    let isReported = reported.withLock { $0 }
    #expect(isReported)
  }

  // MARK: The cloud itself

  @Test func `A plan is performed in order, and an honest server does not attack`() async throws {
    let cloud = try await HostileCloud(seed: 3, probability: 1)
    cloud.isHostile = false
    let ada = try await started(cloud.signIn("ada").container)
    try await ada.privateCloudDatabase.save(note("a", "1"))
    #expect(cloud.performed.isEmpty)
    cloud.plan(.removeValue, .hideRecord)
    #expect(try await read("a", ada) == nil)
    let page = try await ada.privateCloudDatabase.recordZoneChanges(
      inZoneWith: zoneID, since: nil)
    #expect(page.modificationResultsByID.isEmpty)
    #expect(cloud.performed == [.removeValue, .hideRecord])
    #expect(try await read("a", ada) == "1")
  }
}
