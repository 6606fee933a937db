import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Synchronization
import TestSupport
import Testing

@Suite struct `Copying objects into an open store` {
  /// Fills a store with labelled objects, and with forward, cyclic, ordered and one-to-one
  /// relationships.
  static func fill(_ stack: ShelfStack, count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = stack.context
    try context.performAndWait {
      let authors = (0..<count).map { context.add("Author", ["name": "a\($0)"]) }
      let books = (0..<count * 2).map { number in
        context.add(
          Bool.random(using: &random) ? "Book" : "Novel",
          [
            "title": "b\(number)", "isbn": "i\(number)",
            "pages": Int.random(in: 0..<900, using: &random),
            "price": NSDecimalNumber(string: "\(number).25"), "code": UUID(),
            "added": Date(timeIntervalSinceReferenceDate: Double(number) + 0.125),
            "cover": Data(repeating: UInt8(number % 256), count: number % 40),
          ])
      }
      let tags = (0..<3).map { context.add("Tag", ["word": "t\($0)"]) }
      for (number, book) in books.enumerated() {
        if Bool.random(using: &random) {
          book.setValue(authors.randomElement(using: &random), forKey: "author")
        }
        book.setValue(
          Set(tags.filter { _ in Bool.random(using: &random) }) as NSSet, forKey: "tags")
        let chapters = (0..<number % 3).map {
          context.add("Chapter", ["heading": "c\(number).\($0)"])
        }
        book.setValue(NSOrderedSet(array: chapters.shuffled(using: &random)), forKey: "chapters")
      }
      // The sequels form one cycle.
      for (book, next) in zip(books, books.dropFirst() + [books[0]]) {
        book.setValue(next, forKey: "sequel")
      }
      for author in authors {
        let favourites = books.shuffled(using: &random).prefix(3)
        author.setValue(NSOrderedSet(array: Array(favourites)), forKey: "favourites")
      }
      try context.save()
    }
  }

  static let types = [
    (NSSQLiteStoreType, NSSQLiteStoreType), (NSInMemoryStoreType, NSSQLiteStoreType),
    (NSSQLiteStoreType, NSInMemoryStoreType),
  ]

  @Test(arguments: 0..<3, [1, 2, 7, 500])
  func `The copied graph equals the source for any batch size`(types: Int, batchSize: Int) throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(Self.types[types], in: folder)
      // Existing rows, so that an object and its copy have different keys.
      for number in 0..<3 { pair.destination.context.add("Author", ["name": "old\(number)"]) }
      try pair.destination.context.save()
      let old = try graph(of: pair.destination)
      try Self.fill(pair.source, count: 4, seed: UInt64(batchSize))
      let expected = try graph(of: pair.source)
      let result = try pair.copy(batchSize: batchSize)
      #expect(try graph(of: pair.destination) == (expected + old).sorted())
      #expect(result.insertedCount == expected.count && result.mergedCount == 0)
      #expect(try graph(of: pair.source) == expected)
      #expect(pair.destination.store.metadata["ParhelionUnfinishedCopies"] == nil)
    }
  }

  @Test func `The result names the copy of each object`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      pair.destination.context.add("Author", ["name": "old"])
      try pair.destination.context.save()
      let ann = pair.source.context.add("Author", ["name": "Ann"])
      let novel = pair.source.context.add("Novel", ["title": "One", "author": ann])
      try pair.source.context.save()
      let result = try pair.copy()
      let copy = try #require(result.objectID(forCopyOf: novel.objectID))
      let context = pair.destination.newContext()
      #expect(try context.existingObject(with: copy).text("title") == "One")
      #expect(copy.entity.name == "Novel")
      #expect(result.objectID(forCopyOf: copy) == nil)
    }
  }

  @Test func `Copying a store twice adds each object twice`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      pair.source.context.add("Author", ["name": "Ann"])
      try pair.source.context.save()
      try pair.copy()
      try pair.copy()
      #expect(try pair.destination.context.all("Author").count == 2)
    }
  }

  @Test func `Entities outside the destination are not copied, and stop a move`() throws {
    try withTemporaryDirectory { folder in
      let model = NSManagedObjectModel()
      let words = ShelfModel.entity("Tag", [ShelfModel.attribute("word", .stringAttributeType)])
      let notes = ShelfModel.entity("Note", [ShelfModel.attribute("title", .stringAttributeType)])
      model.entities = [words, notes]
      model.setEntities([words], forConfigurationName: "Words")
      let source = try ShelfStack(NSInMemoryStoreType, at: nil, model: model)
      for number in 0..<3 { source.context.add("Tag", ["word": "\(number)"]) }
      source.context.add("Note", ["title": "one"])
      try source.context.save()
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: "Words",
        at: folder.appendingPathComponent("words.sqlite"))
      let result = try coordinator.copyObjects(from: source.store, to: store)
      #expect(result.insertedCount == 3)
      let error = try #require(throws: CocoaError.self) {
        try coordinator.moveObjects(from: source.store, to: store)
      }
      #expect(error.code.rawValue == NSPersistentStoreOperationError)
      #expect(try source.context.all("Tag").count == 3)
    }
  }

  @Test func `Entities outside a binary store stop a move, too`() throws {
    try withTemporaryDirectory { folder in
      let model = NSManagedObjectModel()
      let words = ShelfModel.entity("Tag", [ShelfModel.attribute("word", .stringAttributeType)])
      let notes = ShelfModel.entity("Note", [ShelfModel.attribute("title", .stringAttributeType)])
      model.entities = [words, notes]
      model.setEntities([words], forConfigurationName: "Words")
      let source = try ShelfStack(NSInMemoryStoreType, at: nil, model: model)
      source.context.add("Tag", ["word": "one"])
      let note = source.context.add("Note", ["title": "one"])
      try source.context.save()
      let store = try source.coordinator.addPersistentStore(
        ofType: NSBinaryStoreType, configurationName: "Words",
        at: folder.appendingPathComponent("words.binary"))
      let error = try #require(throws: CocoaError.self) {
        try source.coordinator.moveObjects(from: source.store, to: store)
      }
      #expect(error.code.rawValue == NSPersistentStoreOperationError)
      #expect(try source.context.all("Tag").map { $0.objectID.persistentStore } == [source.store])
      source.context.delete(note)
      try source.context.save()
      let result = try source.coordinator.moveObjects(from: source.store, to: store)
      #expect(result.insertedCount == 1)
    }
  }

  @Test func `Copying to the same, a foreign or a read-only store fails`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      #expect(throws: CocoaError.self) {
        try pair.source.coordinator.copyObjects(from: pair.source.store, to: pair.source.store)
      }
      #expect(throws: CocoaError.self) {
        try pair.source.coordinator.copyObjects(from: pair.source.store, to: pair.destination.store)
      }
      let other = try ShelfStack(NSInMemoryStoreType, at: nil)
      #expect(throws: CocoaError.self) {
        try pair.destination.coordinator.copyObjects(
          from: other.store, to: pair.destination.store)
      }
      pair.destination.store.isReadOnly = true
      let error = try #require(throws: CocoaError.self) { try pair.copy() }
      #expect(error.code == .fileWriteNoPermission)
    }
  }

  @Test func `Objects move from an XML store to an SQLite store unchanged, in one save`() throws {
    try withTemporaryDirectory { folder in
      let model = ShelfModel().model
      let stack = try ShelfStack(
        NSXMLStoreType, at: folder.appendingPathComponent("a.xml"), model: model)
      try Self.fill(stack, count: 2, seed: 3)
      let expected = try graph(of: stack)
      let copy = try stack.coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("b.sqlite"),
        options: [NSPersistentHistoryTrackingKey: true])
      let result = try stack.coordinator.moveObjects(
        from: stack.store, to: copy, options: .init(batchSize: 1))
      #expect(result.insertedCount == expected.count)
      try stack.coordinator.remove(stack.store)
      #expect(try graph(of: stack) == expected)
      let transactions = try history(in: stack.newContext())
      #expect(transactions.count == 1)
      let inserted = transactions.flatMap { $0.changes ?? [] }.filter { $0.changeType == .insert }
      #expect(inserted.count == expected.count)
    }
  }

  // MARK: Unique values

  private func books(_ stack: ShelfStack, _ titles: [String: String]) throws {
    for (title, isbn) in titles.sorted(by: { $0.key < $1.key }) {
      stack.context.add("Book", ["title": title, "isbn": isbn])
    }
    try stack.context.save()
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func `Equal unique values stop the copy before anything is written`(type: String) throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair((NSInMemoryStoreType, type), in: folder)
      try books(pair.destination, ["stored": "1"])
      try books(pair.source, ["a": "0", "b": "1", "c": "2"])
      let error = try #require(throws: CocoaError.self) { try pair.copy(batchSize: 1) }
      #expect(error.code.rawValue == NSManagedObjectConstraintMergeError)
      #expect(error.localizedDescription.contains("Book.isbn"))
      #expect(try pair.destination.context.all("Book").count == 1)
    }
  }

  @Test(
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType],
    [NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .overwriteMergePolicyType])
  func `Relationships lead to the stored object with equal unique values`(
    type: String, policy: NSMergePolicyType
  ) throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair((NSInMemoryStoreType, type), in: folder)
      let there = pair.destination.context
      let stored = there.add("Book", ["title": "stored", "isbn": "1", "pages": 7])
      stored.setValue(
        NSOrderedSet(array: [there.add("Chapter", ["heading": "old"])]), forKey: "chapters")
      try there.save()
      let here = pair.source.context
      let ann = here.add("Author", ["name": "Ann"])
      let book = here.add("Book", ["title": "new", "isbn": "1", "author": ann])
      let other = here.add("Book", ["title": "other", "isbn": "2"])
      book.setValue(
        NSOrderedSet(array: ["x", "y"].map { here.add("Chapter", ["heading": $0]) }),
        forKey: "chapters")
      book.setValue(Set([here.add("Tag", ["word": "t"])]) as NSSet, forKey: "tags")
      ann.setValue(NSOrderedSet(array: [other, book]), forKey: "favourites")
      other.setValue(book, forKey: "sequel")
      try here.save()
      let result = try pair.copy(batchSize: 1, policy)
      #expect(result.mergedCount == 1 && result.insertedCount == 5)
      #expect(result.objectID(forCopyOf: book.objectID) == stored.objectID)
      let context = pair.destination.newContext()
      let merged = try #require(try context.one("Book", "isbn == '1'"))
      let isReplaced = policy == .overwriteMergePolicyType
      #expect(merged.objectID == stored.objectID)
      #expect(merged.text("title") == (isReplaced ? "new" : "stored"))
      #expect(merged.number("pages") == (isReplaced ? nil : 7))
      #expect(merged.related("author").map { $0.text("name") } == (isReplaced ? ["Ann"] : []))
      #expect(merged.related("chapters").map { $0.text("heading") } == ["old", "x", "y"])
      #expect(merged.related("tags").count == 1)
      #expect(merged.related("prequel").map { $0.text("title") } == ["other"])
      #expect(
        try context.one("Book", "isbn == '2'")?.related("sequel") == [merged],
        "Both sides of the pair")
      let author = try #require(try context.one("Author"))
      #expect(author.related("favourites").map { $0.text("isbn") } == ["2", "1"])
    }
  }

  @Test func `A stored one-to-one pair stays when one of its objects is overwritten`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      let there = pair.destination.context
      let partner = there.add("Book", ["title": "partner", "isbn": "9"])
      there.add("Book", ["title": "stored", "isbn": "1", "prequel": partner])
      try there.save()
      let here = pair.source.context
      let book = here.add("Book", ["title": "new", "isbn": "1"])
      here.add("Book", ["title": "other", "isbn": "2", "sequel": book])
      try here.save()
      try pair.copy(.overwriteMergePolicyType)
      let context = pair.destination.newContext()
      let merged = try #require(try context.one("Book", "isbn == '1'"))
      #expect(merged.text("title") == "new")
      #expect(merged.related("prequel").map { $0.text("title") } == ["partner"])
      #expect(try context.one("Book", "isbn == '2'")?.related("sequel") == [])
      #expect(try context.one("Book", "isbn == '9'")?.related("sequel") == [merged])
    }
  }

  // MARK: Progress

  @Test func `Progress counts steps and ends at its total`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      try Self.fill(pair.source, count: 4, seed: 5)
      var fractions: [Double] = []
      let progress = WatchedProgress { fractions.append($0.fractionCompleted) }
      try pair.copy(batchSize: 3, progress: progress)
      #expect(progress.completedUnitCount == progress.totalUnitCount)
      #expect(fractions.count > 5 && fractions == fractions.sorted() && fractions.last == 1)
    }
  }

  @Test(arguments: [false, true])
  func `A cancelled copy is completed by the next one`(isMove: Bool) throws {
    // Cancels after each part in turn, until a copy has no such part.
    var wasCancelled = true
    var part = 1
    while wasCancelled {
      try withTemporaryDirectory { folder in
        let pair = try CopyPair(in: folder)
        try Self.fill(pair.source, count: 3, seed: 11)
        let expected = try graph(of: pair.source)
        func run(_ progress: Progress?) throws {
          _ =
            try isMove
            ? pair.move(batchSize: 4, progress: progress)
            : pair.copy(batchSize: 4, progress: progress)
        }
        let end = part
        let progress = WatchedProgress { if $0.parts == end { $0.cancel() } }
        do {
          try run(progress)
          wasCancelled = false
        } catch let error as CocoaError {
          #expect(error.code == .userCancelled)
          try run(nil)
        }
        #expect(try graph(of: pair.destination) == expected, "cancelled after part \(end)")
        if isMove { #expect(try graph(of: pair.source) == []) }
        #expect(pair.destination.store.metadata["ParhelionUnfinishedCopies"] == nil)
      }
      part += 1
    }
    #expect(part > 6)
  }

  @Test func `During a copy, no relationship leads to an object that is not copied yet`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      try Self.fill(pair.source, count: 4, seed: 17)
      var (followed, dangling) = (0, 0)
      let progress = WatchedProgress { _ in
        let context = pair.destination.newContext()
        for book in try context.all("Book") {
          for name in ["author", "sequel", "prequel"] {
            for object in book.related(name) {
              followed += 1
              if (try? context.existingObject(with: object.objectID)) == nil { dangling += 1 }
            }
          }
        }
      }
      try pair.copy(batchSize: 3, progress: progress)
      #expect(dangling == 0 && followed > 0 && progress.parts > 5)
    }
  }

  @Test func `The async methods copy, and throw if their progress is cancelled`() async throws {
    try await withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      try Self.fill(pair.source, count: 3, seed: 2)
      let (source, destination) = (pair.source.store, pair.destination.store)
      let coordinator = pair.destination.coordinator
      let result = try await coordinator.copyObjects(from: source, to: destination)
      #expect(result.insertedCount > 0)
      let progress = Progress(totalUnitCount: 1)
      progress.cancel()
      await #expect(throws: CocoaError.self) {
        try await coordinator.moveObjects(from: source, to: destination, progress: progress)
      }
    }
  }

  @Test(arguments: [false, true])
  func `Cancelling a task cancels the copy that it awaits`(isMove: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      try Self.fill(pair.source, count: 3, seed: 13)
      let expected = try graph(of: pair.source)
      let coordinator = pair.destination.coordinator
      // The test uses the stores again when the task has ended.
      nonisolated(unsafe) let source = pair.source.store
      nonisolated(unsafe) let destination = pair.destination.store
      let running = Mutex<Task<Void, any Error>?>(nil)
      let progress = WatchedProgress { progress in
        if progress.parts == 2 { running.withLock { $0 }?.cancel() }
      }
      let options = NSPersistentStoreCoordinator.CopyOptions(batchSize: 4)
      // The copy begins when its progress can cancel the task.
      let (beginning, begin) = AsyncStream<Void>.makeStream()
      let task = Task<Void, any Error> {
        for await _ in beginning {}
        if isMove {
          try await coordinator.moveObjects(
            from: source, to: destination, options: options, progress: progress)
        } else {
          try await coordinator.copyObjects(
            from: source, to: destination, options: options, progress: progress)
        }
      }
      running.withLock { $0 = task }
      begin.finish()
      let error = try await #require(throws: CocoaError.self) { try await task.value }
      #expect(error.code == .userCancelled)
      #expect(progress.parts == 2)
      #expect(try graph(of: pair.source) == expected)
      if isMove { try pair.move(batchSize: 4) } else { try pair.copy(batchSize: 4) }
      #expect(try graph(of: pair.destination) == expected)
    }
  }

  // MARK: Moving

  @Test(arguments: 0..<3) func `Moved objects leave the source`(types: Int) throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(Self.types[types], in: folder)
      try Self.fill(pair.source, count: 4, seed: 23)
      let expected = try graph(of: pair.source)
      let result = try pair.move(batchSize: 3)
      #expect(try graph(of: pair.destination) == expected)
      #expect(try graph(of: pair.source) == [] && result.unmovedObjectIDs == [])
    }
  }

  @Test func `An object that changes while it is moved stays in the source`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      let ann = pair.source.context.add("Author", ["name": "Ann"])
      pair.source.context.add("Author", ["name": "Bob"])
      try pair.source.context.save()
      let progress = WatchedProgress { progress in
        guard progress.parts == 1 else { return }
        ann.setValue("Anna", forKey: "name")
        try pair.source.context.save()
      }
      let result = try pair.move(progress: progress)
      #expect(result.unmovedObjectIDs == [ann.objectID])
      #expect(try pair.source.newContext().all("Author").map { $0.text("name") } == ["Anna"])
      #expect(try pair.destination.context.all("Author").count == 2)
    }
  }

  @Test func `An object that changes while an interrupted move is finished is not copied again`()
    throws
  {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      let tags = ["a", "b", "c"].map { pair.source.context.add("Tag", ["word": $0]) }
      try pair.source.context.save()
      // The move fails after it has deleted one of the three objects.
      let failing = WatchedProgress { progress in
        guard progress.completedUnitCount == progress.totalUnitCount - 2 else { return }
        pair.source.store.isReadOnly = true
      }
      #expect(throws: CocoaError.self) { try pair.move(batchSize: 1, progress: failing) }
      pair.source.store.isReadOnly = false
      // The objects are deleted in descending order.
      let changing = WatchedProgress { progress in
        guard progress.parts == 1 else { return }
        tags[0].setValue("A", forKey: "word")
        try pair.source.context.save()
      }
      let result = try pair.move(batchSize: 1, progress: changing)
      #expect(result.unmovedObjectIDs == [tags[0].objectID])
      #expect(try pair.source.newContext().all("Tag").map { $0.text("word") } == ["A"])
      #expect(try pair.destination.context.all("Tag").count == 3)
    }
  }

  @Test func `A move can no longer be cancelled when it deletes`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      for word in ["a", "b", "c"] { pair.source.context.add("Tag", ["word": word]) }
      try pair.source.context.save()
      // One of the three objects is deleted.
      let progress = WatchedProgress { progress in
        if progress.completedUnitCount == progress.totalUnitCount - 2 { progress.cancel() }
      }
      try pair.move(batchSize: 1, progress: progress)
      #expect(progress.isCancelled)
      #expect(try graph(of: pair.source) == [])
      #expect(try pair.destination.context.all("Tag").count == 3)
    }
  }

  @Test func `A move that is cancelled before it deletes leaves the source complete`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      for word in ["a", "b", "c"] { pair.source.context.add("Tag", ["word": word]) }
      try pair.source.context.save()
      let progress = WatchedProgress { progress in
        if progress.completedUnitCount == progress.totalUnitCount - 3 { progress.cancel() }
      }
      let error = #expect(throws: CocoaError.self) { try pair.move(progress: progress) }
      #expect(error?.code == .userCancelled)
      #expect(try pair.source.context.all("Tag").count == 3)
    }
  }

  @Test func `Repeating an interrupted copy updates the objects that have changed since`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(in: folder)
      let ann = pair.source.context.add("Author", ["name": "Ann"])
      pair.source.context.add("Tag", ["word": "t"])
      try pair.source.context.save()
      let progress = WatchedProgress { $0.cancel() }
      #expect(throws: CocoaError.self) { try pair.copy(batchSize: 1, progress: progress) }
      ann.setValue("Anna", forKey: "name")
      pair.source.context.add("Author", ["name": "Cyd"])
      try pair.source.context.save()
      try pair.copy()
      #expect(
        try Set(pair.destination.context.all("Author").compactMap { $0.text("name") })
          == ["Anna", "Cyd"])
      #expect(try pair.destination.context.all("Tag").count == 1)
    }
  }

  // MARK: History

  private func history(in context: NSManagedObjectContext) throws
    -> [NSPersistentHistoryTransaction]
  {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    return try #require(result?.result as? [NSPersistentHistoryTransaction])
  }

  @Test func `The history has a transaction with the copy's author for each batch`() throws {
    try withTemporaryDirectory { folder in
      let pair = try CopyPair(
        in: folder, options: [NSPersistentHistoryTrackingKey: true])
      for number in 0..<5 { pair.source.context.add("Author", ["name": "\(number)"]) }
      let book = pair.source.context.add("Book", ["title": "One"])
      book.setValue(Set([pair.source.context.add("Tag")]) as NSSet, forKey: "tags")
      try pair.source.context.save()
      try pair.copy(batchSize: 2, author: "seed")
      let transactions = try history(in: pair.destination.context)
      #expect(Set(transactions.map(\.author)) == ["seed"])
      let changes = transactions.flatMap { $0.changes ?? [] }
      #expect(changes.filter { $0.changeType == .insert }.count == 7)
      let updated = changes.filter { $0.changeType == .update }.map(\.changedObjectID.entity.name)
      #expect(updated == ["Book"], "The pairs of a many-to-many relationship are a change too.")
      #expect(transactions.map { $0.changes?.count } == [2, 2, 1, 1, 1, 1])
    }
  }
}
