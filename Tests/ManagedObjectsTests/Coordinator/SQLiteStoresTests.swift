import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Coordinators with stores in files.
@Suite struct `A coordinator with SQLite stores` {
  private func coordinator() -> NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
  }

  private func insertTag(_ coordinator: NSPersistentStoreCoordinator, _ word: String) throws {
    let context = coordinator.makeTestContext()
    try context.performAndWait { () throws in
      let entity = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
      NSManagedObject(entity: entity, insertInto: context).setValue(word, forKey: "word")
      try context.save()
    }
  }

  private func words(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
    let context = coordinator.makeTestContext()
    return try context.performAndWait { () throws in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.sortDescriptors = [NSSortDescriptor(key: "word", ascending: true)]
      return try context.fetch(request).compactMap { $0.value(forKey: "word") as? String }
    }
  }

  @Test func `A store is created, closed and opened again`() throws {
    try withTemporaryDirectory { (folder) throws in
      let url = folder.appendingPathComponent("a.sqlite")
      var uuid: String?
      do {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        uuid = store.identifier
        try insertTag(coordinator, "x")
        #expect(try words(coordinator) == ["x"])
        try coordinator.remove(store)
      }
      let again = coordinator()
      #expect(try again.addPersistentStore(type: .sqlite, at: url).identifier == uuid)
      #expect(try words(again) == ["x"])
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: url)
      #expect(metadata[NSStoreUUIDKey] as? String == uuid)
      #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
      #expect(
        again.managedObjectModel.isConfiguration(
          withName: nil, compatibleWithStoreMetadata: metadata))
    }
  }

  @Test func `A file is added once, a store without a URL any number of times`()
    throws
  {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = coordinator()
      let url = folder.appendingPathComponent("a.sqlite")
      try coordinator.addPersistentStore(type: .sqlite, at: url)
      let error = #expect(throws: CocoaError.self) {
        try coordinator.addPersistentStore(
          type: .sqlite, at: folder.appendingPathComponent("b/../a.sqlite"))
      }
      #expect(error?.code.rawValue == 134081)
      for _ in 0..<2 {
        try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
      }
      #expect(coordinator.persistentStores.count == 3)
    }
  }

  @Test func `A SQLite store needs a file`() {
    let coordinator = coordinator()
    let error = #expect(throws: CocoaError.self) {
      try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: nil)
    }
    #expect(error?.code.rawValue == 134080)
  }

  @Test func `A destroyed store is empty when it is added again`() throws {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = coordinator()
      let url = folder.appendingPathComponent("a.sqlite")
      try coordinator.addPersistentStore(type: .sqlite, at: url)
      try insertTag(coordinator, "x")
      try coordinator.destroyPersistentStore(at: url, type: .sqlite)
      #expect(coordinator.persistentStores == [])
      #expect(FileManager.default.fileExists(atPath: url.path))
      try coordinator.addPersistentStore(type: .sqlite, at: url)
      #expect(try words(coordinator) == [])
    }
  }

  @Test func `A replaced store has the contents of the other`() throws {
    try withTemporaryDirectory { (folder) throws in
      let (one, other) = (
        folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("b.sqlite")
      )
      let (coordinator, source) = (coordinator(), self.coordinator())
      try source.addPersistentStore(type: .sqlite, at: other)
      try insertTag(source, "new")
      try coordinator.addPersistentStore(type: .sqlite, at: one)
      try insertTag(coordinator, "old")
      try coordinator.replacePersistentStore(at: one, withPersistentStoreFrom: other, type: .sqlite)
      #expect(coordinator.persistentStores == [])
      try coordinator.addPersistentStore(type: .sqlite, at: one)
      #expect(try words(coordinator) == ["new"])
      #expect(try words(source) == ["new"])
    }
  }

  @Test func `Metadata is written without opening the store`() throws {
    try withTemporaryDirectory { (folder) throws in
      let url = folder.appendingPathComponent("a.sqlite")
      do {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        var metadata = coordinator.metadata(for: store)
        metadata["Mine"] = "one"
        coordinator.setMetadata(metadata, for: store)
        try insertTag(coordinator, "x")
        try coordinator.remove(store)
      }
      var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: url)
      #expect(metadata["Mine"] as? String == "one")
      metadata["Mine"] = "two"
      try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: url)
      let coordinator = coordinator()
      let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
      #expect(store.metadata["Mine"] as? String == "two")
    }
  }

  @Test func `A store can be opened after a program has set metadata of its own`() throws {
    try withTemporaryDirectory { (folder) throws in
      let url = folder.appendingPathComponent("a.sqlite")
      let coordinator = coordinator()
      let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
      let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
      coordinator.setMetadata(["Mine": "one"], for: store)
      #expect(store.metadata["Mine"] as? String == "one")
      try coordinator.remove(store)
      let again = try coordinator.addPersistentStore(type: .sqlite, at: url)
      try coordinator.remove(again)
      try NSPersistentStoreCoordinator.setMetadata(["Mine": "two"], type: .sqlite, at: url)
      let last = try coordinator.addPersistentStore(type: .sqlite, at: url)
      #expect(last.metadata["Mine"] as? String == "two")
      #expect(last.metadata[NSStoreModelVersionHashesKey] as? [String: Data] == hashes)
      #expect(hashes?.isEmpty == false)
    }
  }

  @Test func `A store in memory becomes a file and returns to memory`() throws {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = coordinator()
      let url = folder.appendingPathComponent("a.sqlite")
      let memory = try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      try insertTag(coordinator, "x")
      let file = try coordinator.migratePersistentStore(memory, to: url, type: .sqlite)
      #expect(try words(coordinator) == ["x"])
      try insertTag(coordinator, "y")
      try coordinator.migratePersistentStore(
        file, to: URL(fileURLWithPath: "/tmp/none"), type: .inMemory)
      #expect(try words(coordinator) == ["x", "y"])
    }
  }

  @Test func `A read-only store says so`() throws {
    try withTemporaryDirectory { (folder) throws in
      let url = folder.appendingPathComponent("a.sqlite")
      let writing = coordinator()
      try writing.addPersistentStore(type: .sqlite, at: url)
      try insertTag(writing, "x")
      let reading = coordinator()
      let store = try reading.addPersistentStore(
        type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
      #expect(store.isReadOnly)
      #expect(try words(reading) == ["x"])
      #expect(throws: (any Error).self) { try insertTag(reading, "y") }
    }
  }

  @Test func `Configurations are stored in separate files`() throws {
    try withTemporaryDirectory { (folder) throws in
      let model = NSManagedObjectModel()
      let (tag, note) = (
        ShelfModel.entity("Tag", [ShelfModel.attribute("word", .stringAttributeType)]),
        ShelfModel.entity("Note", [])
      )
      model.entities = [tag, note]
      model.setEntities([tag], forConfigurationName: "Words")
      model.setEntities([note], forConfigurationName: "Notes")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let notes = folder.appendingPathComponent("notes")
      try coordinator.addPersistentStore(type: .sqlite, configuration: "Notes", at: notes)
      let words = try coordinator.addPersistentStore(
        type: .sqlite, configuration: "Words", at: folder.appendingPathComponent("words"))
      try insertTag(coordinator, "x")
      #expect(try self.words(coordinator) == ["x"])
      let hashes = try #require(words.metadata[NSStoreModelVersionHashesKey] as? [String: Data])
      #expect(Array(hashes.keys) == ["Tag"])
    }
  }
}

extension NSPersistentStoreCoordinator {
  fileprivate func makeTestContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = self
    return context
  }
}
