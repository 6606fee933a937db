import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import TestSupport
import Testing

/// Stores of one coordinator that are mirrored independently.
@Suite("Several mirrored stores", .endsAtAll)
struct SeveralStoresTests {
  private func description(
    _ folder: URL, _ configuration: String, _ device: TestDevice,
    _ scope: CKDatabase.Scope = .private
  ) -> NSPersistentStoreDescription {
    let description = NSPersistentStoreDescription(
      url: folder.appendingPathComponent("\(UUID().uuidString).sqlite"))
    description.configuration = configuration
    let options = NSPersistentCloudKitContainerOptions(container: device.container)
    options.isAutomatic = false
    options.databaseScope = scope
    description.cloudKitContainerOptions = options
    return description
  }

  /// A container for private notes, and for tags in another store.
  private func container(_ descriptions: [NSPersistentStoreDescription]) async throws
    -> NSPersistentCloudKitContainer
  {
    var sketch = ModelSketch()
    let note = sketch.entity("Note", [ModelSketch.attribute("text", .stringAttributeType)])
    let tag = sketch.entity("Tag", [ModelSketch.attribute("text", .stringAttributeType)])
    let model = sketch.model
    model.setEntities([note], forConfigurationName: "Notes")
    model.setEntities([tag], forConfigurationName: "Tags")
    let container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: model)
    container.persistentStoreDescriptions = descriptions
    try await container.loadPersistentStores()
    return container
  }

  private func add(_ entity: String, _ text: String, _ container: NSPersistentCloudKitContainer)
    async throws
  {
    try await container.performBackgroundTask { context in
      NSEntityDescription.insertNewObject(forEntityName: entity, into: context).setValue(
        text, forKey: "text")
      try context.save()
    }
  }

  private func texts(_ container: NSPersistentCloudKitContainer) async throws -> [String] {
    try await container.performBackgroundTask { context in
      try ["Note", "Tag"].flatMap {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: $0))
      }
      .compactMap { $0.value(forKey: "text") as? String }
    }
  }

  private func close(_ container: NSPersistentCloudKitContainer) throws {
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  private func types(_ database: CKDatabase, _ zone: CKRecordZone.ID) async throws -> [String] {
    let changes = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
    return try changes.modificationResultsByID.values.map { try $0.get().record.recordType }
      .sorted()
  }

  @Test func `Each store syncs with the container that its description names`() async throws {
    try await withTemporaryDirectory { folder in
      let (notes, tags) = (
        try await TestCloud(), try await TestCloud(container: "iCloud.com.example.tags")
      )
      func device() async throws -> NSPersistentCloudKitContainer {
        try await container([
          description(folder, "Notes", notes.signIn("ada")),
          description(folder, "Tags", tags.signIn("ada")),
        ])
      }
      let (one, other) = (try await device(), try await device())
      try await add("Note", "Buy milk", one)
      try await add("Tag", "urgent", one)
      try await one.sync()
      try await other.sync()
      #expect(try await texts(other) == ["Buy milk", "urgent"])
      #expect(
        Set(other.syncState.stores.map(\.containerIdentifier)) == [notes.container, tags.container])
      let zone = CKRecordZone.ID(zoneName: MirrorNames.zone)
      #expect(
        try await types(notes.signIn("ada").container.privateCloudDatabase, zone) == ["CD_Note"])
      #expect(
        try await types(tags.signIn("ada").container.privateCloudDatabase, zone) == ["CD_Tag"])
      try close(one)
      try close(other)
    }
  }

  @Test(.blockingThreads)
  func `A private and a public store are mirrored side by side and learn their schema`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      func device(_ user: String) async throws -> NSPersistentCloudKitContainer {
        try await container([
          description(folder, "Notes", cloud.signIn(user)),
          description(folder, "Tags", cloud.signIn(user), .public),
        ])
      }
      let (ada, bob) = (try await device("ada"), try await device("bob"))
      try ada.initializeCloudKitSchema()
      try await add("Note", "Buy milk", ada)
      try await add("Tag", "urgent", ada)
      try await ada.sync()
      try await bob.sync()
      #expect(try await texts(bob) == ["urgent"])
      #expect(try await texts(ada) == ["Buy milk", "urgent"])
      #expect(ada.syncState.isUpToDate && bob.syncState.isUpToDate)
      try close(ada)
      try close(bob)
    }
  }
}
