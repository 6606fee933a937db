import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// The signed-in user may change at any time, but a store's data belongs to one user.
@Suite("Accounts", .endsAtAll)
struct AccountTests {
  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  private func blocker(_ device: Device) async throws -> NSPersistentCloudKitContainer.SyncBlocker
    .Code?
  {
    do {
      try await device.sync()
      return nil
    } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker.code
    }
  }

  private func credentials(_ device: TestDevice) throws -> CloudCredentials {
    .user(apiToken: device.apiToken, webAuthToken: try #require(device.webAuthToken))
  }

  @Test func `Another user receives nothing of a store, and the former user finds it unchanged`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let binding = try device.engine.mirror.container.binding()
      try binding.setCredentials(credentials(bob))
      try await device.add("Person", ["name": "Unsent"])
      #expect(try await blocker(device) == .accountChanged)
      #expect(try await device.names() == ["Ada", "Unsent"])
      try binding.setCredentials(credentials(ada))
      #expect(try await blocker(device) == nil)
      await #expect(throws: CKError.self) {
        try await bob.container.privateCloudDatabase.recordZone(for: Self.zoneID)
      }
      try device.close()
    }
  }

  @Test(arguments: [true, false])
  func `The program chooses whether data moves to another account or stays`(
    takesAlong: Bool
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let others = try await Device(bob, in: folder)
      try await others.add("Person", ["name": "Bob"])
      try await others.sync()
      let device = try await Device(ada, in: folder)
      try await device.save { context in
        for number in 0..<300 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("P\(number)", forKey: "name")
        }
      }
      try await device.sync()
      let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
      // If no decision is awaited, the call has no effect.
      device.container.resolveAccountChange(of: store, by: takesAlong ? .moveData : .replaceData)
      try await device.sync()
      #expect(try await device.names().count == 300)
      let binding = try device.engine.mirror.container.binding()
      try binding.setCredentials(credentials(bob))
      try await device.add("Person", ["name": "Unsent"])
      #expect(try await blocker(device) == .accountChanged)
      device.container.resolveAccountChange(of: store, by: takesAlong ? .moveData : .replaceData)
      try await device.sync()
      try await others.sync()
      #expect(try await device.text() == others.text())
      #expect(try await device.names().count == (takesAlong ? 302 : 1))
      #expect(try await device.names().contains("Bob") && device.container.syncState.isUpToDate)
      #expect(try device.container.conflicts().isEmpty)
      // Later objects belong to the new account, and the former one keeps its own.
      try await device.add("Person", ["name": "New"])
      try await device.sync()
      try await others.sync()
      #expect(try await others.names().contains("New"))
      let former = try await Device(cloud.signIn("ada"), in: folder)
      try await former.sync()
      #expect(try await former.names().count == 300)
      for one in [device, others, former] { try one.close() }
    }
  }

  @Test
  func `A store interrupted while it starts over deletes nothing of the former user's`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = AddressBook.model(takesAlong: true)
      let device = try await Device(cloud.signIn("ada"), in: folder, model: model)
      try await device.save { context in
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        town.setValue("London", forKey: "name")
        for number in 0..<3 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("P\(number)", forKey: "name")
          person.setValue(town, forKey: "town")
        }
      }
      try await device.sync()
      let before = try await device.text()
      // If a program ends halfway, the store is like this: some objects are gone, with those that a
      // delete rule removed.
      let ledger = device.engine.ledger
      let latest = try ledger.store.latestHistoryNumber()
      try ledger.setState([LedgerStateKey("startingOver"): .integer(latest)])
      try await device.save { context in
        let towns = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
        for town in towns { context.delete(town) }
      }
      try await device.add("Person", ["name": "New"])
      try device.close()
      let again = try await Device(cloud.signIn("ada"), in: folder, model: model, file: device.file)
      try await again.sync()
      #expect(try await again.names() == ["New", "P0", "P1", "P2"])
      #expect(try await Set(before).isSubset(of: again.text()))
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(takesAlong: true))
      try await other.sync()
      #expect(try await other.text() == again.text())
      for device in [again, other] { try device.close() }
    }
  }

  @Test func `The rest of an export is not sent to a user who signs in during it`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      try await bob.container.privateCloudDatabase.save(CKRecordZone(zoneID: Self.zoneID))
      let transport = WatchedTransport(ada.transport)
      let device = try await Device(ada, in: folder, through: transport)
      try await device.sync()
      for number in 0..<4 { try await device.add("Person", ["name": "P\(number)"]) }
      let binding = try device.engine.mirror.container.binding()
      let others = try credentials(bob)
      let sends = Mutex(0)
      transport.watch { request in
        let isSecond = request.address.contains("records/modify") && sends.counted() == 2
        guard isSecond else { return }
        try? binding.setCredentials(others)
      }
      _ = await device.engine.exportOnce(ExportLimits(records: 1))
      transport.watch(nil)
      #expect(sends.withLock(\.self) == 2)
      #expect(try await blocker(device) == .accountChanged)
      let strange = try await bob.container.privateCloudDatabase.recordZoneChanges(
        inZoneWith: Self.zoneID, since: nil)
      #expect(strange.modificationResultsByID.isEmpty)
      try binding.setCredentials(credentials(ada))
      #expect(try await blocker(device) == nil)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      #expect(try await other.names() == ["P0", "P1", "P2", "P3"])
      for device in [device, other] { try device.close() }
    }
  }
}

extension Mutex where Value == Int {
  /// Increments the counter and returns its new value.
  borrowing func counted() -> Int {
    withLock { count in
      count += 1
      return count
    }
  }
}
