import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Synchronization
import Testing

/// The loading of an application's stores.
@Suite struct ContainerLoadingTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "loading-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func `A store that loads in the background is announced and can then be used`()
    async throws
  {
    try await withFolder { folder in
      let container = NSPersistentContainer(
        name: "Kitchen", managedObjectModel: KitchenModel.make())
      let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("A.sqlite"))
      description.shouldAddStoreAsynchronously = true
      container.persistentStoreDescriptions = [description]
      let names = Mutex<[String]>([])
      let tokens = [
        Notification.Name.NSPersistentStoreCoordinatorStoresWillChange,
        .NSPersistentStoreCoordinatorStoresDidChange,
      ].map { name in
        NotificationCenter.default.addObserver(
          forName: name, object: container.persistentStoreCoordinator, queue: nil
        ) {
          let count = ($0.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore])?.count
          names.withLock { $0.append("\(name.rawValue) \(count ?? 0)") }
        }
      }
      defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
      let failed = await withCheckedContinuation { continuation in
        container.loadPersistentStores { continuation.resume(returning: $1 != nil) }
      }
      #expect(!failed)
      #expect(
        names.withLock { $0 } == [
          "NSPersistentStoreCoordinatorStoresWillChangeNotification 1",
          "NSPersistentStoreCoordinatorStoresDidChangeNotification 1",
        ])
      try await container.performBackgroundTask { context in
        context.recipe("Soup")
        try context.save()
      }
      let context = container.newBackgroundContext()
      let titles = try await context.perform { try context.titles() }
      #expect(titles == ["Soup"])
    }
  }

  @Test func `A subclass may add stores in its own way`() async throws {
    /// Records every added store.
    final class Coordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
      let added = Mutex<[String]>([])

      override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
      ) throws -> NSPersistentStore {
        added.withLock { $0.append(storeType) }
        return try super.addPersistentStore(
          ofType: storeType, configurationName: configuration, at: storeURL, options: options)
      }
    }
    /// Counts the fetches.
    final class Context: NSManagedObjectContext, @unchecked Sendable {
      var fetches = 0

      override func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        fetches += 1
        return try super.fetch(request)
      }
    }
    let coordinator = Coordinator(managedObjectModel: KitchenModel.make())
    try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null/2"))
    coordinator.addPersistentStore(with: description) { #expect($1 == nil) }
    #expect(coordinator.added.withLock { $0 } == [NSSQLiteStoreType, NSSQLiteStoreType])
    let context = Context(.privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let count = try context.performAndWait {
      context.recipe("Soup")
      _ = try context.titles()
      return context.fetches
    }
    #expect(count == 1)
  }

  @Test func `A store of another version is refused, or migrated by a container`() async throws {
    try await withFolder { folder in
      let url = folder.appendingPathComponent("A.sqlite")
      let first = NSPersistentStoreCoordinator(managedObjectModel: KitchenModel.make())
      try first.remove(try first.addPersistentStore(type: .sqlite, at: url))
      let changed = KitchenModel.make()
      changed.entitiesByName["Cook"]?.properties += [
        KitchenModel.attribute("age", .integer16AttributeType)
      ]
      let second = NSPersistentStoreCoordinator(managedObjectModel: changed)
      let error = #expect(throws: NSError.self) {
        try second.addPersistentStore(type: .sqlite, at: url)
      }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
      // A description migrates automatically by default.
      let container = NSPersistentContainer(name: "Kitchen", managedObjectModel: changed)
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
      try await container.loadPersistentStores()
      #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }
  }
}
