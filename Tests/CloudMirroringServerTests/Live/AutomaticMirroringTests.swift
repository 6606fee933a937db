import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

/// Devices that sync only because of saves and pushes.
@Suite("Automatic mirroring", .endsAtAll)
struct AutomaticMirroringTests {
  /// Waits until a device has reached a state.
  private func wait(
    _ device: Device,
    until isReached: (NSPersistentCloudKitContainer.SyncState) async throws -> Bool
  ) async throws {
    // `syncStates` does not help: the clock stands still, so the state after an import can equal
    // the one before it, which is not published again.
    try await yields(while: try await !isReached(device.container.syncState))
  }

  @Test func `A save on one device appears on the other without a call`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, isAutomatic: true)
      let other = try await Device(cloud.signIn("ada"), in: folder, isAutomatic: true)
      try await wait(one) { $0.isUpToDate }
      try await wait(other) { $0.isUpToDate }
      try await one.add("Person", ["name": "Ada"])
      try await wait(other) { _ in try await other.names() == ["Ada"] }
      try await other.change("Ada", ["email": "ada@example.com"])
      try await wait(one) { _ in try await one.value("Ada", "email") == "ada@example.com" }
      try await other.delete("Ada")
      try await wait(one) { _ in try await one.names().isEmpty }
      let (ours, theirs) = (try await one.text(), try await other.text())
      #expect(ours.isEmpty && theirs.isEmpty)
      try one.close()
      try other.close()
    }
  }

  @Test func `After a notification that names the store's zone, no list of zones is requested`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await cloud.signIn("ada")
      let transport = WatchedTransport(device.transport)
      let listings = Mutex(0)
      transport.watch { request in
        if request.address.contains("changes/database") { listings.withLock { $0 += 1 } }
      }
      let one = try await Device(device, in: folder, isAutomatic: true, through: transport)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await wait(one) { $0.isUpToDate }
      try await other.sync()
      var counts: [Int] = []
      for (number, name) in ["Ada", "Ben", "Eve"].enumerated() {
        try await other.add("Person", ["name": name])
        try await other.sync()
        try await wait(one) { _ in try await one.names().count == number + 1 }
        try await wait(one) { $0.isUpToDate }
        counts.append(listings.withLock(\.self))
      }
      #expect(counts[1] == counts[0] && counts[2] == counts[0])
      try one.close()
      try other.close()
    }
  }

  @Test func `A deleted subscription is created again, and notifies the store`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await cloud.signIn("ada")
      let one = try await Device(device, in: folder, isAutomatic: true)
      try await wait(one) { $0.isUpToDate && $0.stores.allSatisfy(\.isListening) }
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let name = MirrorNames.privateSubscription
      try await database.deleteSubscription(withID: name)
      try await yields(
        while: try await !database.allSubscriptions().contains { $0.subscriptionID == name })
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.add("Person", ["name": "Ada"])
      try await other.sync()
      try await wait(one) { _ in try await one.names() == ["Ada"] }
      try one.close()
      try other.close()
    }
  }

  @Test func `Batch requests on one device appear on the other without a call`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, isAutomatic: true)
      let other = try await Device(cloud.signIn("ada"), in: folder, isAutomatic: true)
      try await wait(one) { $0.isUpToDate }
      try await wait(other) { $0.isUpToDate }
      try await one.save { context in
        _ = try context.execute(
          NSBatchInsertRequest(
            entityName: "Person", objects: [["name": "Ada"], ["name": "Ben"]]))
      }
      try await wait(other) { _ in try await Set(other.names()) == ["Ada", "Ben"] }
      try await one.save { context in
        let update = NSBatchUpdateRequest(entityName: "Person")
        update.predicate = NSPredicate(format: "name == 'Ada'")
        update.propertiesToUpdate = ["email": "ada@example.com"]
        _ = try context.execute(update)
      }
      try await wait(other) { _ in try await other.value("Ada", "email") == "ada@example.com" }
      try await one.save { context in
        let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: all))
      }
      try await wait(other) { _ in try await other.names().isEmpty }
      try one.close()
      try other.close()
    }
  }

  /// Runs in its own process, in which no other test has bound a container.
  @Test func `A container that is bound after its stores load also listens`() async {
    await #expect(processExitsWith: .success) {
      try await AutomaticMirroringTests().bindLate()
    }
  }

  private func bindLate() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let container = NSPersistentCloudKitContainer(
        name: "Late", managedObjectModel: AddressBook.model())
      let description = NSPersistentStoreDescription(
        url: folder.appendingPathComponent("Late.sqlite"))
      description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
        containerIdentifier: cloud.container)
      container.persistentStoreDescriptions = [description]
      try await container.loadPersistentStores()
      for await state in container.syncStates where state.blocker?.code == .notConfigured { break }
      let device = try await cloud.signIn("ada")
      let credentials = CKContainer.Configuration.Credentials.user(
        apiToken: device.apiToken, webAuthToken: try #require(device.webAuthToken))
      ContainerRegistry.shared.bind(
        CKContainer.Configuration(
          containerIdentifier: cloud.container, server: try #require(URL(string: cloud.address)),
          credentials: credentials),
        transport: device.transport)
      try await container.sync()
      for await state in container.syncStates where state.stores.first?.isListening == true {
        break
      }
    }
  }
}
