import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Synchronization
import Testing

@Suite struct `Incremental stores` {
  private let server: ServerRows
  private let address: URL
  private let stack: ShelfStack
  private var context: NSManagedObjectContext { stack.context }

  init() throws {
    (server, address) = ServerRows.start()
    stack = try ShelfStack(ServerStore.storeType, at: address)
  }

  private func addBook(_ reference: String, _ values: [String: Any] = [:]) {
    server.rows[reference] = ServerStore.Row(entity: "Book", values: values)
  }

  private func saved(_ object: NSManagedObject) -> [String: Any]? {
    guard let store = stack.store as? ServerStore else { return nil }
    return server.rows["\(store.referenceObject(for: object.objectID))"]?.values
  }

  // MARK: Fetching

  @Test func `Fetched objects are faults whose values are read once`() throws {
    addBook("b1", ["title": "One", "pages": 100])
    addBook("b2", ["title": "Two"])
    let books = try context.all("Book")
    #expect(books.count == 2)
    #expect(books.allSatisfy { $0.isFault })
    #expect(server.calls == ["fetch Book"])
    #expect(books[0].text("title") == "One")
    #expect(books[0].number("pages") == 100)
    #expect(server.calls == ["fetch Book", "values b1"])
    #expect(books[1].value(forKey: "pages") == nil)
  }

  @Test func `The class answers predicates, limits and result types`() throws {
    for (number, title) in ["a", "b", "c"].enumerated() {
      addBook("b\(number)", ["title": title])
    }
    #expect(try context.all("Book", "title >= 'b'").map { $0.text("title") } == ["b", "c"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.fetchLimit = 2
    #expect(try context.fetch(request).count == 2)
    request.fetchLimit = 0
    #expect(try context.count(for: request) == 3)
    let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    identifiers.resultType = .managedObjectIDResultType
    #expect(try context.fetch(identifiers) == context.all("Book").map(\.objectID))
    let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
    dictionaries.resultType = .dictionaryResultType
    #expect(
      try context.fetch(dictionaries).compactMap { $0["title"] as? String } == ["a", "b", "c"])
  }

  @Test func `Unsaved changes are part of results and counts`() throws {
    addBook("b1", ["title": "a"])
    addBook("b2", ["title": "b"])
    let books = try context.all("Book")
    books[0].setValue("z", forKey: "title")
    context.add("Book", ["title": "c"])
    #expect(
      Set(try context.all("Book", "title > 'a'").compactMap { $0.text("title") }) == [
        "z", "b", "c",
      ])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title > 'a'")
    #expect(try context.count(for: request) == 3)
  }

  @Test func `A relationship may name an object by the entity of its destination`() throws {
    server.rows["a"] = ServerStore.Row(entity: "Author", values: ["name": "Ann"])
    server.rows["n"] = ServerStore.Row(entity: "Novel", values: ["title": "One", "author": "a"])
    for isNovelFirst in [true, false] {
      let context = stack.newContext()
      let novel = isNovelFirst ? try context.one("Novel") : nil
      let books = try #require(try context.one("Author")).related("books")
      #expect(books.map { $0.text("title") } == ["One"])
      #expect((novel ?? books[0]).text("title") == "One")
      #expect(!context.hasChanges && books.allSatisfy { !$0.isDeleted })
    }
  }

  @Test func `An object of another entity than known is an error, not a deletion`() throws {
    server.rows["a"] = ServerStore.Row(entity: "Author", values: ["name": "Ann"])
    server.rows["n"] = ServerStore.Row(entity: "Novel", values: ["title": "One", "author": "a"])
    let author = try #require(try context.one("Author"))
    let book = try #require(author.related("books").first)
    _ = try stack.newContext().one("Novel")
    #expect(book.text("title") == nil)
    #expect(!book.isDeleted && !context.hasChanges)
    book.setValue("Two", forKey: "title")
    #expect(throws: (any Error).self) { try context.save() }
    #expect(server.rows["n"] != nil)
  }

  @Test func `An error of the class fails the fetch`() throws {
    server.failure = ServerError.refused
    #expect(throws: ServerError.refused) { try context.all("Book") }
  }

  @Test func `An answer of another kind is an error that says what to return`() throws {
    let other = try ShelfStack(NSInMemoryStoreType, at: nil)
    let foreign = other.context.add("Book")
    try other.context.save()
    for (answer, words) in [
      (foreign.objectID as Any, "not an identifier of its own"), ("text", "objects or identifiers"),
    ] {
      server.answer = [answer]
      let error = try #require(throws: CocoaError.self) { try context.all("Book") }
      #expect("\(error)".contains(words), "\(error)")
    }
    server.answer = 7
    let error = try #require(throws: CocoaError.self) { try context.all("Book") }
    #expect("\(error)".contains("Return an array"), "\(error)")
  }

  @Test func `A missing object is deleted when its fault fires, and existingObject throws`() throws
  {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    server.rows = [:]
    let error = #expect(throws: CocoaError.self) {
      try context.existingObject(with: book.objectID)
    }
    #expect(error?.code == .managedObjectReferentialIntegrity)
    #expect(book.value(forKey: "title") == nil)
    #expect(book.isDeleted)
  }

  // MARK: Failures

  @Test func `An object that cannot be read is not deleted, and is read later`() throws {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    server.readFailure = ServerError.unreachable
    #expect(throws: ServerError.unreachable) { try context.existingObject(with: book.objectID) }
    #expect(book.text("title") == nil)
    #expect(book.isFault)
    #expect(!book.isDeleted)
    #expect(!context.hasChanges)
    context.add("Tag")
    try context.save()
    #expect(server.saves.last == "save 1 0 0, locked 0")
    #expect(server.rows["b1"] != nil)
    server.readFailure = nil
    #expect(book.text("title") == "One")
    #expect(!book.isFault)
  }

  @Test func `A failure to read a relationship deletes nothing`() throws {
    server.asksForRelationships = true
    server.rows["a"] = ServerStore.Row(entity: "Author", values: ["name": "Ann"])
    addBook("b1", ["title": "One", "author": "a"])
    let book = try #require(try context.one("Book"))
    let author = try #require(try context.one("Author"))
    server.relationshipFailure = ServerError.unreachable
    #expect(book.related("author").isEmpty)
    #expect(author.related("books").isEmpty)
    #expect(!book.isDeleted && !author.isDeleted)
    server.relationshipFailure = nil
    #expect(book.related("author") == [author])
    #expect(author.related("books") == [book])
    #expect(author.text("name") == "Ann")
    #expect(!context.hasChanges)
  }

  @Test func `A fetch that wants values fails with the error of reading them`() throws {
    addBook("b1", ["title": "One"])
    server.readFailure = ServerError.unreachable
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.returnsObjectsAsFaults = false
    #expect(throws: ServerError.unreachable) { try context.fetch(request) }
  }

  @Test func `A changed object that could not be read is saved with its stored values`() throws {
    addBook("b1", ["title": "One", "pages": 1])
    let book = try #require(try context.one("Book"))
    server.readFailure = ServerError.unreachable
    book.setValue(7, forKey: "pages")
    #expect(book.number("pages") == 7)
    #expect(book.isUpdated)
    #expect(throws: ServerError.unreachable) { try context.save() }
    #expect(server.rows["b1"]?.values["pages"] as? Int == 1)
    #expect(server.saves.isEmpty)
    server.readFailure = nil
    try context.save()
    #expect(saved(book)?["title"] as? String == "One")
    #expect((saved(book)?["pages"] as? NSNumber)?.intValue == 7)
    #expect(book.text("title") == "One")
  }

  @Test func `A rollback or an undo of an unread change loses no stored value`() throws {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    server.readFailure = ServerError.unreachable
    book.setValue("Two", forKey: "title")
    context.rollback()
    #expect(!context.hasChanges)
    #expect(book.text("title") == nil)
    let undoManager = UndoManager()
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
    undoManager.beginUndoGrouping()
    book.setValue("Two", forKey: "title")
    context.processPendingChanges()
    undoManager.endUndoGrouping()
    server.readFailure = nil
    #expect(book.text("title") == "Two")
    context.undo()
    // The former value was not known when the change was registered.
    #expect(book.text("title") == "Two")
    context.undoManager = nil
    context.rollback()
    #expect(book.text("title") == "One")
  }

  @Test func `A deletion waits until its relationships can be read`() throws {
    server.rows["a"] = ServerStore.Row(entity: "Author", values: ["name": "Ann"])
    addBook("b1", ["title": "One", "author": "a"])
    let author = try #require(try context.one("Author"))
    server.relationshipFailure = ServerError.unreachable
    context.delete(author)
    context.processPendingChanges()
    #expect(author.isDeleted)
    #expect(throws: ServerError.unreachable) { try context.save() }
    #expect(server.saves.isEmpty)
    server.relationshipFailure = nil
    try context.save()
    #expect(server.rows["a"] == nil)
    #expect(server.rows["b1"]?.values["author"] == nil)
    #expect(server.rows["b1"]?.values["title"] as? String == "One")
  }

  @Test func `A save fails if the class could not read what it writes`() throws {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    book.setValue("Two", forKey: "title")
    server.relationshipFailure = ServerError.unreachable
    #expect(throws: ServerError.unreachable) { try context.save() }
    #expect(book.isUpdated)
    server.relationshipFailure = nil
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test func `A conflict whose row cannot be read is not a deletion`() throws {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    let other = stack.newContext()
    let theirs = try #require(try other.one("Book"))
    #expect(book.text("title") == theirs.text("title"))
    theirs.setValue("Two", forKey: "title")
    try other.save()
    book.setValue(3, forKey: "pages")
    context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    server.readFailure = ServerError.unreachable
    #expect(throws: ServerError.unreachable) { try context.save() }
    server.readFailure = nil
    try context.save()
    #expect(saved(book)?["title"] as? String == "Two")
    #expect((saved(book)?["pages"] as? NSNumber)?.intValue == 3)
  }

  @Test func `A child context reads later what its parent could not read`() throws {
    addBook("b1", ["title": "One"])
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try child.performAndWait { () throws in
      let book = try #require(try child.one("Book"))
      server.readFailure = ServerError.unreachable
      #expect(book.text("title") == nil)
      #expect(!book.isDeleted)
      server.readFailure = nil
      #expect(book.text("title") == "One")
    }
    #expect(!context.hasChanges)
  }

  // MARK: Relationships

  @Test func `To-one relationships come from the node, and to-many ones on access`() throws {
    server.rows["a"] = ServerStore.Row(entity: "Author", values: ["name": "Ann"])
    addBook("b1", ["title": "One", "author": "a"])
    addBook("b2", ["title": "Two", "author": "a"])
    let book = try #require(try context.one("Book"))
    let author = try #require(book.related("author").first)
    #expect(server.calls == ["fetch Book", "values b1"])
    #expect(author.text("name") == "Ann")
    #expect(Set(author.related("books").compactMap { $0.text("title") }) == ["One", "Two"])
    #expect(server.calls.filter { $0 == "books a" }.count == 1)
  }

  @Test func `A to-one relationship that the node lacks is asked for`() throws {
    server.asksForRelationships = true
    server.rows["a"] = ServerStore.Row(entity: "Author", values: ["name": "Ann"])
    addBook("b1", ["author": "a"])
    let book = try #require(try context.one("Book"))
    #expect(book.related("author").first?.text("name") == "Ann")
    #expect(server.calls.contains("author b1"))
    #expect(book.related("sequel").isEmpty)
  }

  // MARK: Saving

  @Test func `A save gives identifiers, and passes the objects in one request`() throws {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    let author = context.add("Author", ["name": "Ann"])
    book.setValue(author, forKey: "author")
    server.calls = []
    try context.save()
    #expect(server.saves == ["identifiers 1", "save 1 1 0, locked 0"])
    #expect(!author.objectID.isTemporaryID)
    #expect(saved(author)?["name"] as? String == "Ann")
    #expect(saved(book)?["author"] as? String == "Author-1")
    #expect(!context.hasChanges)
    context.delete(book)
    try context.save()
    #expect(server.saves.last == "save 0 1 1, locked 0")
    #expect(server.rows["b1"] == nil)
  }

  @Test func `A rejected save leaves the changes and the temporary identifiers`() throws {
    let author = context.add("Author", ["name": "Ann"])
    let temporary = author.objectID
    server.failure = ServerError.refused
    #expect(throws: ServerError.refused) { try context.save() }
    #expect(context.insertedObjects == [author])
    #expect(author.objectID == temporary)
    server.failure = nil
    try context.save()
    #expect(saved(author)?["name"] as? String == "Ann")
  }

  @Test func `A new context reads what was saved`() throws {
    let author = context.add("Author", ["name": "Ann"])
    context.add("Book", ["title": "One", "author": author])
    try context.save()
    let other = stack.newContext()
    let book = try #require(try other.one("Book", "title == 'One'"))
    #expect(book.related("author").first?.text("name") == "Ann")
    #expect(book.related("author").first?.objectID == author.objectID)
  }

  @Test func `Locked objects are passed with the save`() throws {
    addBook("b1", ["title": "One"])
    addBook("b2", ["title": "Two"])
    let books = try context.all("Book")
    context.detectConflicts(for: books[0])
    books[1].setValue("Three", forKey: "title")
    try context.save()
    #expect(server.saves.last == "save 0 1 0, locked 1")
  }

  // MARK: Conflicts

  @Test(arguments: [true, false]) func `Two contexts that change one object conflict`(
    countsVersions: Bool
  ) throws {
    server.countsVersions = countsVersions
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    let other = stack.newContext()
    let theirs = try #require(try other.one("Book"))
    #expect(book.text("title") == theirs.text("title"))
    theirs.setValue("Two", forKey: "title")
    try other.save()
    book.setValue("Three", forKey: "title")
    let error = try #require(throws: CocoaError.self) { try context.save() }
    #expect(error.code == .managedObjectMerge)
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    #expect(saved(book)?["title"] as? String == "Three")
  }

  @Test(arguments: [true, false]) func `Saves in turn do not conflict`(countsVersions: Bool) throws
  {
    server.countsVersions = countsVersions
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    for number in 0..<3 {
      book.setValue("\(number)", forKey: "title")
      try context.save()
      let other = stack.newContext()
      let theirs = try #require(try other.one("Book"))
      theirs.setValue("their \(number)", forKey: "title")
      try other.save()
      context.refresh(book, mergeChanges: false)
      #expect(book.text("title") == "their \(number)")
    }
  }

  @Test func `A conflict that the class reports is resolved by the merge policy`() throws {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    book.setValue("Two", forKey: "title")
    server.conflict = { [server] _ in
      server.rows["b1"]?.values["pages"] = 7
      server.rows["b1"]?.version += 1
      let conflict = NSMergeConflict(
        source: book, newVersion: 2, oldVersion: 1, cachedSnapshot: nil, persistedSnapshot: nil)
      throw NSError(
        domain: NSCocoaErrorDomain, code: NSPersistentStoreSaveConflictsError,
        userInfo: [NSPersistentStoreSaveConflictsErrorKey: [conflict]])
    }
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    #expect(saved(book)?["title"] as? String == "Two")
    #expect(book.number("pages") == 7)
  }

  // MARK: Threads

  /// Begins work on another thread, and gives it time to go as far as it can.
  private static func begin(_ work: @escaping @Sendable () -> Void) {
    let begins = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      begins.signal()
      work()
    }
    begins.wait()
    for _ in 0..<20_000 { sched_yield() }
  }

  @Test func `The class is called by one thread at a time`() throws {
    addBook("b1", ["title": "One"])
    let other = stack.newContext()
    let calls = Mutex(0)
    let isDone = DispatchSemaphore(value: 0)
    server.duringFetch = {
      let number = calls.withLock { calls in
        calls += 1
        return calls
      }
      guard number == 1 else { return }
      Self.begin {
        _ = try? other.all("Book")
        isDone.signal()
      }
      #expect(calls.withLock { $0 } == 1)
    }
    #expect(try context.all("Book").count == 1)
    isDone.wait()
    #expect(calls.withLock { $0 } == 2)
  }

  @Test func `A class may fetch and save within a call`() throws {
    addBook("b1", ["title": "One"])
    let other = stack.newContext()
    server.duringFetch = { [server] in
      server.duringFetch = nil
      other.add("Book", ["title": "Two"])
      try? other.save()
    }
    #expect(try context.all("Book").count == 2)
  }

  @Test func `One of two simultaneous saves of an object conflicts`() throws {
    addBook("b1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    book.setValue("Two", forKey: "title")
    let other = stack.newContext()
    try #require(try other.one("Book")).setValue("Three", forKey: "title")
    let otherSave = Mutex<(any Error)?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    server.conflict = { _ in
      Self.begin {
        do { try other.save() } catch { otherSave.withLock { $0 = error } }
        isDone.signal()
      }
    }
    try context.save()
    isDone.wait()
    let error = try #require(otherSave.withLock { $0 } as? CocoaError)
    #expect(error.code == .managedObjectMerge)
    #expect(saved(book)?["title"] as? String == "Two")
  }

  // MARK: Identifiers

  @Test func `An identifier is the same in every coordinator, and survives as a URI`() throws {
    addBook("a book/1", ["title": "One"])
    let book = try #require(try context.one("Book"))
    let second = try ShelfStack(ServerStore.storeType, at: address)
    let theirs = try #require(try second.context.one("Book"))
    #expect(book.objectID == theirs.objectID)
    #expect(second.context.object(with: book.objectID) === theirs)
    let uri = book.objectID.uriRepresentation()
    #expect(uri.absoluteString.hasSuffix("/Book/pa%20book%2F1"))
    #expect(second.coordinator.managedObjectID(forURIRepresentation: uri) == book.objectID)
    #expect(
      (second.store as? ServerStore)?.referenceObject(for: book.objectID) as? String == "a book/1")
  }

  @Test func `A URI names an object that was never fetched`() throws {
    let store = try #require(stack.store as? ServerStore)
    let host = try #require(store.identifier)
    addBook("b9", ["title": "Nine"])
    let uri = try #require(URL(string: "x-coredata://\(host)/Book/pb9"))
    let identifier = try #require(stack.coordinator.managedObjectID(forURIRepresentation: uri))
    #expect(try context.existingObject(with: identifier).text("title") == "Nine")
    #expect(identifier == (try context.one("Book"))?.objectID)
  }

  @Test(arguments: [
    7 as any Hashable & Sendable, "seven", UUID(), Data([1, 2]),
    Date(timeIntervalSinceReferenceDate: 7),
  ])
  func `A reference may have any type`(_ reference: any Hashable & Sendable) throws {
    let store = try #require(stack.store as? ServerStore)
    let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Tag"])
    let identifier = store.newObjectID(for: entity, referenceObject: reference)
    #expect(identifier == store.newObjectID(for: entity, referenceObject: reference))
    #expect(store.referenceObject(for: identifier) as? AnyHashable == AnyHashable(reference))
    let uri = identifier.uriRepresentation()
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == identifier)
  }

  // MARK: Registration and removal

  @Test func `The class learns which objects a context has`() throws {
    addBook("b1")
    addBook("b2")
    let other = stack.newContext()
    do {
      let books = try other.all("Book")
      #expect(Set(server.registered) == ["b1", "b2"])
      #expect(server.unregistered.isEmpty)
      withExtendedLifetime(books) {}
    }
    #expect(Set(server.unregistered) == ["b1", "b2"])
    let book = other.add("Book")
    try other.save()
    #expect(server.registered.last == "Book-1")
    other.reset()
    #expect(server.unregistered.last == "Book-1")
    withExtendedLifetime(book) {}
  }

  @Test func `An error while metadata are loaded fails the addition`() throws {
    #expect(throws: ServerError.unreachable) {
      try ShelfStack(ServerStore.storeType, at: URL(fileURLWithPath: "/nowhere"))
    }
  }

  @Test func `A removed store is released`() throws {
    weak var store: NSPersistentStore?
    do {
      let other = try ShelfStack(ServerStore.storeType, at: address)
      store = other.store
      try other.coordinator.remove(other.store)
      #expect(other.store.persistentStoreCoordinator == nil)
    }
    #expect(store == nil)
  }

  @Test func `A child context saves through its parent`() throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    child.performAndWait { _ = child.add("Author", ["name": "Ann"]) }
    try child.performAndWait { try child.save() }
    try context.save()
    #expect(server.rows["Author-1"]?.values["name"] as? String == "Ann")
  }
}
