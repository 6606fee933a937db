import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Migrating by any route gives the same data` {
  /// A random library, in which every object has a distinct name.
  private static func fill(_ context: NSManagedObjectContext, _ random: inout SeededGenerator)
    throws
  {
    func insert(_ entity: String, _ key: String, _ value: String) -> NSManagedObject {
      let object = context.insert(entity)
      object.setValue(value, forKey: key)
      return object
    }
    let authors = (0..<Int.random(in: 0...5, using: &random)).map { number in
      let author = insert("Author", "name", "author \(number)")
      if Bool.random(using: &random) {
        author.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "born")
      }
      return author
    }
    let tags = (0..<Int.random(in: 0...4, using: &random)).map {
      insert("Tag", "label", "tag \($0)")
    }
    _ = insert("Shelf", "room", "shelf")
    var books: [NSManagedObject] = []
    for number in 0..<Int.random(in: 0...12, using: &random) {
      let isNovel = Bool.random(using: &random)
      let book = insert(isNovel ? "Novel" : "Book", "title", "book \(number)")
      if isNovel { book.setValue("genre \(number)", forKey: "genre") }
      if Bool.random(using: &random) { book.setValue(number, forKey: "pages") }
      if Int.random(in: 0..<4, using: &random) == 0 {
        let bytes = Bool.random(using: &random) ? 10 : SQLiteStore.Limits.externalDataBytes
        book.setValue(Data(repeating: UInt8(number), count: bytes), forKey: "cover")
      }
      book.setValue(authors.randomElement(using: &random), forKey: "author")
      book.setValue(
        NSSet(array: tags.filter { _ in Bool.random(using: &random) }), forKey: "tags")
      if let previous = books.randomElement(using: &random), Bool.random(using: &random) {
        book.setValue(previous, forKey: "prequel")
      }
      books.append(book)
    }
    try context.save()
  }

  private static func name(_ object: NSManagedObject) -> String {
    let key = object.entity.propertiesByName["name"] == nil ? "label" : "name"
    return object.value(forKey: key) as? String ?? "none"
  }

  private static func text(of url: URL) throws -> StoreText {
    let office = try Office(model: MigrationModels.second(), at: url)
    return try StoreText(office.context, name: name)
  }

  @Test(arguments: 1...12)
  func `In place, by a manager and by the store's own means`(seed: UInt64) throws {
    try withTemporaryDirectory { folder in
      func file(_ name: String) -> URL { folder.appendingPathComponent("\(name).sqlite") }
      var random = SeededGenerator(seed: seed)
      try Self.fill(Office(model: MigrationModels.first(), at: file("old")).context, &random)
      let (first, second) = (MigrationModels.first(), MigrationModels.second())
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: first, destinationModel: second)
      for (name, own) in [("manager", false), ("own", true)] {
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        manager.usesStoreSpecificMigrationManager = own
        try manager.migrateStore(
          from: file("old"), type: .sqlite, mapping: mapping, to: file(name), type: .sqlite)
        #expect(manager.migrationProgress == 1)
      }
      _ = try Office(
        model: second, at: file("old"),
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
      let expected = try Self.text(of: file("old"))
      #expect(try Self.text(of: file("manager")) == expected, "seed \(seed)")
      #expect(try Self.text(of: file("own")) == expected, "seed \(seed)")
    }
  }
}
