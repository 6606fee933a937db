import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import SQLiteDriver
import TestSupport
import Testing

/// The remedy that a blocker names works.
@Suite("Remedies", .endsAtAll)
struct RemedyTests {
  private typealias Blocker = NSPersistentCloudKitContainer.SyncBlocker

  private func withDevices(_ body: (Device, Device) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await body(one, other)
      try one.close()
      try other.close()
    }
  }

  @Test func `A paused store reports the pause as its blocker, and resume() helps`() async throws {
    try await withDevices { device, _ in
      try await device.sync()
      device.container.pause()
      try await device.add("Person", ["name": "Ada"])
      let person = try await device.person("Ada")
      let blocker = await #expect(throws: Blocker.self) { try await device.sync() }
      #expect(blocker?.code.rawValue == "paused" && blocker?.remedy.contains("resume()") == true)
      #expect(try device.container.syncState(of: person) == .pending(blocker))
      #expect(device.container.syncState.blocker == blocker)
      let ofOne = await #expect(throws: Blocker.self) { try await device.container.sync(person) }
      #expect(ofOne == blocker)
      device.container.resume()
      #expect(try device.container.syncState(of: person) == .pending(nil))
      try await device.container.sync(person)
      #expect(device.container.syncState.blocker == nil)
    }
  }

  // MARK: Undoing

  private func expectCannotUndo(
    _ device: Device, _ conflict: NSPersistentCloudKitContainer.Conflict, _ words: String
  ) throws {
    let blocker = #expect(throws: Blocker.self) { try device.container.undo(conflict) }
    #expect(blocker?.code == .cannotUndo)
    #expect(blocker?.message.contains(words) == true, "\(blocker?.message ?? "nothing")")
    #expect(blocker?.remedy.contains("overwrittenValues") == true)
  }

  private func agree(_ one: Device, _ other: Device) async throws {
    for device in [one, other, one, other, one] { try await device.sync() }
  }

  @Test
  func `A conflict of a missing object cannot be undone, and its error names the object`()
    async throws
  {
    try await withDevices { one, other in
      try await one.add("Person", ["name": "Ada", "email": "old"])
      try await agree(one, other)
      try await one.change("Ada", ["email": "one"])
      try await other.change("Ada", ["email": "other"])
      try await agree(one, other)
      let conflict = try #require(try other.container.conflicts().first)
      try await other.delete("Ada")
      try expectCannotUndo(other, conflict, "Person")
    }
  }

  @Test func `An object can be recreated only once`() async throws {
    try await withDevices { one, other in
      try await one.add("Person", ["name": "Ada"])
      try await agree(one, other)
      try await one.delete("Ada")
      try await other.change("Ada", ["age": 36])
      try await agree(one, other)
      let conflict = try #require(try other.container.conflicts().first)
      try other.container.undo(conflict)
      try expectCannotUndo(other, conflict, "already restored")
    }
  }

  @Test
  func `A reference to a missing object cannot be restored, and its error names the property`()
    async throws
  {
    try await withDevices { one, other in
      try await one.add("Person", ["name": "Ada"])
      for town in ["London", "Paris", "Rome"] { try await one.add("Town", ["name": town]) }
      func move(_ device: Device, to name: String) async throws {
        try await device.save { context in
          let towns = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
          let town = towns.first { $0.value(forKey: "name") as? String == name }
          try context.person("Ada").setValue(town, forKey: "town")
        }
      }
      try await move(one, to: "Rome")
      try await agree(one, other)
      try await move(one, to: "London")
      try await move(other, to: "Paris")
      try await agree(one, other)
      let conflict = try #require(try other.container.conflicts().first)
      try await other.save { context in
        let towns = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
        for town in towns where town.value(forKey: "name") as? String == "London" {
          context.delete(town)
        }
      }
      try expectCannotUndo(other, conflict, "town")
    }
  }

  // MARK: Decisions

  @Test func `An answer without a question has no effect`() async throws {
    try await withDevices { device, _ in
      try await device.sync()
      let (container, store) = (device.container, try #require(device.store))
      #expect(!container.resolveDeletion(of: store, by: .deleteLocally))
      #expect(!container.resolveAccountChange(of: store, by: .replaceData))
      #expect(!container.moveToCurrentCloud(store))
      let zone = device.engine.mirror.homeZone.zoneID
      try await device.engine.mirror.database.deleteRecordZone(withID: zone)
      _ = try? await device.sync()
      #expect(container.syncState.blocker?.code == .zoneDeletedByUser)
      #expect(!container.resolveAccountChange(of: store, by: .replaceData))
      #expect(container.resolveDeletion(of: store, by: .uploadAgain))
      #expect(
        !container.resolveDeletion(of: store, by: .uploadAgain),
        "The question was already answered.")
      try await device.sync()
      #expect(container.syncState.isUpToDate)
    }
  }

  // MARK: A store that cannot be read

  @Test func `A store whose pending count cannot be read is not up to date and gives the reason`()
    async throws
  {
    try await withDevices { device, _ in
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
      try Connection(.file(device.file.path)).execute(
        "ALTER TABLE PHM_PAIR RENAME TO PHM_PAIR_GONE")
      let state = device.container.syncState
      #expect(!state.isUpToDate && state.blocker?.code == .store)
      #expect(state.blocker?.message.isEmpty == false)
      try Connection(.file(device.file.path)).execute(
        "ALTER TABLE PHM_PAIR_GONE RENAME TO PHM_PAIR")
      #expect(device.container.syncState.isUpToDate)
    }
  }
}

extension Device {
  fileprivate var store: NSPersistentStore? {
    container.persistentStoreCoordinator.persistentStores.first
  }
}
