import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

@Suite struct `Copies to and from custom stores` {
  /// Objects with every kind of relationship.
  private func fill(_ context: NSManagedObjectContext) throws {
    let author = context.add("Author", ["name": "Ann"])
    let book = context.add(
      "Book", ["title": "One", "author": author, "price": NSDecimalNumber(string: "1.5")])
    let novel = context.add("Novel", ["title": "Two", "genre": "crime", "prequel": book])
    let chapters = ["a", "b"].map { context.add("Chapter", ["heading": $0]) }
    book.setValue(NSOrderedSet(array: chapters.reversed()), forKey: "chapters")
    author.setValue(NSOrderedSet(array: [novel, book]), forKey: "favourites")
    book.setValue(Set([context.add("Tag", ["word": "x"])]), forKey: "tags")
    try context.save()
  }

  private func check(_ context: NSManagedObjectContext) throws {
    let author = try #require(try context.one("Author"))
    let book = try #require(try context.one("Book", "title == 'One'"))
    #expect(author.related("books") == [book])
    #expect(author.related("favourites").map { $0.text("title") } == ["Two", "One"])
    #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
    #expect(book.related("chapters").map { $0.text("heading") } == ["b", "a"])
    #expect(book.related("sequel").first?.text("genre") == "crime")
    #expect(book.related("tags").map { $0.text("word") } == ["x"])
    #expect(try context.all("Book").count == 2)
  }

  @Test(arguments: [NSXMLStoreType, NSSQLiteStoreType])
  func `A copy that fails leaves both stores usable`(_ type: String) throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("copy")
      do {
        let existing = try ShelfStack(type, at: url)
        existing.context.add("Book", ["title": "own", "isbn": "1"])
        try existing.context.save()
        try existing.coordinator.remove(existing.store)
      }
      let stack = try ShelfStack(NSInMemoryStoreType, at: nil)
      stack.context.add("Book", ["title": "other", "isbn": "1"])
      try stack.context.save()
      // Both books have the same unique value.
      #expect(throws: CocoaError.self) {
        try stack.coordinator.migratePersistentStore(
          stack.store, to: url, options: nil, withType: type)
      }
      #expect(stack.coordinator.persistentStores == [stack.store])
      stack.context.add("Book", ["title": "more"])
      try stack.context.save()
      #expect(
        Set(try stack.newContext().all("Book").map { $0.text("title") }) == ["other", "more"])
      let other = try ShelfStack(type, at: url)
      #expect(try other.context.all("Book").map { $0.text("title") } == ["own"])
      other.context.add("Book", ["title": "next"])
      try other.context.save()
      let new = folder.appendingPathComponent("new")
      try stack.coordinator.migratePersistentStore(
        stack.store, to: new, options: nil, withType: type)
      #expect(try ShelfStack(type, at: new).context.all("Book").count == 2)
    }
  }

  @Test func `A store goes through all types and back`() throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(NSInMemoryStoreType, at: nil)
      try fill(stack.context)
      var store = stack.store
      TableStore.register()
      for type in [NSXMLStoreType, NSBinaryStoreType, NSSQLiteStoreType, NSXMLStoreType] {
        let former = store
        stack.context.reset()
        store = try stack.coordinator.migratePersistentStore(
          store, to: folder.appendingPathComponent("\(UUID()).\(type)"), withType: type)
        #expect(stack.coordinator.persistentStores == [store])
        #expect(store.type == type)
        #expect(store.identifier != former.identifier)
        let context = stack.newContext()
        try check(context)
      }
    }
  }

  @Test func `The metadata of the program are copied into a document`() throws {
    try withTemporaryDirectory { folder in
      let stack = try ShelfStack(NSInMemoryStoreType, at: nil)
      stack.coordinator.setMetadata(["color": "red"], for: stack.store)
      let url = folder.appendingPathComponent("empty.xml")
      _ = try stack.coordinator.migratePersistentStore(
        stack.store, to: url, withType: NSXMLStoreType)
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .xml, at: url)
      #expect(metadata["color"] as? String == "red")
    }
  }

  @Test func `An incremental store is copied into a file, and a file into one`() throws {
    try withTemporaryDirectory { folder in
      let (server, address) = ServerRows.start()
      let memory = try ShelfStack(NSInMemoryStoreType, at: nil)
      memory.context.add(
        "Book", ["title": "One", "author": memory.context.add("Author", ["name": "Ann"])])
      try memory.context.save()
      memory.context.reset()
      let copy = try memory.coordinator.migratePersistentStore(
        memory.store, to: address, withType: ServerStore.storeType)
      #expect(server.rows.values.map(\.entity).sorted() == ["Author", "Book"])
      let url = folder.appendingPathComponent("shelf.sqlite")
      _ = try memory.coordinator.migratePersistentStore(copy, to: url, withType: NSSQLiteStoreType)
      let context = try ShelfStack(NSSQLiteStoreType, at: url).context
      #expect(try context.one("Book")?.related("author").first?.text("name") == "Ann")
    }
  }

  @Test func `An incremental store is not destroyed by a coordinator`() throws {
    let (_, address) = ServerRows.start()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
    let type = NSPersistentStore.StoreType(rawValue: ServerStore.storeType)
    let error = try #require(throws: CocoaError.self) {
      try coordinator.destroyPersistentStore(at: address, type: type)
    }
    #expect(error.code == .persistentStoreOperation)
  }
}
