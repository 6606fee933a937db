import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Synchronization
import TestSupport
import Testing

@Suite struct `A persistent store coordinator` {
  private let sample = ShelfModel()
  private let coordinator: NSPersistentStoreCoordinator

  init() {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: sample.model)
  }

  private func addMemory(_ configuration: String? = nil, options: [AnyHashable: Any]? = nil) throws
    -> NSPersistentStore
  {
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: configuration, at: nil, options: options)
  }

  // MARK: Adding and removing

  @Test func `A coordinator has its added stores in order`() throws {
    let (one, two) = (try addMemory(), try addMemory())
    #expect(coordinator.persistentStores == [one, two])
    #expect(one.type == NSInMemoryStoreType)
    #expect(one.persistentStoreCoordinator === coordinator)
    #expect(one.identifier != two.identifier)
    try coordinator.remove(one)
    #expect(coordinator.persistentStores == [two])
    #expect(one.persistentStoreCoordinator == nil)
    #expect(throws: CocoaError.self) { try coordinator.remove(one) }
    // A store number is never reused.
    #expect(coordinator.openStores.map(\.number) == [1])
    _ = try addMemory()
    #expect(coordinator.openStores.map(\.number) == [1, 2])
    #expect(coordinator.openStore(number: 0) == nil)
  }

  @Test func `A coordinator freezes its model`() {
    #expect(sample.model.isFrozen)
  }

  @Test(arguments: ["Mine", ""])
  func `Unknown store types are refused`(type: String) {
    let error = #expect(throws: CocoaError.self) {
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: nil, options: nil)
    }
    #expect(error?.code.rawValue == 134000)
  }

  @Test func `An unknown configuration is refused`() {
    let error = #expect(throws: CocoaError.self) { try addMemory("Nowhere") }
    #expect(error?.localizedDescription.contains("Nowhere") ?? false)
  }

  @Test func `A store in memory refuses derived and composite attributes`() throws {
    let derived = NSDerivedAttributeDescription()
    derived.name = "shout"
    derived.attributeType = .stringAttributeType
    for attribute in [derived, NSCompositeAttributeDescription()] {
      if attribute.name.isEmpty { attribute.name = "place" }
      let model = NSManagedObjectModel()
      model.entities = [ShelfModel.entity("Thing", [attribute])]
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let error = #expect(throws: CocoaError.self) {
        try coordinator.addPersistentStore(
          ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      }
      #expect(error?.code.rawValue == 134020)
      #expect(error?.localizedDescription.contains("Thing.\(attribute.name)") ?? false)
    }
  }

  @Test func `Notifications report added and removed stores`() throws {
    let posted = Mutex<[String]>([])
    let names: [Notification.Name] = [
      .NSPersistentStoreCoordinatorStoresWillChange, .NSPersistentStoreCoordinatorStoresDidChange,
    ]
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: coordinator, queue: nil) {
        notification in
        let keys = (notification.userInfo ?? [:]).keys.compactMap { $0 as? String }
        posted.withLock { $0.append("\(name == names[0] ? "will" : "did") \(keys.joined())") }
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    let store = try addMemory()
    try coordinator.remove(store)
    #expect(posted.withLock { $0 } == ["will added", "did added", "will removed", "did removed"])
  }

  // MARK: Routing

  @Test func `A new object goes to the first writable store with its entity`()
    throws
  {
    let shelves = try addMemory("Shelves")
    let locked = try addMemory("Words", options: [NSReadOnlyPersistentStoreOption: true])
    let words = try addMemory("Words")
    #expect(locked.isReadOnly)
    func store(_ entity: String) -> NSPersistentStore? {
      coordinator.openStore(forNewObjectOf: sample.layout(entity))?.persistentStore
    }
    #expect(store("Book") === shelves)
    #expect(store("Novel") === shelves)
    #expect(store("Tag") === words)
    #expect(coordinator.openStores(keeping: sample.layout("Tag")).map(\.number) == [1, 2])
    locked.isReadOnly = false
    #expect(store("Tag") === locked)
  }

  @Test func `A read-only store accepts no changes`() throws {
    let store = try #require(
      try addMemory(options: [NSReadOnlyPersistentStoreOption: true]).persistentStoreCoordinator?
        .openStores.first)
    let changes = StoreChanges(
      transaction: TransactionDescription(
        author: nil, contextName: nil, bundleID: "", processID: "", date: Date()))
    let error = #expect(throws: CocoaError.self) { try store.save(changes) }
    #expect(error?.code == .fileWriteNoPermission)
  }

  // MARK: URLs and metadata

  @Test func `A store is found by its URL`() throws {
    let url = URL(fileURLWithPath: "/tmp/../tmp/somewhere")
    let store = try coordinator.addPersistentStore(type: .inMemory, at: url)
    #expect(coordinator.persistentStore(for: URL(fileURLWithPath: "/tmp/somewhere")) === store)
    #expect(coordinator.url(for: store) == url)
    let other = URL(fileURLWithPath: "/tmp/elsewhere")
    #expect(coordinator.setURL(other, for: store))
    #expect(coordinator.persistentStore(for: url) == nil)
    #expect(coordinator.persistentStore(for: other) === store)
  }

  @Test func `A coordinator that has had too many stores refuses another`() throws {
    #expect(try StoreTable.number(afterStores: 65_534) == 65_534)
    for count in [65_535, 65_536, 100_000] {
      let error = #expect(throws: StoreError.self) { try StoreTable.number(afterStores: count) }
      #expect(error?.code == .cannotOpen)
    }
  }

  @Test func `Metadata has the UUID, the type and custom values`() throws {
    let store = try addMemory()
    var metadata = coordinator.metadata(for: store)
    #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
    #expect(metadata[NSStoreTypeKey] as? String == NSInMemoryStoreType)
    #expect(sample.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    metadata["Mine"] = 7
    coordinator.setMetadata(metadata, for: store)
    #expect(store.metadata["Mine"] as? Int == 7)
    metadata[NSStoreUUIDKey] = "NEW"
    coordinator.setMetadata(metadata, for: store)
    #expect(store.identifier == "NEW")
    #expect(throws: CocoaError.self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .inMemory, at: URL(fileURLWithPath: "/x"))
    }
  }

  @Test func `A destroyed store leaves the coordinator`() throws {
    let url = URL(fileURLWithPath: "/tmp/gone")
    _ = try coordinator.addPersistentStore(type: .inMemory, at: url)
    try coordinator.destroyPersistentStore(at: url, type: .inMemory)
    #expect(coordinator.persistentStores == [])
  }

  // MARK: Identifiers

  @Test func `URIs become identifiers of the same objects`() throws {
    let store = try addMemory()
    let open = try #require(coordinator.openStores.first)
    let id = NSManagedObjectID(
      layout: sample.layout("Novel"), key: 12, storeIdentity: open.identity)
    #expect(
      id.uriRepresentation().absoluteString == "x-coredata://\(store.identifier ?? "")/Novel/p12")
    #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
    #expect(id.persistentStore === store)
    let temporary = NSManagedObjectID(
      layout: sample.layout("Tag"), temporaryKey: TemporaryKeys.usual.next(), of: .usual)
    #expect(
      coordinator.managedObjectID(forURIRepresentation: temporary.uriRepresentation()) == temporary)
    #expect(temporary.persistentStore == nil)
    try coordinator.remove(store)
    #expect(id.persistentStore == nil)
    #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == nil)
  }

  @Test(
    arguments: [
      "x-coredata://S/Novel/12", "x-coredata://S/Novel/p", "x-coredata://S/Novel/p-1",
      "x-coredata://S/Novel/pX",
      "x-coredata://S/Nothing/p1", "x-coredata://T/Novel/p1", "x-coredata://S/Novel",
      "x-coredata://S/Novel/p1/2",
      "x-coredata:///Novel/t12", "x-coredata:///Novel/p1",
      "x-coredata:///Novel/t00000000-0000-0000-0000-000000000000",
      "https://S/Novel/p1", "x-coredata:",
    ])
  func `Invalid URIs give no identifier`(text: String) throws {
    let store = try addMemory()
    coordinator.setMetadata([NSStoreUUIDKey: "S"], for: store)
    #expect(
      coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: text))) == nil)
    #expect(
      coordinator.managedObjectID(
        forURIRepresentation: try #require(URL(string: "x-coredata://S/Novel/p1"))) != nil)
  }

  @Test(arguments: ["[", "a b", "a/b", "50%", "ü:80", "a@b"])
  func `A URI round-trips with any text as the store's UUID`(uuid: String) throws {
    let store = try addMemory()
    coordinator.setMetadata([NSStoreUUIDKey: uuid], for: store)
    let open = try #require(coordinator.openStores.first)
    let id = NSManagedObjectID(
      layout: sample.layout("Novel"), key: 12, storeIdentity: open.identity)
    #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
  }

  @Test func `A URI of a store with an empty UUID gives no identifier`() throws {
    let store = try addMemory()
    coordinator.setMetadata([NSStoreUUIDKey: ""], for: store)
    let open = try #require(coordinator.openStores.first)
    let id = NSManagedObjectID(
      layout: sample.layout("Novel"), key: 12, storeIdentity: open.identity)
    let uri = id.uriRepresentation()
    #expect(uri.absoluteString == "x-coredata:///Novel/p12")
    #expect(coordinator.managedObjectID(forURIRepresentation: uri) == nil)
  }

  // MARK: Descriptions

  @Test func `A description adds a store synchronously or asynchronously`() async throws {
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    var wasCalled = false
    coordinator.addPersistentStore(with: description) { _, error in
      #expect(error == nil)
      wasCalled = true
    }
    #expect(wasCalled)
    description.shouldAddStoreAsynchronously = true
    await withCheckedContinuation { continuation in
      coordinator.addPersistentStore(with: description) { _, error in
        #expect(error == nil)
        continuation.resume()
      }
    }
    #expect(coordinator.persistentStores.count == 2)
    description.type = "Nonsense"
    let error = await withCheckedContinuation { continuation in
      coordinator.addPersistentStore(with: description) { _, error in
        continuation.resume(returning: (error as? CocoaError)?.code.rawValue)
      }
    }
    #expect(error == 134000)
  }

  // MARK: The queue

  @Test func `Blocks of a coordinator return results and throw errors`() async throws {
    #expect(coordinator.performAndWait { 3 } == 3)
    #expect(await coordinator.perform { 4 } == 4)
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await coordinator.perform { () throws -> Int in throw Failure() }
    }
    await withCheckedContinuation { continuation in coordinator.perform { continuation.resume() } }
  }

  // MARK: Simulation

  @Test func `Identifiers come from the dependencies`() throws {
    var dependencies = StackDependencies.current
    dependencies.makeUUID = { UUID(uuidString: "00000000-0000-0000-0000-00000000002A") ?? UUID() }
    dependencies.scheduler = SeededScheduler(seed: 1)
    let coordinator = StackDependencies.$current.withValue(dependencies) {
      NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
    }
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    #expect(store.identifier == "00000000-0000-0000-0000-00000000002A")
  }
}
