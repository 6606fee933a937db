import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

@Suite("Mirrored stores")
struct ContainerTests {
  private func description(_ folder: URL, _ cloud: TestCloud) async throws
    -> NSPersistentStoreDescription
  {
    let description = NSPersistentStoreDescription(
      url: folder.appendingPathComponent("\(UUID().uuidString).sqlite"))
    let options = NSPersistentCloudKitContainerOptions(
      container: try await cloud.signIn("ada").container)
    options.isAutomatic = false
    description.cloudKitContainerOptions = options
    return description
  }

  private func error(
    _ model: NSManagedObjectModel = AddressBook.model(),
    _ change: (NSPersistentStoreDescription) -> Void
  ) async throws -> NSError? {
    try await withTemporaryDirectory { folder in
      let description = try await description(folder, TestCloud())
      change(description)
      let container = NSPersistentCloudKitContainer(name: "Addresses", managedObjectModel: model)
      container.persistentStoreDescriptions = [description]
      do {
        try await container.loadPersistentStores()
        return nil
      } catch {
        return error as NSError
      }
    }
  }

  @Test func `A description keeps its options, and its copy has the same ones`() {
    let description = NSPersistentStoreDescription()
    #expect(description.cloudKitContainerOptions == nil)
    let options = NSPersistentCloudKitContainerOptions(
      containerIdentifier: "iCloud.com.example.app")
    #expect(options.databaseScope == .private)
    options.databaseScope = .public
    description.cloudKitContainerOptions = options
    let copy = description.copy() as? NSPersistentStoreDescription
    #expect(copy?.cloudKitContainerOptions === options)
    description.cloudKitContainerOptions = nil
    #expect(description.cloudKitContainerOptions == nil)
  }

  @Test func `A mirrored store keeps a history and posts remote changes`() async throws {
    try await withTemporaryDirectory { folder in
      let container = NSPersistentCloudKitContainer(
        name: "Addresses", managedObjectModel: AddressBook.model())
      container.persistentStoreDescriptions = [try await description(folder, TestCloud())]
      try await container.loadPersistentStores()
      let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
      #expect(store.options?[NSPersistentHistoryTrackingKey] as? Bool == true)
      #expect(
        store.options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? Bool == true)
      #expect(container.canModifyManagedObjects(in: store))
      try container.persistentStoreCoordinator.remove(store)
      #expect(container.syncState.stores.isEmpty)
    }
  }

  @Test(arguments: [
    NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
  ])
  func `A missing option that mirroring needs is an error that names it`(key: String) async throws {
    let error = try #require(try await error { $0.setOption(false as NSNumber, forKey: key) })
    #expect(error.code == 134_060)
    #expect(error.localizedDescription.contains(key))
  }

  @Test func `A store in memory cannot be mirrored`() async throws {
    let error = try #require(try await error { $0.type = NSInMemoryStoreType })
    #expect(error.code == 134_060)
  }

  @Test func `The error of a model that cannot be mirrored names the entity and the property`()
    async throws
  {
    let model = AddressBook.model()
    let attribute = NSAttributeDescription()
    attribute.name = "anything"
    attribute.attributeType = .undefinedAttributeType
    attribute.isTransient = false
    model.entitiesByName["Person"]?.properties.append(attribute)
    let error = try #require(try await error(model) { _ in })
    #expect(error.code == 134_060)
    #expect(
      error.localizedDescription.contains("Person")
        && error.localizedDescription.contains("anything"))
  }

  @Test func `An attribute that allows encryption cannot be mirrored to a public database`()
    async throws
  {
    let model = AddressBook.model()
    model.entitiesByName["Person"]?.attributesByName["email"]?.allowsCloudEncryption = true
    #expect(try await error(model) { _ in } == nil)
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    let error = try #require(
      try await error(copy) { $0.cloudKitContainerOptions?.databaseScope = .public })
    #expect(
      error.code == 134_060 && error.localizedDescription.contains("Person.email allows encryption")
    )
  }

  @Test func `Only one container of a process mirrors a store`() async throws {
    try await withTemporaryDirectory { folder in
      let description = try await description(folder, TestCloud())
      let containers = (0..<2).map { _ in
        NSPersistentCloudKitContainer(name: "Addresses", managedObjectModel: AddressBook.model())
      }
      for container in containers { container.persistentStoreDescriptions = [description] }
      try await containers[0].loadPersistentStores()
      do {
        try await containers[1].loadPersistentStores()
        Issue.record("The store was mirrored twice.")
      } catch {
        #expect((error as NSError).code == 134_410)
      }
      for store in containers[0].persistentStoreCoordinator.persistentStores {
        try containers[0].persistentStoreCoordinator.remove(store)
      }
      try await containers[1].loadPersistentStores()
    }
  }

  @Test func `A blocked store does not stop another store of the container`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let container = NSPersistentCloudKitContainer(
        name: "Addresses", managedObjectModel: AddressBook.model())
      container.persistentStoreDescriptions = [
        try await description(folder, cloud), try await description(folder, cloud),
      ]
      try await container.loadPersistentStores()
      try await container.sync()
      let engines = container.mirroring.engines
      let bob = try await cloud.signIn("bob")
      let token = try #require(bob.webAuthToken)
      try engines[0].mirror.container.binding().setCredentials(
        .user(apiToken: bob.apiToken, webAuthToken: token))
      let second = engines[1].mirror.storeIdentifier
      try await container.performBackgroundTask { context in
        let stores = context.persistentStoreCoordinator?.persistentStores ?? []
        let store = try #require(stores.first { $0.identifier == second })
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        context.assign(town, to: store)
        try context.save()
      }
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await container.sync()
      }
      #expect(blocker?.code == .accountChanged)
      #expect(container.syncState.stores.map(\.pendingChangeCount) == [0, 0])
      #expect(container.syncState.stores.map(\.isUpToDate) == [false, true])
      for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
      }
    }
  }
}
