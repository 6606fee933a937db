import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import MirroringTestSupport
import ObjectRows
import Synchronization
import TestSupport
import Testing

/// Invitations, permissions, and the end of sharing.
@Suite struct ShareAccessTests {
  // MARK: Accepting

  @Test(.endsAtAll)
  func `Case 31: An invitation is not accepted into a private store`() async throws {
    try await withSharedPair { pair in
      let metadata = try await pair.invitation(for: "carl")
      let carl = try await pair.device("carl")
      let error = await #expect(throws: NSError.self) {
        try await carl.container.acceptShareInvitations(from: [metadata], into: carl.own)
      }
      #expect(error?.localizedDescription.contains("Nothing was accepted") == true)
      let zones = try await carl.engines.shared.mirror.container.sharedCloudDatabase
        .allRecordZones()
      #expect(zones.isEmpty)
    }
  }

  @Test(.endsAtAll)
  func `Case 33: Accepting twice, on two devices, makes one participant and no duplicates`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("bob")
      let url = try #require(try pair.currentShare().url)
      for device in [pair.bob, phone] {
        let metadata = try await device.engines.shared.mirror.container.shareMetadata(for: url)
        try await device.container.acceptShareInvitations(from: [metadata], into: device.shared)
      }
      #expect(try await phone.people() == ["Ada of Paris"])
      #expect(try await pair.bob.people() == ["Ada of Paris"])
      try await pair.ada.sync()
      #expect(try pair.currentShare().participants.count == 2)
    }
  }

  @Test(.endsAtAll)
  func `After a model grows, a store of shares ends its second read`() async throws {
    try await withSharedPair { pair in
      try pair.bob.close()
      let model = AddressBook.model()
      model.entitiesByName["Person"]?.properties += [
        ModelSketch.attribute("nickname", .stringAttributeType)
      ]
      let updated = try await SharingDevice(
        pair.bob.user, in: pair.folder, model: model, files: pair.bob.files)
      for _ in 0..<2 { try await updated.sync() }
      #expect(try await updated.people(isShared: true) == ["Ada of Paris"])
      for engine in [updated.engines.own, updated.engines.shared] {
        #expect(try engine.ledger.state(LedgerStateKey("readableParts")) != nil)
        #expect(try !engine.ledger.hasState(LedgerStateKey("relisting")))
      }
    }
  }

  @Test(.endsAtAll)
  func `Case 34: The owner's own link brings no copy into the shared store`() async throws {
    try await withSharedPair { pair in
      let url = try #require(try pair.currentShare().url)
      let metadata = try await pair.ada.engines.shared.mirror.container.shareMetadata(for: url)
      #expect(metadata.participantRole == .owner)
      _ = try? await pair.ada.container.acceptShareInvitations(
        from: [metadata], into: pair.ada.shared)
      try await pair.ada.sync()
      #expect(try await pair.ada.people(isShared: true).isEmpty)
      #expect(try await pair.ada.people().count == 2)
    }
  }

  @Test(.endsAtAll)
  func `Case 35: A share that ended meanwhile is an error, and leaves no zone behind`() async throws
  {
    try await withSharedPair { pair in
      let metadata = try await pair.invitation(for: "carl")
      let carl = try await pair.device("carl")
      try await pair.ada.container.purgeObjectsAndRecordsInZone(
        with: pair.share.recordID.zoneID, in: pair.ada.own)
      await #expect(throws: (any Error).self) {
        try await carl.container.acceptShareInvitations(from: [metadata], into: carl.shared)
      }
      try await carl.sync()
      #expect(try carl.container.fetchShares(in: nil).isEmpty)
      #expect(try await carl.people().isEmpty)
    }
  }

  @Test(.endsAtAll)
  func `Case 38: A share accepted while its owner writes arrives as a whole`() async throws {
    try await withSharedPair { pair in
      let metadata = try await pair.invitation(for: "carl")
      let carl = try await pair.device("carl")
      async let writing: Void = {
        for round in 0..<10 {
          try await pair.ada.save { context in
            let town = try context.object("Paris", "Town")
            for number in 0..<50 {
              let person = NSEntityDescription.insertNewObject(
                forEntityName: "Person", into: context)
              person.setValue("Person \(round) \(number)", forKey: "name")
              person.setValue(town, forKey: "town")
            }
          }
          try await pair.ada.sync()
        }
      }()
      try await carl.container.acceptShareInvitations(from: [metadata], into: carl.shared)
      try await writing
      try await carl.sync()
      #expect(try await carl.people().count == 501)
      #expect(try await pair.ada.people().count == 502)
    }
  }

  @Test(.endsAtAll)
  func `Case 39: A share that changed elsewhere arrives with a notification and no transaction`()
    async throws
  {
    try await withSharedPair { pair in
      let (ada, own) = (pair.ada, pair.ada.own)
      let phone = try await pair.device("ada")
      let before = try await ada.transactionCount()
      let count = Mutex(0)
      let coordinator = ada.container.persistentStoreCoordinator
      let observer = NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
      ) { note in
        let token = note.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
        if token != nil { count.withLock { $0 += 1 } }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      let share = try #require(try phone.container.fetchShares(in: phone.own).first)
      share[CKShare.SystemFieldKey.title] = "Towns"
      try await phone.container.persistUpdatedShare(share, in: phone.own)
      try await ada.sync()
      #expect(count.withLock(\.self) == 1)
      #expect(try await ada.transactionCount() == before)
      let title = try ada.container.fetchShares(in: own).first?[CKShare.SystemFieldKey.title]
      #expect(title as? String == "Towns")
    }
  }

  @Test(.endsAtAll)
  func `Case 59: A change of a share alone adds no transaction to the history`() async throws {
    try await withSharedPair { pair in
      try await pair.syncBoth()
      let coordinator = pair.bob.container.persistentStoreCoordinator
      let before = coordinator.currentPersistentHistoryToken(fromStores: nil)
      try await pair.setPermission(.readOnly)
      try await pair.bob.sync()
      #expect(
        try pair.bob.container.fetchShares(in: nil).first?.currentUserParticipant?.permission
          == .readOnly)
      let found = try await pair.bob.container.performBackgroundTask { context in
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: before)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction])?.count
      }
      #expect(found == 0)
    }
  }

  @Test(.endsAtAll)
  func `Case 40: A share that was saved through CloudKit directly arrives by itself`() async throws
  {
    try await withSharedPair { pair in
      let database = pair.ada.engines.own.mirror.container.privateCloudDatabase
      let share = try #require(
        try await database.record(for: pair.share.recordID) as? CKShare)
      share[CKShare.SystemFieldKey.title] = "Direct"
      try await database.save(share)
      try await pair.syncBoth()
      for device in [pair.ada, pair.bob] {
        let found = try device.container.fetchShares(in: nil).first
        #expect(found?[CKShare.SystemFieldKey.title] as? String == "Direct")
      }
    }
  }

  // MARK: Permissions

  @Test(.endsAtAll)
  func `Case 44: A read-only participant's save is refused before anything is stored`()
    async throws
  {
    try await withSharedPair(.readOnly) { pair in
      let bob = pair.bob
      let ada = try await bob.objectID("Ada")
      #expect(!bob.container.canUpdateRecord(forManagedObjectWith: ada))
      #expect(!bob.container.canDeleteRecord(forManagedObjectWith: ada))
      #expect(bob.container.canModifyManagedObjects(in: bob.shared))
      let changes: [@Sendable (NSManagedObjectContext) throws -> Void] = [
        { try $0.object("Ada", "Person").setValue(1, forKey: "age") },
        { $0.delete(try $0.object("Ada", "Person")) },
        { context in
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Eve", forKey: "name")
          person.setValue(try context.object("Paris", "Town"), forKey: "town")
          context.assign(person, toShared: true)
        },
      ]
      for change in changes {
        let error = await #expect(throws: NSError.self) { try await bob.save(change) }
        #expect(error?.localizedDescription.contains("only read") == true)
        #expect((error?.userInfo["ParhelionObjectIDs"] as? [NSManagedObjectID])?.count == 1)
      }
      #expect(try await bob.people() == ["Ada of Paris"])
      #expect(bob.container.syncState.stores.allSatisfy { $0.pendingChangeCount == 0 })
      // The owner may do so.
      let own = try await pair.ada.objectID("Ada")
      #expect(pair.ada.container.canUpdateRecord(forManagedObjectWith: own))
    }
  }

  @Test(.endsAtAll)
  func `Case 45: Edits after a permission was lowered are taken back and kept in the journal`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.syncBoth()
      try await pair.setPermission(.readOnly)
      try await pair.bob.save { context in
        try context.object("Ada", "Person").setValue(99, forKey: "age")
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Eve", forKey: "name")
        person.setValue(try context.object("Paris", "Town"), forKey: "town")
        context.assign(person, toShared: true)
      }
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris"])
      let age = try await pair.bob.container.performBackgroundTask { context in
        try context.object("Ada", "Person").value(forKey: "age") as? Int
      }
      #expect(age == 0 || age == nil)
      #expect(pair.bob.container.syncState.isUpToDate)
      let lost = try pair.bob.container.conflicts()
      #expect(lost.contains { $0.property == "age" && $0.overwrittenValue as? Int == 99 })
      #expect(
        lost.contains { $0.property == nil && $0.overwrittenValues["name"] as? String == "Eve" })
      #expect(
        !pair.bob.container.canUpdateRecord(
          forManagedObjectWith: try await pair.bob.objectID("Ada")))
    }
  }

  @Test(.endsAtAll, arguments: [("Ada", "Person"), ("Paris", "Town")])
  func `A deletion after a permission was lowered is taken back`(name: String, entity: String)
    async throws
  {
    try await withSharedPair { pair in
      try await pair.syncBoth()
      try await pair.setPermission(.readOnly)
      try await pair.bob.save { $0.delete(try $0.object(name, entity)) }
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris"])
      #expect(try await pair.ada.people() == ["Ada of Paris", "Carl of Rome"])
      #expect(pair.bob.container.syncState.isUpToDate)
      #expect(pair.bob.container.syncState.stores.allSatisfy { $0.pendingChangeCount == 0 })
    }
  }

  @Test(.endsAtAll)
  func `Case 46: Refused edits can be applied again when the permission is raised`() async throws {
    try await withSharedPair { pair in
      try await pair.syncBoth()
      try await pair.setPermission(.readOnly)
      try await pair.bob.save { try $0.object("Ada", "Person").setValue(99, forKey: "age") }
      try await pair.syncBoth()
      try await pair.setPermission(.readWrite)
      try await pair.syncBoth()
      let lost = try #require(
        try pair.bob.container.conflicts().first { $0.property == "age" })
      try pair.bob.container.undo(lost)
      try await pair.syncBoth()
      let age = try await pair.ada.container.performBackgroundTask { context in
        try context.object("Ada", "Person").value(forKey: "age") as? Int
      }
      #expect(age == 99)
    }
  }

  @Test(.endsAtAll)
  func `Case 48: What a participant adds below shared objects lands in the owner's zone`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.bob.save { context in
        var parent = try context.object("Ada", "Person")
        for name in ["Child", "Grandchild"] {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue(name, forKey: "name")
          person.setValue(parent, forKey: "parent")
          context.assign(person, toShared: true)
          parent = person
        }
      }
      try await pair.syncBoth()
      let record = try #require(
        pair.ada.container.record(for: try await pair.ada.objectID("Grandchild")))
      #expect(record.recordID.zoneID == pair.share.recordID.zoneID)
      #expect(record.creatorUserRecordID?.recordName == pair.bob.user.userRecordName)
      let id = pair.bob.container.recordID(for: try await pair.bob.objectID("Grandchild"))
      #expect(id?.zoneID.ownerName == pair.ada.user.userRecordName)
    }
  }

  @Test(.endsAtAll)
  func `An object of the shared store without a share waits, and says why`() async throws {
    try await withSharedPair { pair in
      try await pair.bob.addTown("Oslo", people: ["Dora"], isShared: true)
      try await pair.bob.save { try $0.object("Ada", "Person").setValue(7, forKey: "age") }
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await pair.bob.sync()
      }
      let blockers = pair.bob.container.syncState.stores.flatMap(\.recordBlockers)
      #expect(blockers.contains { $0.message.contains("belongs to no share") })
      try await pair.bob.save { context in
        try context.object("Dora", "Person").setValue(
          try context.object("Paris", "Town"), forKey: "town")
        context.delete(try context.object("Oslo", "Town"))
      }
      try await pair.syncBoth()
      #expect(try await pair.ada.people().contains("Dora of Paris"))
    }
  }

  /// Bob deletes the object, or only removes it from its group.
  @Test(.endsAtAll, arguments: [true, false])
  func `A pair whose deletion was rejected is restored`(deletesObject: Bool) async throws {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue("Choir", forKey: "title")
        context.assign(group, toShared: false)
        group.mutableSetValue(forKey: "members").add(try context.object("Ada", "Person"))
      }
      try await pair.syncBoth()
      #expect(try await pair.bob.members(of: "Choir") == ["Ada"])
      try await pair.setPermission(.readOnly)
      try await pair.bob.save { context in
        let ada = try context.object("Ada", "Person")
        if deletesObject {
          context.delete(ada)
        } else {
          ada.mutableSetValue(forKey: "groups").remove(try context.object("Choir", "Group"))
        }
      }
      try await pair.syncBoth()
      for device in [pair.ada, pair.bob] {
        #expect(try await device.members(of: "Choir") == ["Ada"])
      }
      #expect(pair.bob.container.syncState.isUpToDate)
      #expect(pair.bob.container.syncState.pendingChangeCount == 0)
      // No change is left that would be sent when the participant may write again.
      try await pair.setPermission(.readWrite)
      try await pair.syncBoth()
      #expect(try await pair.ada.members(of: "Choir") == ["Ada"])
    }
  }

  // MARK: Encryption

  private static func encryptedModel() -> NSManagedObjectModel {
    let model = AddressBook.model()
    model.entitiesByName["Person"]?.attributesByName["email"]?.allowsCloudEncryption = true
    return model
  }

  @Test(.endsAtAll)
  func `A participant's additions wait until the owner delivers the keys`() async throws {
    try await withSharedPair(model: Self.encryptedModel()) { pair in
      // No device of the owner has ever used encryption, so the share has no keys.
      try await pair.bob.addPerson("Eve", to: "Paris")
      try await pair.bob.save {
        try $0.object("Eve", "Person").setValue("e@x.org", forKey: "email")
      }
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await pair.bob.sync()
      }
      #expect(blocker?.code == .keysMissing)
      #expect(try await pair.bob.people() == ["Ada of Paris", "Eve of Paris"])
      #expect(pair.bob.container.syncState.pendingChangeCount == 1)
      try await pair.ada.save {
        try $0.object("Ada", "Person").setValue("a@x.org", forKey: "email")
      }
      try await pair.syncBoth()
      try await pair.ada.sync()
      #expect(try await pair.ada.email("Eve") == "e@x.org")
      #expect(try await pair.bob.email("Ada") == "a@x.org")
      #expect(pair.bob.container.syncState.isUpToDate)
    }
  }

  @Test(.endsAtAll)
  func `Records sealed before the keys were delivered are read by the next import`() async throws {
    try await withSharedPair(model: Self.encryptedModel()) { pair in
      // The participant has never used encryption, so the keys cannot be sealed for this user.
      try await pair.ada.save {
        try $0.object("Ada", "Person").setValue("a@x.org", forKey: "email")
      }
      try await pair.ada.sync()
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await pair.bob.sync()
      }
      #expect(blocker?.code == .keysMissing)
      #expect(try await pair.bob.email("Ada") == nil)
      // The owner's device looks for new keys of the participants, and seals another value.
      let session = try pair.ada.engines.own.mirror.container.session()
      session.vault.markKeysUndelivered()
      try await pair.ada.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Dan", forKey: "name")
        person.setValue("d@x.org", forKey: "email")
        person.setValue(try context.object("Paris", "Town"), forKey: "town")
        context.assign(person, toShared: false)
      }
      try await pair.ada.sync()
      let outcome = await pair.bob.engines.shared.importOnce()
      #expect(outcome.failure == nil && outcome.blockers.isEmpty)
      #expect(try await pair.bob.email("Ada") == "a@x.org")
      #expect(try await pair.bob.email("Dan") == "d@x.org")
    }
  }

  @Test(.endsAtAll)
  func `Records of an owner with changed keys wait for the confirmation, and others arrive`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = Self.encryptedModel()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder, model: model)
      let bob = try await SharingDevice(try await cloud.signIn("bob"), in: folder, model: model)
      let (adas, bobs) = (
        ada.engines.own.mirror.container.encryption, bob.engines.own.mirror.container.encryption
      )
      let adaID = CKRecord.ID(recordName: try #require(ada.user.userRecordName))
      // The participant's device trusts the first keys that it sees.
      _ = try await adas.status()
      _ = try await bobs.status()
      _ = try await bobs.person(for: adaID)
      _ = try await adas.resetAll()
      try await ada.addTown("Paris", people: ["Ada", "Dan"])
      try await ada.save { try $0.object("Ada", "Person").setValue("a@x.org", forKey: "email") }
      try await ada.sync()
      let (_, share, _) = try await ada.share(["Paris"])
      try await ada.sync()
      try await ada.invite(bob, to: share)
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await bob.sync()
      }
      #expect(blocker?.code == .peopleChanged)
      #expect(blocker?.message.contains(adaID.recordName) == true)
      #expect(try await bob.people() == ["Dan of Paris"])
      let digits = try #require(try await bobs.person(for: adaID).changedSafetyNumber)
      try await bobs.confirm(safetyNumber: digits, with: adaID)
      try await bob.sync()
      #expect(try await bob.people() == ["Ada of Paris", "Dan of Paris"])
      #expect(try await bob.email("Ada") == "a@x.org")
      #expect(bob.container.syncState.isUpToDate)
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 22: Encrypted values of moved objects reach participants with keys, and no others`()
    async throws
  {
    let model = Self.encryptedModel()
    try await withSharedPair(model: model) { pair in
      // Both people have keys.
      try await pair.bob.addTown("Bergen", people: ["Bea"])
      try await pair.bob.save {
        try $0.object("Bea", "Person").setValue("b@x.org", forKey: "email")
      }
      try await pair.ada.save {
        try $0.object("Carl", "Person").setValue("c@x.org", forKey: "email")
      }
      try await pair.syncBoth()
      try await pair.move("Carl", to: "Paris", pair.ada)
      for _ in 0..<3 { try await pair.syncBoth() }
      #expect(try await pair.bob.email("Carl") == "c@x.org")
      // A new device of the participant has no keys: it reports that, and everything else syncs.
      let tablet = try await SharingDevice(
        try await pair.cloud.signIn("bob"), in: pair.folder, model: model)
      try? await tablet.sync()
      let blockers = tablet.container.syncState.stores.flatMap { $0.recordBlockers + [$0.blocker] }
      #expect(blockers.contains { $0?.code == .keysMissing })
      #expect(try await tablet.people().contains("Ada of Paris"))
    }
  }

  // MARK: The end

  @Test(.endsAtAll)
  func `Case 51: A participant who purges a share leaves it, and the owner keeps everything`()
    async throws
  {
    try await withSharedPair { pair in
      let zoneID = try #require(
        try pair.bob.container.fetchShares(in: pair.bob.shared).first?.recordID.zoneID)
      try await pair.bob.container.purgeObjectsAndRecordsInZone(with: zoneID, in: pair.bob.shared)
      #expect(try await pair.bob.people().isEmpty)
      #expect(try pair.bob.container.fetchShares(in: nil).isEmpty)
      try await pair.syncBoth()
      #expect(try await pair.ada.people() == ["Ada of Paris", "Carl of Rome"])
      #expect(try await pair.bob.people().isEmpty)
      #expect(try pair.currentShare().participants.allSatisfy { $0.role == .owner })
    }
  }

  @Test(.endsAtAll)
  func `Case 52: What a participant with permission deletes is deleted for everyone`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.bob.save { $0.delete(try $0.object("Ada", "Person")) }
      try await pair.syncBoth()
      #expect(try await pair.ada.people() == ["Carl of Rome"])
    }
  }

  @Test(.endsAtAll)
  func `Case 54: Objects move back to the private zone when the owner stops sharing`() async throws
  {
    try await withSharedPair { pair in
      let before = try await pair.ada.objectID("Ada")
      try await pair.bob.save { try $0.object("Ada", "Person").setValue(5, forKey: "age") }
      let database = pair.ada.engines.own.mirror.container.privateCloudDatabase
      try await database.deleteRecord(withID: pair.share.recordID)
      try await pair.ada.sync()
      try await pair.syncBoth()
      #expect(try await pair.ada.zone("Ada") == MirrorNames.zone)
      #expect(try await pair.ada.objectID("Ada") == before)
      #expect(try await pair.ada.people() == ["Ada of Paris", "Carl of Rome"])
      #expect(try await pair.bob.people().isEmpty)
      #expect(try pair.ada.container.fetchShares(in: nil).isEmpty)
      let zones = try await database.allRecordZones().map(\.zoneID.zoneName)
      #expect(!zones.contains(pair.zone))
      // The participant's unsent edit is in the journal.
      let lost = try pair.bob.container.conflicts()
      #expect(lost.contains { $0.overwrittenValues["age"] as? Int == 5 })
      // Another device of the owner has the same objects in the same zone.
      let phone = try await pair.device("ada")
      #expect(try await phone.people() == ["Ada of Paris", "Carl of Rome"])
    }
  }

  @Test(.endsAtAll)
  func `Case 58: A move is no deletion and insertion in the history`() async throws {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      let before = try await phone.transactionCount()
      try await pair.ada.share(["Rome"])
      try await pair.ada.sync()
      try await phone.sync()
      #expect(try await phone.zone("Carl")?.hasPrefix(MirrorNames.shareZonePrefix) == true)
      let kinds = try await phone.changeKinds(after: before)
      #expect(!kinds.contains(.insert) && !kinds.contains(.delete), "\(kinds)")
    }
  }
}

extension SharedPair {
  /// The share as the owner's store has it.
  func currentShare() throws -> CKShare {
    try #require(
      try ada.container.fetchShares(in: ada.own).first { $0.recordID == share.recordID })
  }

  /// Invites another user, and returns the metadata of the link.
  func invitation(for name: String) async throws -> CKShare.Metadata {
    let other = try await device(name)
    let record = CKRecord.ID(recordName: try #require(other.user.userRecordName))
    let found = try await ada.container.fetchParticipants(
      matching: [CKUserIdentity.LookupInfo(userRecordID: record)], into: ada.own)
    let participant = try #require(found.first)
    participant.permission = .readWrite
    try await ada.sync()
    let share = try currentShare()
    share.addParticipant(participant)
    let saved = try await ada.container.persistUpdatedShare(share, in: ada.own)
    return try await other.engines.shared.mirror.container.shareMetadata(
      for: try #require(saved.url))
  }

  /// Changes what Bob may do.
  func setPermission(_ permission: CKShare.ParticipantPermission) async throws {
    let share = try currentShare()
    for participant in share.participants where participant.role != .owner {
      participant.permission = permission
    }
    try await ada.container.persistUpdatedShare(share, in: ada.own)
  }
}

extension SharingDevice {
  /// The address of a person.
  func email(_ name: String) async throws -> String? {
    try await container.performBackgroundTask { context in
      try context.object(name, "Person").value(forKey: "email") as? String
    }
  }

  /// The number of transactions in the history of all stores.
  func transactionCount() async throws -> Int { try await transactions().count }

  /// The kinds of changes in the transactions after the first ones.
  func changeKinds(after count: Int) async throws -> Set<NSPersistentHistoryChangeType> {
    Set(try await transactions().dropFirst(count).flatMap(\.self))
  }

  private func transactions() async throws -> [[NSPersistentHistoryChangeType]] {
    try await container.performBackgroundTask { context in
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let all = result?.result as? [NSPersistentHistoryTransaction] ?? []
      return all.map { ($0.changes ?? []).map(\.changeType) }
    }
  }
}
