import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

@Suite struct `Registered classes of stores` {
  private final class Empty: NSIncrementalStore {
    override func loadMetadata() throws { metadata = [:] }

    override class func identifierForNewStore(at storeURL: URL) -> Any { "chosen" }
  }

  private final class Unwritten: NSAtomicStore {}

  /// A store that overrides the designated initializer, as tutorials do.
  private final class Initialized: NSIncrementalStore {
    let place: URL

    override init(
      persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
      configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil
    ) {
      place = url
      super.init(
        persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override func loadMetadata() throws {
      guard persistentStoreCoordinator?.managedObjectModel != nil else {
        throw ServerError.unreachable
      }
      metadata = [NSStoreUUIDKey: "\(options?["name"] ?? "none")", NSStoreTypeKey: type]
      isReadOnly = true
    }
  }

  private func stack(_ storeClass: AnyClass, _ type: String, options: [AnyHashable: Any]? = nil)
    throws -> ShelfStack
  {
    NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: type)
    return try ShelfStack(type, at: URL(fileURLWithPath: "/stores/\(type)"), options: options)
  }

  @Test func `Types are listed while they are registered`() throws {
    #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Listed"] == nil)
    NSPersistentStoreCoordinator.registerStoreClass(Empty.self, forStoreType: "Listed")
    let types = NSPersistentStoreCoordinator.registeredStoreTypes
    #expect(types["Listed"] != nil)
    for type in [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType] {
      #expect(types[type] != nil)
    }
    NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Listed")
    #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Listed"] == nil)
  }

  @Test func `An unregistered type is an error that lists the registered types`() throws {
    let error = try #require(throws: CocoaError.self) { try ShelfStack("Unheard", at: nil) }
    #expect(error.code == .persistentStoreInvalidType)
    #expect("\(error)".contains("SQLite"))
  }

  @Test func `The class chooses the UUID of a new store`() throws {
    let stack = try stack(Empty.self, "Empty")
    #expect(stack.store.identifier == "chosen")
    #expect(stack.store.type == "Empty")
    #expect(stack.store.metadata[NSStoreTypeKey] as? String == "Empty")
  }

  @Test func `An overridden initializer gets the coordinator, the URL and the options`() throws {
    let stack = try stack(Initialized.self, "Initialized", options: ["name": "mine"])
    #expect((stack.store as? Initialized)?.place.path == "/stores/Initialized")
    #expect(stack.store.identifier == "mine")
    #expect(stack.store.isReadOnly)
    stack.context.add("Tag")
    #expect(throws: CocoaError.self) { try stack.context.save() }
  }

  @Test func `A missing override is an error that names the method`() throws {
    let error = try #require(throws: CocoaError.self) { try stack(Unwritten.self, "Unwritten") }
    #expect("\(error)".contains("load()"))
    let empty = try stack(Empty.self, "EmptyFetch")
    let failure = try #require(throws: CocoaError.self) { try empty.context.all("Tag") }
    #expect("\(failure)".contains("execute(_:with:)"))
  }

  @Test func `A file whose metadata names another store type is refused`() throws {
    try withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      try "NSStoreType=Other|NSStoreUUID=U".write(to: file, atomically: true, encoding: .utf8)
      TableStore.register()
      let error = try #require(throws: CocoaError.self) {
        try ShelfStack(TableStore.storeType, at: file)
      }
      #expect(error.code == .persistentStoreTypeMismatch)
    }
  }

  @Test func `A store of another model version is refused unless versioning is ignored`() throws {
    final class Versioned: NSIncrementalStore {
      override func loadMetadata() throws {
        metadata = [
          NSStoreUUIDKey: "versioned",
          NSStoreModelVersionHashesKey: ["Author": Data(repeating: 1, count: 32)],
        ]
      }
    }
    let error = try #require(throws: CocoaError.self) { try stack(Versioned.self, "Versioned") }
    #expect(error.code == .persistentStoreIncompatibleVersionHash)
    let opened = try stack(
      Versioned.self, "Versioned", options: [NSIgnorePersistentStoreVersioningOption: true])
    #expect(opened.store.identifier == "versioned")
  }

  @Test func `Custom stores keep no history`() throws {
    let (_, address) = ServerRows.start()
    let stack = try ShelfStack(
      ServerStore.storeType, at: address, options: [NSPersistentHistoryTrackingKey: true])
    stack.context.add("Tag", ["word": "one"])
    try stack.context.save()
    #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    let everything = NSPersistentHistoryChangeRequest.fetchHistory(
      after: nil as NSPersistentHistoryToken?)
    let history = try stack.context.execute(everything) as? NSPersistentHistoryResult
    #expect(history?.result as? [NSPersistentHistoryTransaction] == [])
  }
}
