import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

@Suite struct `Query generations` {
  private let container = NSPersistentContainer(
    name: "Shelf", managedObjectModel: ShelfModel().model)

  init() throws {
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
  }

  @Test func `A context stays pinned until it is unpinned`() throws {
    let (one, two) = (container.newBackgroundContext(), container.newBackgroundContext())
    #expect(one.queryGenerationToken == nil)
    try one.setQueryGenerationFrom(.current)
    let token = try #require(one.queryGenerationToken)
    #expect(token != .current)
    try two.setQueryGenerationFrom(token)
    #expect(two.queryGenerationToken == token)
    try two.setQueryGenerationFrom(.current)
    #expect(two.queryGenerationToken != token)
    try one.setQueryGenerationFrom(nil)
    #expect(one.queryGenerationToken == nil)
  }

  @Test func `A child reads its parent's generation`() throws {
    let parent = container.newBackgroundContext()
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = parent
    try parent.setQueryGenerationFrom(.current)
    #expect(child.queryGenerationToken == parent.queryGenerationToken)
    #expect(child.queryGenerationToken != nil)
  }

  @Test func `A child cannot be pinned`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let child = NSManagedObjectContext.onAnyThread()
      child.parent = NSManagedObjectContext.onAnyThread()
      try child.setQueryGenerationFrom(.current)
    }
    let message = standardError(of: result)
    #expect(message.contains("Pin the context that has the coordinator"))
  }

  @Test func `A store in memory is read as it is`() throws {
    let (reader, writer) = (container.newBackgroundContext(), container.newBackgroundContext())
    try reader.setQueryGenerationFrom(.current)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    try reader.performAndWait { () throws in #expect(try reader.count(for: request) == 0) }
    try writer.performAndWait { () throws in
      _ = NSManagedObject(
        entity: try #require(container.managedObjectModel.entitiesByName["Tag"]), insertInto: writer
      )
      try writer.save()
    }
    try reader.performAndWait { () throws in #expect(try reader.count(for: request) == 1) }
  }

  // MARK: SQLite

  private func withShelf(_ body: (NSPersistentStoreCoordinator) throws -> Void) throws {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
      let store = try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("a.sqlite"))
      try body(coordinator)
      try coordinator.remove(store)
    }
  }

  private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func add(_ word: String, in context: NSManagedObjectContext) throws {
    try context.performAndWait { () throws in
      let entity = try #require(
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Tag"])
      NSManagedObject(entity: entity, insertInto: context).setValue(word, forKey: "word")
      try context.save()
    }
  }

  private func words(_ context: NSManagedObjectContext) throws -> [String] {
    try context.performAndWait { () throws in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.sortDescriptors = [NSSortDescriptor(key: "word", ascending: true)]
      return try context.fetch(request).compactMap { $0.value(forKey: "word") as? String }
    }
  }

  @Test func `A pinned context sees nothing of later saves`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try add("a", in: writer)
      try reader.setQueryGenerationFrom(.current)
      // The first read fixes the generation.
      try add("b", in: writer)
      #expect(try words(reader) == ["a", "b"])
      try add("c", in: writer)
      try writer.performAndWait { () throws in
        let tags = try writer.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        for tag in tags { tag.setValue("\(tag.value(forKey: "word") ?? "")!", forKey: "word") }
        try writer.save()
      }
      reader.performAndWait { reader.refreshAllObjects() }
      #expect(try words(reader) == ["a", "b"])
      let other = context(coordinator)
      try other.setQueryGenerationFrom(reader.queryGenerationToken)
      #expect(try words(other) == ["a", "b"])
      try reader.setQueryGenerationFrom(nil)
      reader.reset()
      #expect(try words(reader) == ["a!", "b!", "c!"])
      #expect(try words(other) == ["a", "b"])
    }
  }

  @Test func `A save moves a pinned context to the newest generation`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == [])
      try add("a", in: writer)
      #expect(try words(reader) == [])
      try add("b", in: reader)
      #expect(try words(reader) == ["a", "b"])
      try add("c", in: writer)
      #expect(try words(reader) == ["a", "b"])
    }
  }

  @Test(
    arguments: [
      (.mergeByPropertyStoreTrumpMergePolicyType, "theirs"),
      (.mergeByPropertyObjectTrumpMergePolicyType, "mine"), (.overwriteMergePolicyType, "mine"),
      (.rollbackMergePolicyType, "theirs"),
    ] as [(NSMergePolicyType, String)])
  func `A merge policy resolves the conflicts of a pinned context`(
    _ policy: NSMergePolicyType, _ expected: String
  ) throws {
    try withShelf { (coordinator) throws in
      let (mine, theirs) = (context(coordinator), context(coordinator))
      try add("a", in: theirs)
      try mine.setQueryGenerationFrom(.current)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      for (context, word) in [(mine, "mine"), (theirs, "theirs")] {
        try #require(try context.fetch(request).first).setValue(word, forKey: "word")
      }
      try theirs.save()
      #expect(throws: CocoaError.self) { try mine.save() }
      mine.mergePolicy = NSMergePolicy(merge: policy)
      try mine.save()
      #expect(try words(context(coordinator)) == [expected])
      #expect(mine.queryGenerationToken != nil)
    }
  }

  @Test func `A pinned fetch refreshes objects from its generation on request`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try add("a", in: writer)
      try reader.setQueryGenerationFrom(.current)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      let tag = try #require(try reader.fetch(request).first)
      #expect(tag.value(forKey: "word") as? String == "a")
      try #require(try writer.fetch(request).first).setValue("b", forKey: "word")
      try writer.save()
      request.shouldRefreshRefetchedObjects = true
      #expect(try reader.fetch(request) == [tag])
      #expect(tag.value(forKey: "word") as? String == "a")
      try reader.setQueryGenerationFrom(.current)
      #expect(try reader.fetch(request) == [tag])
      #expect(tag.value(forKey: "word") as? String == "b")
    }
  }

  @Test func `A generation of another coordinator is refused`() throws {
    try withShelf { (coordinator) throws in
      try withShelf { (other) throws in
        let (mine, theirs) = (context(coordinator), context(other))
        try theirs.setQueryGenerationFrom(.current)
        let error = #expect(throws: NSError.self) {
          try mine.setQueryGenerationFrom(theirs.queryGenerationToken)
        }
        #expect(error?.code == NSCoreDataError && mine.queryGenerationToken == nil)
      }
    }
  }

  @Test func `A merge moves a pinned context to the newest generation`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == [])
      let saves = Listener(writer, .NSManagedObjectContextDidSave)
      try add("a", in: writer)
      #expect(try words(reader) == [])
      let notification = try #require(saves.notifications.last)
      reader.performAndWait { reader.mergeChanges(fromContextDidSave: notification) }
      #expect(try words(reader) == ["a"])
      try add("b", in: writer)
      #expect(try words(reader) == ["a"])
    }
  }

  @Test func `Faults of a pinned context have the values of its generation`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try add("a", in: writer)
      try reader.setQueryGenerationFrom(.current)
      try reader.performAndWait { () throws in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.includesPropertyValues = false
        let tag = try #require(try reader.fetch(request).first)
        try writer.performAndWait { () throws in
          let tags = try writer.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
          tags.first?.setValue("new", forKey: "word")
          try writer.save()
        }
        #expect(tag.value(forKey: "word") as? String == "a")
      }
    }
  }

  @Test func `A reset moves a pinned context to the newest generation`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == [])
      try add("a", in: writer)
      #expect(try words(reader) == [])
      reader.performAndWait { reader.reset() }
      #expect(try words(reader) == ["a"])
      try add("b", in: writer)
      #expect(try words(reader) == ["a"])
    }
  }

  @Test func `A remote merge moves a pinned context to the newest generation`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == [])
      let saves = Listener(writer, .NSManagedObjectContextDidSave)
      try add("a", in: writer)
      let inserted = try #require(
        saves.notifications.last?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)
      #expect(try words(reader) == [])
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectsKey: inserted.map(\.objectID)], into: [reader])
      #expect(try words(reader) == ["a"])
    }
  }

  @Test func `Registered objects keep their values when the generation moves`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try add("a", in: writer)
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == ["a"])
      let tags = try reader.performAndWait { () throws in
        try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
      }
      try writer.performAndWait { () throws in
        let tags = try writer.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        tags.first?.setValue("b", forKey: "word")
        try writer.save()
      }
      try reader.setQueryGenerationFrom(.current)
      reader.performAndWait {
        #expect(tags.first?.value(forKey: "word") as? String == "a")
        reader.refreshAllObjects()
        #expect(tags.first?.value(forKey: "word") as? String == "b")
      }
    }
  }

  @Test func `A child reads the parent's generation and the parent's unsaved changes`() throws {
    try withShelf { (coordinator) throws in
      let (parent, writer) = (context(coordinator), context(coordinator))
      try parent.setQueryGenerationFrom(.current)
      #expect(try words(parent) == [])
      try add("later", in: writer)
      let child = NSManagedObjectContext.onAnyThread()
      child.parent = parent
      try parent.performAndWait { () throws in
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
        NSManagedObject(entity: entity, insertInto: parent).setValue("unsaved", forKey: "word")
      }
      #expect(try words(child) == ["unsaved"])
    }
  }

  @Test func `A store without a write-ahead log is read as it is`() throws {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
      let store = try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("a.sqlite"),
        options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
      let (reader, writer) = (context(coordinator), context(coordinator))
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == [])
      try add("a", in: writer)
      #expect(try words(reader) == ["a"])
      try coordinator.remove(store)
    }
  }

  @Test func `A store that is added later is not part of the generation`() throws {
    try withShelf { (coordinator) throws in
      let (reader, writer) = (context(coordinator), context(coordinator))
      try add("a", in: writer)
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == ["a"])
      let folder = try #require(coordinator.persistentStores.first?.url).deletingLastPathComponent()
      let second = try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("b.sqlite"))
      try writer.performAndWait { () throws in
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
        let tag = NSManagedObject(entity: entity, insertInto: writer)
        writer.assign(tag, to: second)
        tag.setValue("b", forKey: "word")
        try writer.save()
      }
      #expect(try words(writer) == ["a", "b"])
      #expect(try words(reader) == ["a"])
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == ["a", "b"])
      try coordinator.remove(second)
    }
  }

  @Test func `A removed store is not read, whatever the generation`() throws {
    try withShelf { (coordinator) throws in
      let folder = try #require(coordinator.persistentStores.first?.url).deletingLastPathComponent()
      let second = try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("b.sqlite"))
      let (reader, writer) = (context(coordinator), context(coordinator))
      try add("a", in: writer)
      try writer.performAndWait { () throws in
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
        let tag = NSManagedObject(entity: entity, insertInto: writer)
        writer.assign(tag, to: second)
        tag.setValue("b", forKey: "word")
        try writer.save()
      }
      try reader.setQueryGenerationFrom(.current)
      #expect(try words(reader) == ["a", "b"])
      try coordinator.remove(second)
      #expect(try words(reader) == ["a"])
    }
  }

  // MARK: The log

  private func logBytes(_ coordinator: NSPersistentStoreCoordinator) throws -> Int {
    let url = try #require(coordinator.persistentStores.first?.url)
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path + "-wal")
    return try #require((attributes[.size] as? NSNumber)?.intValue)
  }

  /// Saves much more than the log's usual length.
  private func writeMuch(_ coordinator: NSPersistentStoreCoordinator) throws {
    let writer = context(coordinator)
    for _ in 0..<60 {
      try writer.performAndWait { () throws in
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
        for _ in 0..<20 {
          NSManagedObject(entity: entity, insertInto: writer)
            .setValue(String(repeating: "x", count: 4000), forKey: "word")
        }
        try writer.save()
        writer.reset()
      }
    }
  }

  @Test func `The log is reused after a pinned context was released without unpinning`() throws {
    try withShelf { (coordinator) throws in
      try add("a", in: context(coordinator))
      do {
        let forgotten = context(coordinator)
        try forgotten.setQueryGenerationFrom(.current)
        #expect(try words(forgotten) == ["a"])
      }
      try writeMuch(coordinator)
      let once = try logBytes(coordinator)
      try writeMuch(coordinator)
      try writeMuch(coordinator)
      #expect(try logBytes(coordinator) < once * 3 / 2)
    }
  }

  @Test func `The log grows while a context is pinned, and stops growing afterwards`() throws {
    try withShelf { (coordinator) throws in
      try add("a", in: context(coordinator))
      let pinned = context(coordinator)
      try pinned.setQueryGenerationFrom(.current)
      #expect(try words(pinned) == ["a"])
      try writeMuch(coordinator)
      try writeMuch(coordinator)
      let long = try logBytes(coordinator)
      #expect(long > 2 * 60 * 20 * 4000)
      #expect(try words(pinned) == ["a"])
      try pinned.setQueryGenerationFrom(nil)
      try writeMuch(coordinator)
      try writeMuch(coordinator)
      #expect(try logBytes(coordinator) <= long + 8 * 1024 * 1024)
    }
  }
}
