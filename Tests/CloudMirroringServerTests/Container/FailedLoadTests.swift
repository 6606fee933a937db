import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjects
import Synchronization
import TestSupport
import Testing

/// A store that is opened, and then closed because a later step fails.
@Suite("Stores that failed to load")
struct FailedLoadTests {
  /// Observes no file, and fails at the first attempt.
  private struct FailingObserver: FileObserver {
    final class Attempts: Sendable { let count = Mutex(0) }
    let attempts = Attempts()

    func observe(_ files: [URL], _ check: @escaping @Sendable () -> Bool) throws
      -> any FileObservation
    {
      let attempt = attempts.count.withLock { count in
        count += 1
        return count
      }
      if attempt == 1 { throw CocoaError(.fileReadTooLarge) }
      return try NullFileObserver().observe(files, check)
    }
  }

  private func withContainer(_ body: (NSPersistentCloudKitContainer) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let description = NSPersistentStoreDescription(
        url: folder.appendingPathComponent("Addresses.sqlite"))
      let options = NSPersistentCloudKitContainerOptions(
        container: try await TestCloud().signIn("ada").container)
      options.isAutomatic = false
      description.cloudKitContainerOptions = options
      var dependencies = StackDependencies.real
      dependencies.fileObserver = FailingObserver()
      let container = StackDependencies.$current.withValue(dependencies) {
        NSPersistentCloudKitContainer(name: "Addresses", managedObjectModel: AddressBook.model())
      }
      container.persistentStoreDescriptions = [description]
      await #expect(throws: (any Error).self) { try await container.loadPersistentStores() }
      #expect(container.syncState.stores.isEmpty)
      try await body(container)
    }
  }

  @Test func `The next attempt loads and mirrors the store`() async throws {
    try await withContainer { container in
      try await container.loadPersistentStores()
      try await container.sync()
      #expect(container.syncState.isUpToDate)
      for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
      }
    }
  }

  @Test func `Another container can load the store`() async throws {
    try await withContainer { container in
      let other = NSPersistentCloudKitContainer(
        name: "Addresses", managedObjectModel: AddressBook.model())
      other.persistentStoreDescriptions = container.persistentStoreDescriptions
      try await other.loadPersistentStores()
      try await other.sync()
      #expect(other.syncState.isUpToDate && container.syncState.stores.isEmpty)
      for store in other.persistentStoreCoordinator.persistentStores {
        try other.persistentStoreCoordinator.remove(store)
      }
    }
  }
}
