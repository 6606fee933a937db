import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// The options of a store in an application.
@Suite struct StoreOptionTests {
  private func file(_ folder: URL) -> URL { folder.appendingPathComponent("Company.sqlite") }

  /// A store with people.
  private func makeStore(in folder: URL, people count: Int = 3) throws {
    let office = try Office(at: file(folder))
    for number in 0..<count {
      _ = office.context.person("\(number) \(String(repeating: "x", count: 200))")
    }
    try office.context.save()
  }

  private func rowStore(_ office: Office) throws -> SQLiteRowStore {
    try #require(office.coordinator.openStores.first?.rowStore as? SQLiteRowStore)
  }

  @Test func `A store is analysed on request`() throws {
    try withTemporaryDirectory { folder in
      try makeStore(in: folder)
      let statistics = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'"
      #expect(try Connection(.file(file(folder).path)).value(statistics) == 0)
      _ = try Office(at: file(folder), options: [NSSQLiteAnalyzeOption: true])
      #expect(try Connection(.file(file(folder).path)).value(statistics) == 1)
    }
  }

  @Test func `A store is vacuumed on request`() throws {
    try withTemporaryDirectory { folder in
      try makeStore(in: folder, people: 500)
      do {
        let connection = try Connection(.file(file(folder).path))
        try connection.execute("DELETE FROM ZPERSON")
        #expect(try connection.get(.freelistCount) > 10)
      }
      _ = try Office(at: file(folder), options: [NSSQLiteManualVacuumOption: true])
      #expect(try Connection(.file(file(folder).path)).get(.freelistCount) == 0)
    }
  }

  @Test func `A store of another version opens if versions are ignored`() throws {
    try withTemporaryDirectory { folder in
      try makeStore(in: folder)
      let model = CompanyModel().model
      model.entitiesByName["Person"]?.versionHashModifier = "other"
      let error = try #require(throws: CocoaError.self) {
        try Office(model: model, at: file(folder))
      }
      #expect(error.code == .persistentStoreIncompatibleVersionHash)
      let office = try Office(
        model: model, at: file(folder), options: [NSIgnorePersistentStoreVersioningOption: true])
      #expect(try office.context.people().count == 3)
    }
  }

  @Test(arguments: [nil, 0, 1, 2] as [Int?])
  func `A store has no more connections than its option allows`(most: Int?) throws {
    try withTemporaryDirectory { folder in
      var options: [AnyHashable: Any] = [NSPersistentStoreFileProtectionKey: "complete"]
      options[NSPersistentStoreConnectionPoolMaxSizeKey] = most.map { $0 as NSNumber }
      let office = try Office(at: file(folder), options: options)
      _ = office.context.person("Ada")
      try office.context.save()
      #expect(try office.newContext().people().map(\.name) == ["Ada"])
      #expect(try rowStore(office).pool.readsBesideWriter == (most ?? 2 > 1))
    }
  }

  @Test func `A locked store is destroyed by force`() throws {
    try withTemporaryDirectory { folder in
      try makeStore(in: folder)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
      let locking = try Connection(.file(file(folder).path))
      try locking.begin(.exclusive)
      var options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0.02 as NSNumber]
      #expect(throws: CocoaError.self) {
        try coordinator.destroyPersistentStore(at: file(folder), type: .sqlite, options: options)
      }
      options[NSPersistentStoreForceDestroyOption] = true
      try coordinator.destroyPersistentStore(at: file(folder), type: .sqlite, options: options)
      try locking.rollback()
      #expect(try Office(at: file(folder)).context.people().isEmpty)
    }
  }

  // MARK: StackDependencies

  private func office(in folder: URL, layer: String) throws -> Office {
    var dependencies = StackDependencies.current
    dependencies.files = WatchedFiles(databaseLayer: layer)
    return try StackDependencies.$current.withValue(dependencies) { try Office(at: file(folder)) }
  }

  @Test func `SQLite uses the given file system layer`() throws {
    try withTemporaryDirectory { folder in
      let error = try #require(throws: CocoaError.self) {
        try office(in: folder, layer: "no such layer")
      }
      #expect("\(error)".contains("no such vfs"))
      // This connection locks with a file next to the database.
      let locked = try office(in: folder, layer: "unix-dotfile")
      try rowStore(locked).pool.write { connection in
        try connection.transaction(.exclusive) {
          #expect(FileManager.default.fileExists(atPath: file(folder).path + ".lock"))
        }
      }
    }
  }

  @Test func `A file with negative keys can be read`() throws {
    try withTemporaryDirectory { folder in
      try makeStore(in: folder, people: 1)
      do { try Connection(.file(file(folder).path)).execute("UPDATE ZPERSON SET Z_PK = -5") }
      let context = try Office(at: file(folder)).context
      let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
      identifiers.resultType = .managedObjectIDResultType
      #expect(try context.fetch(identifiers).count == 1)
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Person")
      dictionaries.resultType = .dictionaryResultType
      let objectID = NSExpressionDescription()
      objectID.name = "id"
      objectID.expression = NSExpression.expressionForEvaluatedObject()
      objectID.expressionResultType = .objectIDAttributeType
      dictionaries.propertiesToFetch = [objectID]
      #expect(try context.fetch(dictionaries).first?["id"] is NSManagedObjectID)
      #expect(try context.people().count == 1)
    }
  }
}
