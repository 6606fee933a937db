import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.threads)) struct `A persistent container` {
  private let container = NSPersistentContainer(
    name: "Shelf", managedObjectModel: ShelfModel().model)

  private func useMemory() {
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
  }

  @Test func `A container has a model, a coordinator and a context for the main queue`() {
    #expect(container.name == "Shelf")
    #expect(
      container.persistentStoreCoordinator.managedObjectModel === container.managedObjectModel)
    #expect(
      container.viewContext.persistentStoreCoordinator === container.persistentStoreCoordinator)
    #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
    #expect(container.persistentStoreCoordinator.persistentStores == [])
  }

  @Test func `The store is a file named after the container in the default folder`() throws {
    let description = try #require(container.persistentStoreDescriptions.first)
    #expect(container.persistentStoreDescriptions.count == 1)
    #expect(description.type == NSSQLiteStoreType)
    #expect(
      description.url
        == NSPersistentContainer.defaultDirectoryURL().appendingPathComponent("Shelf.sqlite"))
  }

  @Test
  func `The default folder is in the user's data folder and is created if missing`()
    throws
  {
    try withTemporaryDirectory { home in
      var dependencies = StackDependencies.current
      dependencies.files = WatchedFiles(home: home)
      dependencies.bundleID = "org.example.shelf"
      let folder = StackDependencies.$current.withValue(dependencies) {
        NSPersistentContainer.defaultDirectoryURL()
      }
      #expect(
        folder.standardizedFileURL
          == home.appendingPathComponent("org.example.shelf").standardizedFileURL)
      var isFolder: ObjCBool = false
      #expect(
        FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder)
          && isFolder.boolValue)
    }
  }

  @Test func `Loading calls the closure once for each description`() async throws {
    let descriptions = (0..<3).map { _ in NSPersistentStoreDescription() }
    for description in descriptions { description.type = NSInMemoryStoreType }
    descriptions[1].type = "Nonsense"
    container.persistentStoreDescriptions = descriptions
    var outcomes: [Bool] = []
    container.loadPersistentStores { _, error in outcomes.append(error == nil) }
    #expect(outcomes == [true, false, true])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
  }

  @Test func `A caller may wait for loading`() async throws {
    useMemory()
    try await container.loadPersistentStores()
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    container.persistentStoreDescriptions[0].type = "Mine"
    await #expect(throws: CocoaError.self) { try await container.loadPersistentStores() }
  }

  @Test func `A store may be loaded in the background`() async throws {
    useMemory()
    container.persistentStoreDescriptions[0].shouldAddStoreAsynchronously = true
    let container = container
    await withCheckedContinuation { continuation in
      container.loadPersistentStores { _, error in
        #expect(error == nil)
        continuation.resume()
      }
    }
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
  }

  @Test func `Background tasks have a context and its queue`() async throws {
    let container = container
    let isFresh = await container.performBackgroundTask { context in
      context.concurrencyType == .privateQueueConcurrencyType && context !== container.viewContext
        && context.persistentStoreCoordinator === container.persistentStoreCoordinator
    }
    #expect(isFresh)
    await withCheckedContinuation { continuation in
      container.performBackgroundTask { _ in continuation.resume() }
    }
    func inBackground<T>(_ body: @escaping (NSManagedObjectContext) throws -> T) async throws -> T {
      try await container.performBackgroundTask { try body($0) }
    }
    final class Box {
      var name: String?
    }
    let box = Box()
    try await inBackground { box.name = $0.persistentStoreCoordinator?.name ?? "none" }
    #expect(box.name == "none")
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await container.performBackgroundTask { (_) throws -> Int in throw Failure() }
    }
  }

  @Test func `A container with simulated dependencies passes them to its contexts`() {
    var dependencies = StackDependencies.current
    let scheduler = SeededScheduler(seed: 11)
    dependencies.scheduler = scheduler
    let container = StackDependencies.$current.withValue(dependencies) {
      NSPersistentContainer(name: "Simulated", managedObjectModel: ShelfModel().model)
    }
    let order = Mutex<[Int]>([])
    withExtendedLifetime(container) {
      for number in 0..<3 {
        container.performBackgroundTask { _ in order.withLock { $0.append(number) } }
      }
      #expect(order.withLock { $0.isEmpty })
      scheduler.runUntilIdle()
    }
    #expect(order.withLock { $0.sorted() } == [0, 1, 2])
  }

  @Test func `A name without a model stops the program with a message`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSPersistentContainer(name: "NoSuchModel")
    }
    let message = standardError(of: result)
    #expect(message.contains("There is no model named NoSuchModel"))
  }
}
