import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

/// Objects that are copied into a mirrored store.
@Suite("Copied objects", .endsAtAll)
struct CopiedObjectTests {
  /// A store with people in towns and groups, in the model of a device.
  private func seed(_ device: Device, in folder: URL) throws -> (
    NSPersistentStoreCoordinator, NSPersistentStore
  ) {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: device.container.managedObjectModel)
    let store = try coordinator.addPersistentStore(
      type: .sqlite, at: folder.appendingPathComponent("seed.sqlite"))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    try context.performAndWait {
      context.persistentStoreCoordinator = coordinator
      func add(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (name, value) in values { object.setValue(value, forKey: name) }
        return object
      }
      let town = add("Town", ["name": "Bath"])
      let groups = ["x", "y"].map { add("Group", ["title": $0]) }
      let people = (0..<7).map { number in
        add("Person", ["name": "p\(number)", "age": number, "town": town])
      }
      for (number, person) in people.enumerated() {
        person.setValue(people[(number + 1) % 7], forKey: "parent")
        person.setValue(Set([groups[number % 2]]) as NSSet, forKey: "groups")
      }
      try context.save()
    }
    return (coordinator, store)
  }

  @Test func `Objects that are moved into a mirrored store are sent`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let (seedCoordinator, seed) = try seed(device, in: folder)
      let coordinator = device.container.persistentStoreCoordinator
      let store = try #require(coordinator.persistentStores.first)
      let result = try await coordinator.moveObjects(
        from: seed, to: store, options: .init(batchSize: 3))
      #expect(result.insertedCount == 10)
      #expect(device.container.syncState.pendingChangeCount > 0)
      try seedCoordinator.remove(seed)
      try await device.sync()
      try await other.sync()
      #expect(try await other.names().count == 8)
      #expect(try await device.text() == other.text())
      let people = try await device.text().filter { $0.contains("p3") }
      #expect(people.contains { $0.contains("Bath") && $0.contains("y") && $0.contains("p4") })
      try device.close()
      try other.close()
    }
  }
}
