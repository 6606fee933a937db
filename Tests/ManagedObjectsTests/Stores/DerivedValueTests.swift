import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import TestSupport
import Testing

/// Derived attributes in contexts: after a refresh, each sees the values that a save computed.
@Suite struct `Derived values` {
  private func makeCoordinator() throws -> NSPersistentStoreCoordinator {
    let author = NSEntityDescription()
    author.name = "Author"
    let book = NSEntityDescription()
    book.name = "Book"
    let books = NSRelationshipDescription()
    (books.name, books.destinationEntity) = ("books", book)
    let writer = NSRelationshipDescription()
    (writer.name, writer.destinationEntity, writer.maxCount) = ("author", author, 1)
    (books.inverseRelationship, writer.inverseRelationship) = (writer, books)
    author.properties = [
      attribute("name", .stringAttributeType),
      derived("loud", .stringAttributeType, "uppercase:(name)"),
      derived("count", .integer64AttributeType, "books.@count"),
      derived("pages", .integer64AttributeType, "books.pages.@sum"),
      derived("saved", .dateAttributeType, "now()"), books,
    ]
    book.properties = [
      attribute("pages", .integer64AttributeType),
      derived("by", .stringAttributeType, "author.name"), writer,
    ]
    let model = NSManagedObjectModel()
    model.entities = [author, book]
    return NSPersistentStoreCoordinator(managedObjectModel: model)
  }

  private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType) = (name, type)
    return attribute
  }

  private func derived(_ name: String, _ type: NSAttributeType, _ format: String)
    -> NSAttributeDescription
  {
    let attribute = NSDerivedAttributeDescription()
    (attribute.name, attribute.attributeType) = (name, type)
    attribute.derivationExpression = PredicateLanguage.NSExpression(format: format)
    return attribute
  }

  private func insert(_ name: String, _ values: [String: Any], _ context: NSManagedObjectContext)
    -> NSManagedObject
  {
    let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      object.setValue(value, forKey: key)
    }
    return object
  }

  private func text(_ object: NSManagedObject, _ keys: String...) -> String {
    keys.map { key in object.value(forKey: key).map { "\($0)" } ?? "nil" }.joined(separator: " ")
  }

  @Test func `Derived values are present after a save and a refresh, in every context`()
    throws
  {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = try makeCoordinator()
      try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("a.sqlite"))
      let (context, other) = (coordinator.makeTestContext(), coordinator.makeTestContext())
      try context.performAndWait { () throws in
        let author = insert("Author", ["name": "Ann"], context)
        try context.save()
        context.refresh(author, mergeChanges: true)
        #expect(text(author, "loud", "count", "pages") == "ANN 0 0")
        // Another context has the row, and so does the row cache.
        let seen = try other.performAndWait { try other.existingObject(with: author.objectID) }
        other.performAndWait { #expect(text(seen, "count", "pages") == "0 0") }
        let book = insert("Book", ["pages": 7, "author": author], context)
        _ = insert("Book", ["pages": 5, "author": author], context)
        try context.save()
        context.refresh(author, mergeChanges: true)
        #expect(text(author, "count", "pages") == "2 12")
        context.refresh(book, mergeChanges: true)
        #expect(text(book, "by") == "Ann")
        other.performAndWait {
          other.refresh(seen, mergeChanges: true)
          #expect(text(seen, "count", "pages") == "2 12")
        }
        book.setValue(9, forKey: "pages")
        author.setValue("Bea", forKey: "name")
        try context.save()
        for object in [book, author] { context.refresh(object, mergeChanges: true) }
        #expect(
          text(book, "by", "pages") == "Bea 9"
            && text(author, "loud", "count", "pages") == "BEA 2 14")
        context.delete(book)
        try context.save()
        context.refresh(author, mergeChanges: true)
        #expect(text(author, "count", "pages") == "1 5")
      }
      let third = coordinator.makeTestContext()
      try third.performAndWait { () throws in
        let found = try third.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
        #expect(found.map { text($0, "loud", "count", "pages") } == ["BEA 1 5"])
      }
    }
  }

  @Test func `A fault's derived values come from the store after another context's save`() throws {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = try makeCoordinator()
      try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("a.sqlite"))
      let (reader, writer) = (coordinator.makeTestContext(), coordinator.makeTestContext())
      let id = try writer.performAndWait { () throws in
        let author = insert("Author", ["name": "Ann"], writer)
        try writer.save()
        return author.objectID
      }
      // The reader keeps the row in the cache.
      let kept = try reader.performAndWait { try reader.existingObject(with: id) }
      reader.performAndWait { #expect(text(kept, "count") == "0") }
      try writer.performAndWait { () throws in
        _ = insert("Book", ["pages": 1, "author": writer.object(with: id)], writer)
        try writer.save()
      }
      let late = coordinator.makeTestContext()
      try late.performAndWait { () throws in
        #expect(text(try late.existingObject(with: id), "count", "pages") == "1 1")
      }
    }
  }

  @Test
  func `Faults reread derived values although their rows are in memory`()
    throws
  {
    try withTemporaryDirectory { (folder) throws in
      let coordinator = try makeCoordinator()
      try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("a.sqlite"))
      let (reader, writer) = (coordinator.makeTestContext(), coordinator.makeTestContext())
      let (author, book) = try writer.performAndWait { () throws in
        let author = insert("Author", ["name": "Ann"], writer)
        let book = insert("Book", ["pages": 7, "author": author], writer)
        try writer.save()
        return (author.objectID, book.objectID)
      }
      // The reader keeps the row in the cache.
      let kept = try reader.performAndWait { try reader.existingObject(with: book) }
      reader.performAndWait { #expect(text(kept, "by") == "Ann") }
      let renamer = coordinator.makeTestContext()
      try renamer.performAndWait { () throws in
        try renamer.existingObject(with: author).setValue("Bea", forKey: "name")
        try renamer.save()
      }
      let late = coordinator.makeTestContext()
      try late.performAndWait { () throws in
        #expect(text(try late.existingObject(with: book), "by") == "Bea")
      }
    }
  }

  @Test func `Derived times come from the coordinator's clock`() throws {
    try withTemporaryDirectory { (folder) throws in
      var dependencies = StackDependencies.real
      dependencies.now = { Date(timeIntervalSinceReferenceDate: 77) }
      let coordinator = try StackDependencies.$current.withValue(dependencies) {
        try makeCoordinator()
      }
      try coordinator.addPersistentStore(
        type: .sqlite, at: folder.appendingPathComponent("a.sqlite"))
      let context = coordinator.makeTestContext()
      try context.performAndWait { () throws in
        let author = insert("Author", ["name": "Ann"], context)
        try context.save()
        context.refresh(author, mergeChanges: true)
        #expect(author.value(forKey: "saved") as? Date == Date(timeIntervalSinceReferenceDate: 77))
      }
    }
  }
}

extension NSPersistentStoreCoordinator {
  fileprivate func makeTestContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = self
    return context
  }
}
