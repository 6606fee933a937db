import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Failures in the cloud, and how mirroring reacts.
@Suite("Reactions to failures", .endsAtAll)
struct ReactionTests {
  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  private func withDevice(_ body: (TestCloud, Device, URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.add("Person", ["name": "Ada"])
      try await device.add("Person", ["name": "Bob"])
      try await device.sync()
      try await body(cloud, device, folder)
      try device.close()
    }
  }

  private func code(_ body: () async throws -> Void) async throws -> NSPersistentCloudKitContainer
    .SyncBlocker.Code?
  {
    do {
      try await body()
      return nil
    } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker.code
    }
  }

  @Test func `Data that the user deleted in the cloud stays until the program decides`()
    async throws
  {
    try await withDevice { cloud, device, _ in
      try await cloud.signIn("ada").container.privateCloudDatabase.deleteRecordZone(
        withID: Self.zoneID)
      try await device.change("Bob", ["email": "unsent"])
      #expect(try await code { try await device.sync() } == .zoneDeletedByUser)
      #expect(try await device.names() == ["Ada", "Bob"], "Nothing is deleted silently.")
      #expect(try await code { try await device.sync() } == .zoneDeletedByUser)
      let state = try #require(device.container.syncState.stores.first)
      #expect(state.phase == .blocked && state.pendingChangeCount == 1)
    }
  }

  @Test func `Deleting the data locally on request keeps what was not sent`() async throws {
    try await withDevice { cloud, device, _ in
      try await cloud.signIn("ada").container.privateCloudDatabase.deleteRecordZone(
        withID: Self.zoneID)
      try await device.change("Bob", ["email": "unsent"])
      _ = try await code { try await device.sync() }
      let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
      device.container.resolveDeletion(of: store, by: .deleteLocally)
      try await device.sync()
      #expect(try await device.names() == ["Bob"])
      #expect(device.container.syncState.isUpToDate)
    }
  }

  @Test func `A device detects that another one chose to send everything again`() async throws {
    try await withDevice { cloud, device, folder in
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await database.deleteRecordZone(withID: Self.zoneID)
      for one in [device, other] {
        try await one.change("Bob", ["age": one === device ? 2 : 3])
        #expect(try await code { try await one.sync() } == .zoneDeletedByUser)
      }
      // Neither creating the zone nor a restart of the program decides anything.
      try await database.save(CKRecordZone(zoneID: Self.zoneID))
      try other.close()
      let again = try await Device(cloud.signIn("ada"), in: folder, file: other.file)
      for one in [device, again] {
        #expect(try await code { try await one.sync() } == .zoneDeletedByUser)
      }
      #expect(try await again.names() == ["Ada", "Bob"])
      let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
      device.container.resolveDeletion(of: store, by: .uploadAgain)
      try await device.sync()
      try await again.sync()
      try await device.sync()
      #expect(try await again.names() == ["Ada", "Bob"])
      #expect(try await device.text() == again.text())
      #expect(again.container.syncState.isUpToDate && device.container.syncState.isUpToDate)
      try again.close()
    }
  }

  @Test func `A zone recreated after an expired token deletes nothing`() async throws {
    try await withDevice { cloud, device, folder in
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      try await other.add("Person", ["name": "Gone"])
      try await other.sync()
      try await other.delete("Gone")
      try await other.sync()
      // The server drops tombstones after a while.
      try await cloud.advance(by: .seconds(400 * 86_400))
      #expect(await device.engine.importOnce().failure?.kind == .tokenExpired)
      #expect(await device.engine.run(.reset(.tokens)).failure == nil)
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await database.deleteRecordZone(withID: Self.zoneID)
      try await database.save(CKRecordZone(zoneID: Self.zoneID))
      let record = CKRecord(
        recordType: "CD_Person", recordID: CKRecord.ID(recordName: "C", zoneID: Self.zoneID))
      for (key, value) in ["CD_entityName": "Person", "CD_name": "Cecil"] { record[key] = value }
      try await database.save(record)
      try await device.sync()
      #expect(try await device.names() == ["Ada", "Bob", "Cecil"])
      try await other.sync()
      try await device.sync()
      #expect(try await device.text() == other.text())
      #expect(try await other.names() == ["Ada", "Bob", "Cecil"])
      try other.close()
    }
  }

  @Test func `A recreated zone deletes nothing and is filled again`() async throws {
    try await withDevice { cloud, device, folder in
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      // A reference to a missing record is sent like any other.
      let child = CKRecord(
        recordType: "CD_Person", recordID: CKRecord.ID(recordName: "C", zoneID: Self.zoneID))
      for (key, value) in ["CD_entityName": "Person", "CD_name": "Cecil", "CD_parent": "Later"] {
        child[key] = value
      }
      try await database.save(child)
      try await device.sync()
      try await database.deleteRecordZone(withID: Self.zoneID)
      try await database.save(CKRecordZone(zoneID: Self.zoneID))
      try await device.change("Bob", ["email": "unsent"])
      try await device.sync()
      #expect(try await device.names() == ["Ada", "Bob", "Cecil"])
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Bob", "Cecil"])
      #expect(try await other.value("Bob", "email") == "unsent")
      #expect(try await database.record(for: child.recordID)["CD_parent"] == "Later")
      try other.close()
    }
  }

  @Test func `A deferred reference is dropped when the program sets another one`() async throws {
    try await withDevice { cloud, device, _ in
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let child = CKRecord(
        recordType: "CD_Person", recordID: CKRecord.ID(recordName: "C", zoneID: Self.zoneID))
      for (key, value) in ["CD_entityName": "Person", "CD_name": "Cecil", "CD_parent": "Later"] {
        child[key] = value
      }
      try await database.save(child)
      try await device.sync()
      #expect(device.container.syncState.stores.first?.deferredReferenceCount == 1)
      try await device.save { context in
        try context.person("Cecil").setValue(try context.person("Ada"), forKey: "parent")
      }
      #expect(device.container.syncState.stores.first?.deferredReferenceCount == 0)
      try await device.save { context in try context.person("Cecil").setValue(nil, forKey: "parent")
      }
      try await device.sync()
      let parent = CKRecord(
        recordType: "CD_Person", recordID: CKRecord.ID(recordName: "Later", zoneID: Self.zoneID))
      for (key, value) in ["CD_entityName": "Person", "CD_name": "Late"] { parent[key] = value }
      try await database.save(parent)
      try await device.sync()
      #expect(try await device.value("Cecil", "parent") == "nil")
    }
  }

  @Test(arguments: [20, 200])
  func `A full listing that lacks most of a store deletes nothing until the program decides`(
    count: Int
  ) async throws {
    try await withDevice { cloud, device, folder in
      try await device.save { context in
        for number in 0..<count {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("P\(number)", forKey: "name")
        }
      }
      try await device.sync()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      try await other.save { context in
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).forEach(
          context.delete)
      }
      try await other.sync()
      try other.close()
      // The server drops tombstones after a while.
      try await cloud.advance(by: .seconds(400 * 86_400))
      #expect(try await code { try await device.sync() } == .zoneDeletedByUser)
      #expect(try await device.names().count == count + 2, "Nothing is deleted silently.")
      let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
      device.container.resolveDeletion(of: store, by: .uploadAgain)
      try await device.sync()
      let third = try await Device(cloud.signIn("ada"), in: folder)
      try await third.sync()
      #expect(try await third.names().count == count + 2)
      try third.close()
    }
  }

  @Test func `Data that the user deleted is sent again on request`() async throws {
    try await withDevice { cloud, device, folder in
      try await cloud.signIn("ada").container.privateCloudDatabase.deleteRecordZone(
        withID: Self.zoneID)
      _ = try await code { try await device.sync() }
      let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
      device.container.resolveDeletion(of: store, by: .uploadAgain)
      try await device.sync()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Bob"])
      try other.close()
    }
  }

  @Test func `After a reset of encrypted data everything is sent again`() async throws {
    try await withDevice { cloud, device, folder in
      let container = try await cloud.signIn("ada").container
      try await container.encryption.reset(Self.zoneID)
      try await device.sync()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Bob"])
      try other.close()
    }
  }

  @Test
  func `A repeated encryption reset removes nothing from a zone that another device refilled`()
    async throws
  {
    try await withDevice { cloud, device, folder in
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      try await other.add("Person", ["name": "Cecil"])
      try await other.sync()
      try await cloud.signIn("ada").container.encryption.reset(Self.zoneID)
      #expect(await device.engine.run(.reset(.encryptedData)).failure == nil)
      try await other.sync()
      #expect(await device.engine.run(.reset(.encryptedData)).failure == nil)
      let fresh = try await Device(cloud.signIn("ada"), in: folder)
      try await fresh.sync()
      #expect(try await fresh.names() == ["Ada", "Bob", "Cecil"])
      for one in [fresh, other] { try one.close() }
    }
  }

  @Test
  func `An expired token keeps pending entries and applies remote deletions`() async throws {
    try await withDevice { cloud, device, folder in
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      try await other.delete("Ada")
      try await other.add("Person", ["name": "Cecil"])
      try await other.sync()
      // The server drops tombstones after a while.
      try await cloud.advance(by: .seconds(400 * 86_400))
      try await device.change("Bob", ["email": "kept"])
      try await device.sync()
      #expect(try await device.names() == ["Bob", "Cecil"])
      try await other.sync()
      #expect(try await device.text() == other.text())
      try other.close()
    }
  }

  @Test func `An expired token applies the removal of pairs`() async throws {
    try await withDevice { cloud, device, folder in
      try await device.save { context in
        let groups = ["Left", "Kept"].map { title -> NSManagedObject in
          let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
          group.setValue(title, forKey: "title")
          return group
        }
        try context.person("Ada").setValue(NSSet(array: groups), forKey: "groups")
      }
      try await device.sync()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      try await other.save { context in
        let person = try context.person("Ada")
        let groups =
          (person.value(forKey: "groups") as? NSSet)?.allObjects as? [NSManagedObject] ?? []
        let kept = groups.filter { $0.value(forKey: "title") as? String == "Kept" }
        person.setValue(NSSet(array: kept), forKey: "groups")
      }
      try await other.sync()
      try await cloud.advance(by: .seconds(400 * 86_400))
      try await device.sync()
      #expect(try await device.text() == other.text())
      #expect(
        try await device.text().contains { $0.contains("name=Ada") && $0.contains("groups=Kept ") })
      #expect(device.container.syncState.isUpToDate)
      try other.close()
    }
  }

  @Test func `An unavailable server is retried when it asks`() async throws {
    try await withDevice { _, device, _ in
      try await device.add("Person", ["name": "Cecil"])
      device.network.inject(.unavailable(retryAfterSeconds: 600))
      #expect(try await code { try await device.sync() } == .serviceUnavailable)
      guard case .waiting(let until)? = device.container.syncState.stores.first?.phase else {
        Issue.record("not waiting but \(device.container.syncState)")
        return
      }
      #expect(until.timeIntervalSince(device.engine.mirror.now) >= 600)
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
    }
  }

  @Test
  func `A busy zone is retried when the server asks, and imports continue meanwhile`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(signedIn, in: folder, through: transport)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await device.sync()
      try await device.add("Person", ["name": "Ada"])
      try await other.add("Person", ["name": "Bob"])
      try await other.sync()
      let busy =
        #"{"serverErrorCode":"ZONE_BUSY","reason":"The zone has too much to do.","retryAfter":600}"#
      transport.refuse(
        "records/modify",
        TransportResponse(
          status: 503, headers: [("Content-Type", "application/json")], body: Array(busy.utf8)))
      #expect(try await code { try await device.sync() } == .zoneBusy)
      let state = try #require(device.container.syncState.stores.first)
      guard case .waiting(let until) = state.phase else {
        Issue.record("not waiting but \(state)")
        return
      }
      #expect(
        until.timeIntervalSince(device.engine.mirror.now) >= 600 && state.pendingChangeCount == 1)
      #expect(try await device.names() == ["Ada", "Bob"])
      guard case .pending = try device.container.syncState(of: try await device.person("Ada"))
      else {
        Issue.record("Changes that a busy zone rejected stay pending.")
        return
      }
      transport.refuse("records/modify", nil)
      try await device.sync()
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Bob"])
      #expect(device.container.syncState.isUpToDate)
      for device in [device, other] { try device.close() }
    }
  }

  @Test func `Records of a type that is not deployed wait until it is`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada", to: .production), in: folder)
      try await device.add("Person", ["name": "Ada"])
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      #expect(blocker?.code == .schemaNotDeployed && blocker?.recordType == "CD_Person")
      guard
        case .pending(let reason) = try device.container.syncState(
          of: try await device.person("Ada"))
      else {
        Issue.record("not pending")
        return
      }
      #expect(reason?.code == .schemaNotDeployed)
      // In development the server learns the type, and then it is deployed.
      let developer = try await Device(cloud.signIn("grace"), in: folder)
      try await developer.add("Person", ["name": "Sample"])
      try await developer.sync()
      try await cloud.deploySchema()
      try await device.sync()
      let other = try await Device(cloud.signIn("ada", to: .production), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["Ada"])
      for device in [device, developer, other] { try device.close() }
    }
  }

  @Test
  func `Changes that the schema rejected are sent as soon as the server reports a new schema`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada", to: .production)
      let device = try await Device(signedIn, in: folder, isAutomatic: true)
      try await device.add("Person", ["name": "Ada"])
      for await state in device.container.syncStates
      where state.blocker?.code == .schemaNotDeployed && state.stores.first?.isListening == true {
        break
      }
      let developer = try await Device(cloud.signIn("grace"), in: folder)
      try await developer.add("Person", ["name": "Sample"])
      try await developer.sync()
      try await cloud.deploySchema()
      // The server reports the schema within two rounds, long before the wait of ten minutes ends.
      try await cloud.advance(by: .seconds(15))
      for await state in device.container.syncStates where state.isUpToDate { break }
      #expect(device.container.syncState.pendingChangeCount == 0)
      for device in [device, developer] { try device.close() }
    }
  }

  @Test func `A save that exceeds the size of a request is split`() async throws {
    try await withDevice { cloud, device, folder in
      let long = String(repeating: "x", count: 100_000)
      try await device.save { context in
        for number in 0..<30 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Person \(number)", forKey: "name")
          person.setValue(long, forKey: "email")
        }
      }
      let before = device.network.requestCount
      #expect(await device.engine.exportOnce(ExportLimits(bytes: 250_000)).failure == nil)
      #expect((15...20).contains(device.network.requestCount - before))
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await device.text() == other.text())
      try other.close()
    }
  }

  @Test
  func `Without quota exports stop, imports continue, and exports resume when there is space`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud(chance: TestRandomness()) { $0.privateDatabaseBytes = 40_000 }
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.sync()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await device.add(
        "Person", ["name": "Large", "email": String(repeating: "x", count: 30_000)])
      try await device.sync()
      try await device.add(
        "Person", ["name": "Too much", "email": String(repeating: "x", count: 30_000)])
      #expect(try await code { try await device.sync() } == .quotaExceeded)
      try await other.sync()
      try await other.change("Large", ["age": 7])
      try await other.sync()
      #expect(try await code { try await device.sync() } == .quotaExceeded)
      #expect(try await device.value("Large", "age") == "7")
      let state = try #require(device.container.syncState.stores.first)
      #expect(state.pendingChangeCount == 1)
      try await other.delete("Large")
      try await other.sync()
      try await device.sync()
      try await other.sync()
      #expect(try await other.names() == ["Too much"])
      for device in [device, other] { try device.close() }
    }
  }

  @Test func `A save of a thousand objects is split`() async throws {
    try await withDevice { cloud, device, folder in
      try await device.save { context in
        for number in 0..<1_000 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Person \(number)", forKey: "name")
        }
      }
      try await device.sync()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names().count == 1_002)
      #expect(try await device.text() == other.text())
      try other.close()
    }
  }
}
