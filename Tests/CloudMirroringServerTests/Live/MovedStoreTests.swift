import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjects
import TestSupport
import Testing

/// Stores that are moved, and stores that wait for the program.
@Suite("Moved stores", .endsAtAll)
struct MovedStoreTests {
  @Test func `Migrating a mirrored store to another place duplicates nothing`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      for name in ["Ada", "Bob"] { try await device.add("Person", ["name": name]) }
      try await device.sync()
      try await device.change("Bob", ["age": 30])
      try await device.add("Person", ["name": "Cyd"])
      let coordinator = device.container.persistentStoreCoordinator
      let store = try #require(coordinator.persistentStores.first)
      let place = folder.appendingPathComponent("moved.sqlite")
      #expect(throws: NSError.self) {
        try coordinator.migratePersistentStore(
          store, to: other.file, options: store.options, type: .sqlite)
      }
      #expect(coordinator.persistentStores.count == 1, "A rejected copy changes nothing.")
      let moved = try coordinator.migratePersistentStore(
        store, to: place, options: store.options, type: .sqlite)
      #expect(coordinator.persistentStores == [moved] && moved.url == place)
      #expect(device.container.syncState.pendingChangeCount == 2)
      try await device.sync()
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Bob", "Cyd"])
      #expect(try await other.value("Bob", "age") == "30")
      #expect(try await device.text() == other.text())
      try device.close()
      try other.close()
    }
  }

  @Test func `Stores that are added to a paused container wait until it resumes`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let container = NSPersistentCloudKitContainer(
        name: "Addresses", managedObjectModel: AddressBook.model())
      let description = NSPersistentStoreDescription(
        url: folder.appendingPathComponent("paused.sqlite"))
      let options = NSPersistentCloudKitContainerOptions(
        container: try await cloud.signIn("ada").container)
      options.isAutomatic = false
      description.cloudKitContainerOptions = options
      container.persistentStoreDescriptions = [description]
      container.pause()
      try await container.loadPersistentStores()
      #expect(container.syncState.stores.map(\.phase) == [.paused])
      await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await container.sync()
      }
      container.resume()
      try await container.sync()
      #expect(container.syncState.isUpToDate)
      for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
      }
    }
  }
}
