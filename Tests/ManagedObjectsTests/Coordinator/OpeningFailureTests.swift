import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import TestSupport
import Testing

/// Stores that cannot be added to a coordinator, with the error codes for applications.
@Suite struct `A store that cannot be opened` {
  private func model(_ attributes: [String: NSAttributeType], entity name: String = "Note")
    -> NSManagedObjectModel
  {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes.sorted { $0.key < $1.key }.map { name, type in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  private var current: NSManagedObjectModel {
    model(["text": .stringAttributeType, "rank": .integer16AttributeType])
  }

  @discardableResult
  private func add(
    _ url: URL, _ model: NSManagedObjectModel? = nil, _ options: [String: Any] = [:]
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model ?? current)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    return coordinator
  }

  private func code(
    _ url: URL, _ model: NSManagedObjectModel? = nil, _ options: [String: Any] = [:]
  ) throws -> Int {
    let error = try #require(throws: CocoaError.self) { try add(url, model, options) }
    #expect(!error.localizedDescription.isEmpty)
    return error.code.rawValue
  }

  /// A store of the current model with some rows, closed.
  private func store(in folder: URL) throws -> URL {
    let url = folder.appendingPathComponent("notes.sqlite")
    let coordinator = try add(url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws in
      for text in ["a", "a"] {
        NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue(
          text, forKey: "text")
      }
      try context.save()
    }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    return url
  }

  private static let migrating = [
    NSMigratePersistentStoresAutomaticallyOption: true,
    NSInferMappingModelAutomaticallyOption: true,
  ]

  @Test func `A file that is not a store is refused`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("file")
      try Data("hello".utf8).write(to: url)
      #expect(try code(url) == CocoaError.Code.fileReadCorruptFile.rawValue)
      #expect(try Data(contentsOf: url) == Data("hello".utf8))
      // Noise like that of an encrypted database.
      try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }).write(to: url)
      #expect(try code(url) == 259)
      #expect(try code(folder) == 259)
      let foreign = folder.appendingPathComponent("foreign")
      try Connection(.file(foreign.path)).execute("CREATE TABLE a (b)")
      #expect(try code(foreign) == 259)
      // The path goes through a file.
      #expect(throws: CocoaError.self) { try add(url.appendingPathComponent("a.sqlite")) }
    }
  }

  @Test func `A truncated store is refused`() throws {
    try withTemporaryDirectory { folder in
      let url = try store(in: folder)
      let bytes = try Data(contentsOf: url)
      for suffix in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
      for length in [20, 100, 4000, 5000] {
        try bytes.prefix(length).write(to: url)
        #expect(try code(url) == 259, "\(length)")
      }
    }
  }

  @Test func `A store of another model version is refused`() throws {
    try withTemporaryDirectory { folder in
      let url = try store(in: folder)
      let newer = model([
        "text": .stringAttributeType, "rank": .integer16AttributeType, "more": .stringAttributeType,
      ])
      #expect(try code(url, newer) == NSPersistentStoreIncompatibleVersionHashError)
      #expect(
        try code(url, newer, [NSMigratePersistentStoresAutomaticallyOption: true])
          == NSMigrationMissingMappingModelError)
      // A changed type cannot be inferred.
      let retyped = model(["text": .dateAttributeType, "rank": .integer16AttributeType])
      #expect([134_140, 134_190].contains(try code(url, retyped, Self.migrating)))
      let constrained = current
      constrained.entities[0].uniquenessConstraints = [["text"]]
      #expect(try code(url, constrained, Self.migrating) == NSMigrationConstraintViolationError)
      // None of these attempts changed the store.
      try add(url)
      try add(url, newer, Self.migrating)
      // The application is now older than its store.
      #expect(try code(url) == NSPersistentStoreIncompatibleVersionHashError)
    }
  }

  @Test func `A store of an unknown version is refused`() throws {
    try withTemporaryDirectory { folder in
      let url = try store(in: folder)
      try Connection(.file(url.path), options: .init(mode: .readWrite)).execute(
        "DELETE FROM Z_MODELCACHE")
      let newer = model(["text": .stringAttributeType])
      #expect(try code(url, newer, Self.migrating) == NSMigrationMissingSourceModelError)
      try add(url)
    }
  }

  @Test func `A read-only store that needs migration is refused`() throws {
    try withTemporaryDirectory { folder in
      let url = try store(in: folder)
      var options: [String: Any] = Self.migrating
      options[NSReadOnlyPersistentStoreOption] = true
      let before = try Data(contentsOf: url)
      let code = try code(url, model(["text": .stringAttributeType]), options)
      #expect(code == NSMigrationError)
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test func `A missing store is refused if it is read-only or has no folder`() throws {
    try withTemporaryDirectory { folder in
      let missing = folder.appendingPathComponent("none.sqlite")
      let found = try code(missing, nil, [NSReadOnlyPersistentStoreOption: true])
      #expect(found == 260)
      #expect(!FileManager.default.fileExists(atPath: missing.path))
      #expect(throws: CocoaError.self) { try add(folder.appendingPathComponent("a/b.sqlite")) }
    }
  }

  @Test func `A store without content is created in place`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("empty.sqlite")
      try Data().write(to: url)
      try add(url)
      #expect(
        try Connection(.file(url.path), options: .readOnly).value("SELECT count(*) FROM Z_METADATA")
          == .integer(1))
    }
  }

  @Test func `A save fails if the store stays locked beyond its timeout`() throws {
    try withTemporaryDirectory { folder in
      let url = try store(in: folder)
      let coordinator = try add(url, nil, [NSPersistentStoreTimeoutOption: 0.1])
      let other = try Connection(.file(url.path), options: .init(mode: .readWrite))
      try other.execute("BEGIN EXCLUSIVE")
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait { () throws in
        _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code.rawValue == NSPersistentStoreTimeoutError)
        try other.execute("COMMIT")
        try context.save()
      }
    }
  }

  @Test func `A save fails if the disk is full`() throws {
    try withTemporaryDirectory { folder in
      let url = try store(in: folder)
      let coordinator = try add(url, nil, [NSSQLitePragmasOption: ["max_page_count": "1"]])
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      context.performAndWait {
        for number in 0..<500 {
          NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            .setValue(String(repeating: "\(number)", count: 400), forKey: "text")
        }
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .fileWriteOutOfSpace)
        #expect(context.insertedObjects.count == 500)
      }
    }
  }
}
