import CloudKitClient
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirroringTestSupport
import TestSupport
import Testing

/// If options are missing or stores are not loaded, nothing is sent, and the container reports it.
@Suite("Containers without mirrored stores")
struct UnmirroredContainerTests {
  private typealias Blocker = NSPersistentCloudKitContainer.SyncBlocker

  private func withContainer(_ body: (NSPersistentCloudKitContainer) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { folder in
      var sketch = ModelSketch()
      sketch.entity("Person", [ModelSketch.attribute("name", .stringAttributeType)])
      let container = NSPersistentCloudKitContainer(
        name: "Addresses", managedObjectModel: sketch.model)
      container.persistentStoreDescriptions = [
        NSPersistentStoreDescription(url: folder.appendingPathComponent("local.sqlite"))
      ]
      try await body(container)
    }
  }

  /// Expects the errors that a program gets if it requires everything to be in the cloud.
  private func expectNotified(_ container: NSPersistentCloudKitContainer) async {
    let state = container.syncState
    #expect(state.stores.isEmpty && !state.isUpToDate)
    let blocker = await #expect(throws: Blocker.self) { try await container.sync() }
    #expect(blocker?.code.rawValue == "nothing-mirrored")
    #expect(blocker?.remedy.contains("cloudKitContainerOptions") == true)
    #expect(blocker?.remedy.contains("loadPersistentStores") == true)
    for options in [[], .dryRun] as [NSPersistentCloudKitContainerSchemaInitializationOptions] {
      let error = #expect(throws: NSError.self) {
        try container.initializeCloudKitSchema(options: options)
      }
      let remedy = error?.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
      #expect(remedy == blocker?.remedy)
    }
  }

  @Test func `Stores without options stay on the device and report nothing as uploaded`()
    async throws
  {
    try await withContainer { container in
      try await container.loadPersistentStores()
      await expectNotified(container)
      let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
      #expect(container.canModifyManagedObjects(in: store))
    }
  }

  @Test func `Stores that were not loaded report nothing as uploaded`() async throws {
    try await withContainer { container in
      let options = NSPersistentCloudKitContainerOptions(
        containerIdentifier: "iCloud.com.example.app")
      container.persistentStoreDescriptions.first?.cloudKitContainerOptions = options
      await expectNotified(container)
    }
  }

  @Test func `Calls about a store that is not mirrored have no effect`() async throws {
    try await withContainer { container in
      try await container.loadPersistentStores()
      let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
      #expect(!container.resolveDeletion(of: store, by: .uploadAgain))
      #expect(!container.resolveAccountChange(of: store, by: .moveData))
      #expect(!container.moveToCurrentCloud(store))
    }
  }

  @Test(arguments: [true, false])
  func `A purge fails if the store, or every store, is not mirrored`(
    namesStore: Bool
  ) async throws {
    try await withContainer { container in
      try await container.loadPersistentStores()
      let zoneID = CKRecordZone.ID(zoneName: "Notes")
      let stores = container.persistentStoreCoordinator.persistentStores
      let reason = await withCheckedContinuation {
        (continuation: CheckedContinuation<String?, Never>) in
        container.purgeObjectsAndRecordsInZone(
          with: zoneID, in: namesStore ? stores.first : nil
        ) { zone, error in
          #expect(zone == nil)
          continuation.resume(returning: error?.localizedDescription)
        }
      }
      #expect(reason?.contains("not mirrored") == true)
      let thrown = await #expect(throws: NSError.self) {
        try await container.purgeObjectsAndRecordsInZone(
          with: zoneID,
          in: namesStore ? container.persistentStoreCoordinator.persistentStores.first : nil)
      }
      #expect(thrown?.localizedDescription == reason)
    }
  }

  @Test func `Records of a read-only store cannot be changed`() async throws {
    try await withContainer { container in
      try await container.loadPersistentStores()
      let person = try await container.performBackgroundTask { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        try context.save()
        return person.objectID
      }
      #expect(container.canUpdateRecord(forManagedObjectWith: person))
      let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
      store.isReadOnly = true
      #expect(!container.canModifyManagedObjects(in: store))
      #expect(!container.canUpdateRecord(forManagedObjectWith: person))
      #expect(!container.canDeleteRecord(forManagedObjectWith: person))
    }
  }

  @Test(.endsAtAll) func `The states end with their container`() async {
    func begin() async -> AsyncStream<NSPersistentCloudKitContainer.SyncState>.Iterator {
      let container = NSPersistentCloudKitContainer(
        name: "Addresses", managedObjectModel: NSManagedObjectModel())
      var states = container.syncStates.makeAsyncIterator()
      #expect(await states.next()?.stores.isEmpty == true)
      withExtendedLifetime(container) {}
      return states
    }
    var states = await begin()
    #expect(await states.next() == nil)
  }
}
