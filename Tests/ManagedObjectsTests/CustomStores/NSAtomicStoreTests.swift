import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

@Suite struct `Atomic stores` {
  init() { TableStore.register() }

  private func file(_ folder: URL) -> URL { folder.appendingPathComponent("shelf.txt") }

  private func write(_ text: String, in folder: URL) throws {
    try text.write(to: file(folder), atomically: true, encoding: .utf8)
  }

  private static let library = """
    NSStoreType=TableStore|NSStoreUUID=U1
    Author|a|name=Ann|books=b1,b2
    Book|b1|title=One|pages=10
    Book|b2|title=Two|pages=20|tags=t
    Tag|t|word=old
    """

  @Test func `Objects of a file are fetched with predicates, orders and relationships`() throws {
    try withTemporaryDirectory { folder in
      try write(Self.library, in: folder)
      let context = try ShelfStack(TableStore.storeType, at: file(folder)).context
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "author.name == 'Ann'")
      request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
      #expect(try context.fetch(request).map { $0.text("title") } == ["Two", "One"])
      #expect(try context.count(for: request) == 2)
      #expect(try context.one("Tag", "ANY books.title == 'Two'")?.text("word") == "old")
      let sums = NSFetchRequest<NSDictionary>(entityName: "Book")
      sums.resultType = .dictionaryResultType
      sums.propertiesToFetch = ["title"]
      sums.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      #expect(try context.fetch(sums).compactMap { $0["title"] as? String } == ["One", "Two"])
    }
  }

  @Test func `Changes are saved through the class, and read again`() throws {
    try withTemporaryDirectory { folder in
      try write(Self.library, in: folder)
      do {
        let stack = try ShelfStack(TableStore.storeType, at: file(folder))
        let context = stack.context
        let author = try #require(try context.one("Author"))
        context.add("Book", ["title": "Three", "author": author])
        try context.one("Book", "title == 'One'")?.setValue("Uno", forKey: "title")
        if let two = try context.one("Book", "title == 'Two'") { context.delete(two) }
        try context.save()
        #expect((stack.store as? TableStore)?.cacheNodes().count == 4)
      }
      let context = try ShelfStack(TableStore.storeType, at: file(folder)).context
      let author = try #require(try context.one("Author"))
      #expect(Set(author.related("books").compactMap { $0.text("title") }) == ["Uno", "Three"])
      #expect(try #require(try context.one("Tag")).related("books").isEmpty)
    }
  }

  @Test func `An identifier finds its object after the store is opened again`() throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(TableStore.storeType, at: file(folder))
      let author = stack.context.add("Author", ["name": "Ann"])
      try stack.context.save()
      let uri = author.objectID.uriRepresentation()
      let again = try ShelfStack(TableStore.storeType, at: file(folder))
      let identifier = try #require(again.coordinator.managedObjectID(forURIRepresentation: uri))
      #expect(try again.context.existingObject(with: identifier).text("name") == "Ann")
      #expect(identifier == author.objectID)
    }
  }

  @Test func `A failed save leaves objects, nodes and file as they were`() throws {
    try withTemporaryDirectory { folder in
      try write(Self.library, in: folder)
      FullTable.register(FullTable.self)
      let stack = try ShelfStack(FullTable.fullType, at: file(folder))
      let store = try #require(stack.store as? FullTable)
      let book = try #require(try stack.context.one("Book", "title == 'One'"))
      let node = try #require(store.cacheNode(for: book.objectID))
      book.setValue("Uno", forKey: "title")
      stack.context.add("Tag", ["word": "new"])
      if let two = try stack.context.one("Book", "title == 'Two'") { stack.context.delete(two) }
      #expect(throws: ServerError.refused) { try stack.context.save() }
      #expect(node.value(forKey: "title") as? String == "One")
      #expect(store.cacheNodes().count == 4)
      #expect(stack.context.hasChanges)
      #expect(try stack.newContext().all("Book").count == 2)
      #expect(try String(contentsOf: file(folder), encoding: .utf8) == Self.library)
      store.isFull = false
      try stack.context.save()
      #expect(try stack.newContext().all("Book").map { $0.text("title") } == ["Uno"])
    }
  }

  @Test func `What other stores saved before a failure is merged automatically`() async throws {
    try await withTemporaryDirectory { folder in
      FullTable.register(FullTable.self)
      let stack = try ShelfStack(NSInMemoryStoreType, at: nil)
      let full = try stack.coordinator.addPersistentStore(
        ofType: FullTable.fullType, configurationName: nil, at: file(folder))
      let other = stack.newContext()
      other.automaticallyMergesChangesFromParent = true
      other.retainsRegisteredObjects = true
      stack.context.add("Tag", ["word": "saved"])
      stack.context.assign(stack.context.add("Tag", ["word": "unsaved"]), to: full)
      #expect(throws: ServerError.refused) { try stack.context.save() }
      await other.perform {}
      #expect(other.registeredObjects.map { $0.text("word") } == ["saved"])
    }
  }

  @Test func `Fetches during failing saves keep no unsaved object`() throws {
    try withTemporaryDirectory { folder in
      FullTable.register(FullTable.self)
      let stack = try ShelfStack(FullTable.fullType, at: file(folder))
      let reader = FetchingThread(stack.newContext(), "Tag")
      for _ in 0..<300 {
        stack.context.add("Tag", ["word": "new"])
        #expect(throws: ServerError.refused) { try stack.context.save() }
        stack.context.rollback()
      }
      reader.stop()
      #expect(try stack.newContext().all("Tag").isEmpty)
    }
  }

  @Test func `Two contexts that change one object conflict`() throws {
    try withTemporaryDirectory { folder in
      try write(Self.library, in: folder)
      let stack = try ShelfStack(TableStore.storeType, at: file(folder))
      let other = stack.newContext()
      let book = try #require(try stack.context.one("Book", "title == 'One'"))
      let theirs = try #require(try other.one("Book", "title == 'One'"))
      #expect(book.number("pages") == theirs.number("pages"))
      theirs.setValue("Uno", forKey: "title")
      try other.save()
      book.setValue(11, forKey: "pages")
      let error = try #require(throws: CocoaError.self) { try stack.context.save() }
      #expect(error.code == .managedObjectMerge)
      stack.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      try stack.context.save()
      #expect(try String(contentsOf: file(folder), encoding: .utf8).contains("pages=11|"))
      #expect(try String(contentsOf: file(folder), encoding: .utf8).contains("title=Uno"))
    }
  }

  @Test func `Nodes that are added later can be fetched`() throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(TableStore.storeType, at: file(folder))
      #expect(try stack.context.all("Tag").isEmpty)
      let store = try #require(stack.store as? TableStore)
      let tag = try #require(stack.coordinator.managedObjectModel.entitiesByName["Tag"])
      let node = NSAtomicStoreCacheNode(
        objectID: store.objectID(for: tag, withReferenceObject: "late"))
      node.setValue("late", forKey: "word")
      store.addCacheNodes([node])
      #expect(try stack.context.all("Tag").map { $0.text("word") } == ["late"])
    }
  }

  @Test func `A bad node does not lose the good ones that were added with it`() throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(TableStore.storeType, at: file(folder))
      let store = try #require(stack.store as? TableStore)
      let book = try #require(stack.coordinator.managedObjectModel.entitiesByName["Book"])
      let nodes = ["good", "bad"].map {
        NSAtomicStoreCacheNode(objectID: store.objectID(for: book, withReferenceObject: $0))
      }
      nodes[1].setValue(99_999, forKey: "shelf")
      store.addCacheNodes(Set(nodes))
      for _ in 0..<2 { #expect(throws: CocoaError.self) { try stack.context.all("Book") } }
      nodes[1].setValue(1, forKey: "shelf")
      #expect(try stack.context.all("Book").count == 2)
    }
  }

  @Test func `Nodes that a save adds can be fetched`() throws {
    try withTemporaryDirectory { folder in
      NSPersistentStoreCoordinator.registerStoreClass(
        GrowingTable.self, forStoreType: GrowingTable.growingType)
      let stack = try ShelfStack(GrowingTable.growingType, at: file(folder))
      stack.context.add("Tag", ["word": "own"])
      try stack.context.save()
      #expect(Set(try stack.context.all("Tag").map { $0.text("word") }) == ["own", "found"])
    }
  }

  @Test func `A class without a lock gives each object its own reference`() throws {
    try withTemporaryDirectory { folder in
      NSPersistentStoreCoordinator.registerStoreClass(
        NumberedTable.self, forStoreType: NumberedTable.numberedType)
      let stack = try ShelfStack(NumberedTable.numberedType, at: file(folder))
      let identifiers = Mutex<Set<URL>>([])
      let isDone = DispatchSemaphore(value: 0)
      for _ in 0..<2 {
        let context = stack.newContext()
        Thread.detachNewThread {
          let tags = (0..<200).map { _ in context.add("Tag") }
          for tag in tags { try? context.obtainPermanentIDs(for: [tag]) }
          let found = tags.map { $0.objectID.uriRepresentation() }
          identifiers.withLock { $0.formUnion(found) }
          isDone.signal()
        }
      }
      for _ in 0..<2 { isDone.wait() }
      #expect(identifiers.withLock { $0.count } == 400)
    }
  }

  @Test func `A node's value that the model cannot hold is an error`() throws {
    try withTemporaryDirectory { folder in
      try write("NSStoreUUID=U\nBook|b|shelf=99999", in: folder)
      let error = try #require(throws: CocoaError.self) {
        try ShelfStack(TableStore.storeType, at: file(folder))
      }
      #expect("\(error)".contains("Book.shelf"))
    }
  }

  @Test func `Metadata are read and written by the class`() throws {
    try withTemporaryDirectory { folder in
      try write(Self.library, in: folder)
      let type = NSPersistentStore.StoreType(rawValue: TableStore.storeType)
      var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: type, at: file(folder))
      #expect(metadata[NSStoreUUIDKey] as? String == "U1")
      metadata["color"] = "blue"
      try NSPersistentStoreCoordinator.setMetadata(metadata, type: type, at: file(folder))
      let stack = try ShelfStack(TableStore.storeType, at: file(folder))
      #expect(stack.store.identifier == "U1")
      #expect(stack.coordinator.metadata(for: stack.store)["color"] as? String == "blue")
      stack.coordinator.setMetadata(["color": "red"], for: stack.store)
      stack.context.add("Tag", ["word": "x"])
      try stack.context.save()
      metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: type, at: file(folder))
      #expect(metadata["color"] as? String == "red")
      #expect(metadata[NSStoreUUIDKey] as? String == "U1")
    }
  }

  @Test func `A store can be saved at another URL`() throws {
    try withTemporaryDirectory { folder in
      try write(Self.library, in: folder)
      let stack = try ShelfStack(TableStore.storeType, at: file(folder))
      let other = folder.appendingPathComponent("other.txt")
      #expect(stack.coordinator.setURL(other, for: stack.store))
      stack.context.add("Tag", ["word": "x"])
      try stack.context.save()
      #expect(try String(contentsOf: file(folder), encoding: .utf8) == Self.library)
      #expect(try String(contentsOf: other, encoding: .utf8).contains("word=x"))
    }
  }

  @Test func `Destroying and replacing a store works on its file`() throws {
    try withTemporaryDirectory { folder in
      try write(Self.library, in: folder)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
      let type = NSPersistentStore.StoreType(rawValue: TableStore.storeType)
      let copy = folder.appendingPathComponent("copy.txt")
      try coordinator.replacePersistentStore(
        at: copy, withPersistentStoreFrom: file(folder), type: type)
      #expect(try String(contentsOf: copy, encoding: .utf8) == Self.library)
      try coordinator.destroyPersistentStore(at: copy, type: type)
      #expect(!FileManager.default.fileExists(atPath: copy.path))
    }
  }
}

/// A table whose disk is full.
final class FullTable: TableStore {
  static let fullType = "FullTable"
  var isFull = true

  override func save() throws {
    if isFull { throw ServerError.refused }
    try super.save()
  }

  static func register(_ storeClass: FullTable.Type) {
    NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: fullType)
  }
}

/// A thread that fetches until it is stopped.
// Sendable: the thread alone uses the context.
final class FetchingThread: @unchecked Sendable {
  private let context: NSManagedObjectContext
  private let stops = Atomic(false)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ context: NSManagedObjectContext, _ entity: String) {
    self.context = context
    Thread.detachNewThread { [self] in
      while !stops.load(ordering: .relaxed) {
        self.context.reset()
        _ = try? self.context.all(entity)
      }
      isDone.signal()
    }
  }

  /// Waits for the end of the last fetch.
  func stop() {
    stops.store(true, ordering: .relaxed)
    isDone.wait()
  }
}

/// A table that counts its references, and relies on one call at a time.
private final class NumberedTable: TableStore {
  static let numberedType = "NumberedTable"
  private var last = 0

  override var type: String { Self.numberedType }

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    let next = last + 1
    sched_yield()
    last = next
    return "tag-\(next)"
  }
}

/// A store whose save finds an object that another program added to its file.
private final class GrowingTable: TableStore {
  static let growingType = "GrowingTable"

  override var type: String { Self.growingType }

  override func save() throws {
    if let tag = persistentStoreCoordinator?.managedObjectModel.entitiesByName["Tag"] {
      let node = NSAtomicStoreCacheNode(objectID: objectID(for: tag, withReferenceObject: "found"))
      node.setValue("found", forKey: "word")
      addCacheNodes([node])
    }
    try super.save()
  }
}
