import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import PredicateLanguage
import RecordStorage
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Devices that have received changes that a server lost when it was restored from a backup.
@Suite("Restored servers", .endsAtAll)
struct RestoredServerTests {
  @Test func `The server gets back what its devices know as acknowledged`() async throws {
    try await withTemporaryDirectory { folder in
      let storage = RestorableStorage()
      let cloud = try await TestCloud(chance: TestRandomness(), storage: storage)
      let (first, second) = (
        try await Device(cloud.signIn("ada"), in: folder),
        try await Device(cloud.signIn("ada"), in: folder)
      )
      for name in ["Ada", "Bob", "Cecil", "Dora"] { try await first.add("Person", ["name": name]) }
      try await first.sync()
      try await second.sync()
      try storage.backUp()
      // The server loses a change, a deletion, and an insertion.
      try await first.change("Ada", ["email": "lost"])
      try await first.delete("Bob")
      try await first.add("Person", ["name": "Late"])
      for device in [first, second, first] { try await device.sync() }
      #expect(try await second.names() == ["Ada", "Cecil", "Dora", "Late"])
      // Changes that no server has yet survive, including changes of lost records.
      try await first.change("Cecil", ["email": "unsent"])
      try await second.change("Ada", ["age": 7])
      try await second.add("Person", ["name": "Eve"])
      try await storage.restore()
      try await cloud.restart()
      // Another device, which does not know them, makes as many changes as were lost.
      let third = try await Device(cloud.signIn("ada"), in: folder)
      try await third.sync()
      for name in ["Fred", "Gina", "Hugo"] {
        try await third.add("Person", ["name": name])
        try await third.sync()
      }
      for _ in 0..<2 { for device in [first, second, third] { try await device.sync() } }
      let text = try await third.text()
      #expect(
        try await third.names() == ["Ada", "Cecil", "Dora", "Eve", "Fred", "Gina", "Hugo", "Late"])
      for device in [first, second] {
        #expect(try await device.text() == text)
        #expect(device.container.syncState.isUpToDate)
      }
      #expect(try await third.value("Ada", "age") == "7")
      #expect(try await third.value("Ada", "email") == "lost")
      #expect(try await third.value("Cecil", "email") == "unsent")
      // A new device has the same objects, because the server has them.
      let last = try await Device(cloud.signIn("ada"), in: folder)
      try await last.sync()
      #expect(try await last.text() == text)
      #expect(cloud.serverErrors == [])
      for device in [first, second, third, last] { try device.close() }
    }
  }

  /// The stores of devices before and after a restoration.
  ///
  /// - Parameter prepare: Called before the backup.
  private func restore(
    preparing prepare: (_ devices: [Device]) async throws -> Void = { _ in },
    _ body: (_ cloud: TestCloud, _ devices: [Device], _ restore: () async throws -> Void)
      async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let storage = RestorableStorage()
      let cloud = try await TestCloud(chance: TestRandomness(), storage: storage)
      let devices = [
        try await Device(cloud.signIn("ada"), in: folder),
        try await Device(cloud.signIn("ada"), in: folder),
      ]
      try await devices[0].add("Group", ["title": "All"])
      for name in ["Ada", "Bob", "Cecil"] {
        try await devices[0].add("Person", ["name": name, "age": 1])
      }
      for device in devices { try await device.sync() }
      try await prepare(devices)
      try storage.backUp()
      try await body(cloud, devices) {
        try await storage.restore()
        try await cloud.restart()
      }
      #expect(cloud.serverErrors == [])
      for device in devices { try device.close() }
    }
  }

  /// Syncs devices until all know each other's changes, and expects them and a new one to be equal.
  private func expectAlike(_ devices: [Device], _ cloud: TestCloud) async throws -> [String] {
    for _ in 0..<2 { for device in devices { try await device.sync() } }
    let text = try await devices[0].text()
    for device in devices.dropFirst() { #expect(try await device.text() == text) }
    return try await withTemporaryDirectory { folder in
      let new = try await Device(cloud.signIn("ada"), in: folder)
      try await new.sync()
      #expect(try await new.text() == text)
      try new.close()
      return text
    }
  }

  @Test func `The server gets back most of a store without a question`() async throws {
    try await restore { cloud, devices, restore in
      for number in 0..<30 { try await devices[0].add("Person", ["name": "New \(number)"]) }
      for device in devices { try await device.sync() }
      let before = try await devices[0].text()
      try await restore()
      #expect(try await expectAlike(devices, cloud) == before)
    }
  }

  /// Adds a person to the group or removes the person from it, and syncs the devices.
  private func setMembership(of name: String, _ isMember: Bool, _ devices: [Device]) async throws {
    try await devices[0].save { context in
      let group = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group"))[0]
      try context.person(name).setValue(
        isMember ? NSSet(array: [group]) : NSSet(), forKey: "groups")
    }
    for device in devices { try await device.sync() }
  }

  @Test func `The server gets back created pairs`() async throws {
    try await restore { cloud, devices, restore in
      try await setMembership(of: "Ada", true, devices)
      let before = try await devices[1].text()
      try await restore()
      #expect(try await expectAlike(devices, cloud) == before)
      #expect(before.contains { $0.contains("name=Ada") && $0.contains("groups=All") })
    }
  }

  @Test func `Deletions of pairs are repeated`() async throws {
    try await restore(preparing: { try await setMembership(of: "Bob", true, $0) }) {
      cloud, devices, restore in
      #expect(try await devices[1].text().contains { $0.contains("groups=All") })
      try await setMembership(of: "Bob", false, devices)
      try await restore()
      let text = try await expectAlike(devices, cloud)
      #expect(!text.contains { $0.contains("groups=All") })
    }
  }

  @Test func `Changes since the restoration win over those that the server lost`() async throws {
    try await restore { cloud, devices, restore in
      try await devices[0].change("Ada", ["email": "lost", "age": 2])
      for device in devices { try await device.sync() }
      try await restore()
      // The first device sends everything back, and continues before the second one syncs.
      try await devices[0].sync()
      try await devices[0].change("Ada", ["age": 3])
      try await devices[0].sync()
      _ = try await expectAlike(devices, cloud)
      #expect(try await devices[1].value("Ada", "age") == "3")
      #expect(try await devices[1].value("Ada", "email") == "lost")
    }
  }

  @Test func `Deletions since the restoration are kept`() async throws {
    try await restore { cloud, devices, restore in
      try await devices[0].change("Ada", ["age": 2])
      for device in devices { try await device.sync() }
      try await restore()
      try await devices[0].sync()
      try await devices[0].delete("Bob")
      try await devices[0].sync()
      _ = try await expectAlike(devices, cloud)
      #expect(try await devices[1].names() == ["Ada", "Cecil"])
    }
  }

  @Test func `Records that changed since the restoration are not deleted again`() async throws {
    try await restore { cloud, devices, restore in
      try await devices[0].delete("Bob")
      for device in devices { try await device.sync() }
      try await restore()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let zone = CKRecordZone.ID(zoneName: MirrorNames.zone)
      let page = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
      let records = try page.modificationResultsByID.values.map { try $0.get().record }
      let bob = try #require(records.first { $0["CD_name"] as? String == "Bob" })
      bob["CD_age"] = 9
      try await database.save(bob)
      _ = try await expectAlike(devices, cloud)
      #expect(try await devices[0].value("Bob", "age") == "9")
    }
  }

  @Test func `The server gets everything back although a device stops halfway`() async throws {
    try await restore { cloud, devices, restore in
      try await devices[0].change("Ada", ["email": "lost"])
      try await devices[0].delete("Bob")
      try await devices[0].add("Person", ["name": "Late"])
      for device in devices { try await device.sync() }
      let before = try await devices[0].text()
      try await restore()
      // The listing is imported, and nothing is sent.
      for device in devices {
        device.engine.note(.push)
        while let (step, outcome) = await device.engine.runNextStep(),
          step != .importing || outcome.failure != nil
        {}
      }
      let first = devices[0]
      try first.close()
      let again = try await Device(
        cloud.signIn("ada"), in: first.file.deletingLastPathComponent(), file: first.file)
      #expect(try await expectAlike([again, devices[1]], cloud) == before)
      try again.close()
    }
  }

  @Test func `Deletions are repeated even if the listing was interrupted`() async throws {
    try await restore { cloud, devices, restore in
      for name in ["Ada", "Bob", "Cecil"] { try await devices[0].delete(name) }
      for device in devices { try await device.sync() }
      try devices[0].close()
      var sizes = TransferSizes()
      (sizes.recordsInPage, sizes.pagesInSave) = (1, 1)
      let folder = devices[0].file.deletingLastPathComponent()
      func reopen() async throws -> Device {
        try await Device(cloud.signIn("ada"), in: folder, file: devices[0].file, sizes: sizes)
      }
      try await restore()
      // The program ends after the first page, so the listing continues without the names of that
      // page.
      let first = try await reopen()
      #expect(await first.engine.run(.setUp).failure == nil)
      let pool = first.engine.ledger.store.pool
      try pool.write {
        try $0.execute(
          "CREATE TRIGGER STOP BEFORE UPDATE OF token ON PHM_ZONE "
            + "WHEN OLD.token IS NOT NULL AND NEW.token IS NOT NULL AND EXISTS("
            + "SELECT * FROM PHM_STATE WHERE name = 'lostHistory' AND value IS NOT NULL) "
            + "BEGIN SELECT RAISE(ABORT, 'It ends here.'); END")
      }
      #expect(await first.engine.run(.importing).failure?.kind == .tokenExpired)
      #expect(await first.engine.run(.reset(.tokens)).failure == nil)
      #expect(await first.engine.run(.importing).failure?.kind == .store)
      #expect(try first.engine.ledger.zoneToken(first.engine.mirror.homeZone)?.isEmpty == false)
      try pool.write { try $0.execute("DROP TRIGGER STOP") }
      try first.close()
      let again = try await reopen()
      try await again.sync()
      #expect(try await again.names() == [])
      let new = try await Device(cloud.signIn("ada"), in: folder)
      try await new.sync()
      #expect(try await new.names() == [])
      for device in [again, new] { try device.close() }
    }
  }

  @Test func `Values that another device cleared during the listing are not sent again`()
    async throws
  {
    try await restore { cloud, devices, restore in
      try await devices[0].change("Cecil", ["email": "lost"])
      for device in devices { try await device.sync() }
      try devices[0].close()
      try await restore()
      let folder = devices[0].file.deletingLastPathComponent()
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.sync()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      var sizes = TransferSizes()
      (sizes.recordsInPage, sizes.pagesInSave) = (1, 1)
      let again = try await Device(
        signedIn, in: folder, file: devices[0].file, through: transport, sizes: sizes)
      let requests = Requests()
      transport.watch { request in
        guard request.address.contains("changes/zone") else { return }
        await #expect(throws: Never.self) {
          switch requests.next() {
          // The device knows that its token expired and what was lost. Ada and Bob are now listed
          // last.
          case 3:
            for (name, email) in [("Ada", "new"), ("Bob", "new")] {
              try await other.change(name, ["email": email])
              try await other.sync()
            }
          // Ada was listed and is listed again.
          case 6:
            try await other.save { try $0.person("Ada").setValue(nil, forKey: "email") }
            try await other.sync()
          default: break
          }
        }
      }
      for device in [again, other, again] { try await device.sync() }
      for device in [again, other] {
        #expect(try await device.value("Ada", "email") == "nil")
        #expect(try await device.value("Bob", "email") == "new")
        #expect(try await device.value("Cecil", "email") == "lost")
        try device.close()
      }
    }
  }

  @Test func `A device that had deleted everything deletes it again`() async throws {
    try await restore { cloud, devices, restore in
      try await devices[0].save { context in
        for entity in ["Group", "Person"] {
          for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
            context.delete(object)
          }
        }
      }
      for device in devices { try await device.sync() }
      try await restore()
      #expect(try await expectAlike(devices, cloud) == [])
    }
  }

  @Test func `Objects that a user removed from the device are not sent back`() async throws {
    try await restore { cloud, devices, restore in
      try await devices[0].add("Person", ["name": "Late"])
      for device in devices { try await device.sync() }
      try await restore()
      let (engine, pool) = (devices[0].engine, devices[0].engine.ledger.store.pool)
      try pool.write {
        try $0.execute(
          "CREATE TRIGGER STOP BEFORE UPDATE OF token ON PHM_ZONE WHEN NEW.token IS NOT NULL BEGIN "
            + "SELECT RAISE(ABORT, 'It ends here.'); END")
      }
      // The device knows of the loss, and its listing has not ended.
      #expect(await engine.run(.importing).failure?.kind == .tokenExpired)
      #expect(await engine.run(.reset(.tokens)).failure == nil)
      #expect(await engine.run(.importing).failure?.kind == .store)
      #expect(try engine.ledger.state(LedgerStateKey("lostHistory")) != nil)
      try pool.write { try $0.execute("DROP TRIGGER STOP") }
      #expect(await engine.run(.reset(.objects)).failure == nil)
      #expect(try await devices[0].names() == [])
      try await devices[0].sync()
      #expect(try await devices[0].names() == ["Ada", "Bob", "Cecil"])
    }
  }

  @Test func `A lost zone is restored as a whole`() async throws {
    try await withTemporaryDirectory { folder in
      let storage = RestorableStorage()
      let cloud = try await TestCloud(chance: TestRandomness(), storage: storage)
      let (first, second) = (try await cloud.signIn("ada"), try await cloud.signIn("ada"))
      try storage.backUp()
      let devices = [try await Device(first, in: folder), try await Device(second, in: folder)]
      for name in ["Ada", "Bob"] { try await devices[0].add("Person", ["name": name]) }
      for device in devices { try await device.sync() }
      try await storage.restore()
      try await cloud.restart()
      for device in devices + devices { try await device.sync() }
      for device in devices {
        #expect(try await device.names() == ["Ada", "Bob"])
        #expect(device.container.syncState.isUpToDate)
        try device.close()
      }
    }
  }

  @Test func `A program's stale record cannot overwrite unknown values`() async throws {
    let storage = RestorableStorage()
    let cloud = try await TestCloud(chance: TestRandomness(), storage: storage)
    let database = try await cloud.signIn("ada").container.privateCloudDatabase
    let other = try await cloud.signIn("ada").container.privateCloudDatabase
    let zoneID = CKRecordZone.ID(zoneName: "Notes")
    try await database.save(CKRecordZone(zoneID: zoneID))
    let recordID = CKRecord.ID(recordName: "note", zoneID: zoneID)
    try await database.save(CKRecord(recordType: "Note", recordID: recordID))
    try storage.backUp()
    let stale = try await database.record(for: recordID)
    stale["text"] = "lost"
    let seen = try await database.save(stale)
    let token = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
    try await storage.restore()
    try await cloud.restart()
    let fresh = try await other.record(for: recordID)
    fresh["text"] = "new"
    try await other.save(fresh)
    seen["text"] = "over it"
    #expect(try await code { try await database.save(seen) } == .serverRecordChanged)
    #expect(
      try await code { _ = try await database.recordZoneChanges(inZoneWith: zoneID, since: token) }
        == .changeTokenExpired)
    let whole = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
    let record = try #require(whole.modificationResultsByID[recordID]?.get().record)
    #expect(record["text"] as? String == "new")
  }

  private func code(_ body: () async throws -> Void) async throws -> CKError.Code? {
    do {
      try await body()
      return nil
    } catch let error as CKError {
      return error.code
    }
  }
}

/// A server's storage that can be reset to a backup.
private final class RestorableStorage: StorageEngine {
  private struct State {
    var engine = MemoryStorageEngine()
    var backup: MemoryStorageEngine?
  }

  private let state = Mutex(State())

  private var engine: MemoryStorageEngine { state.withLock(\.engine) }

  /// Backs up the current state.
  func backUp() throws {
    let backup = try MemoryStorageEngine(restoring: engine)
    state.withLock { $0.backup = backup }
  }

  /// Replaces the state with the backup; the server must restart afterwards.
  func restore() async throws {
    let kept = state.withLock(\.backup)
    let backup = try #require(kept)
    let restored = try MemoryStorageEngine(restoring: backup)
    state.withLock { $0.engine = restored }
  }

  var isRestored: Bool { engine.isRestored }

  func endRestoration() async throws { try await engine.endRestoration() }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }
}
