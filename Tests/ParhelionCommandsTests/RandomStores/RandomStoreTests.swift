import Foundation
import ManagedObjectModel
import ManagedObjects
import ParhelionCommands
import TestSupport
import Testing

/// Random graphs of random models survive saving and reopening, and the file is valid.
@Suite struct `Random stores` {
  private func context(_ model: NSManagedObjectModel, _ url: URL, _ history: Bool) throws
    -> NSManagedObjectContext
  {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSPersistentHistoryTrackingKey: history, NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func `Random stores reopen as saved and pass the check`() throws {
    var generator = SeededGenerator.forTest()
    for round in 0..<12 {
      let seeded = SeededGenerator(seed: generator.next())
      try withTemporaryDirectory { folder in
        var models = RandomModel(seeded)
        let model = models.model(derives: true)
        let url = folder.appendingPathComponent("random.sqlite")
        let place: Comment = "\(generator) round \(round)"
        var expected: Snapshot = [:]
        for step in 0..<3 {
          let context = try context(model, url, round.isMultiple(of: 2))
          try context.performAndWait { () throws in
            #expect(try context.everything() == expected, place)
            var graph = RandomGraph(
              SeededGenerator(seed: models.random.seed &+ UInt64(step)), context)
            for entity in model.entities {
              let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
              request.includesSubentities = false
              graph.objects += try context.fetch(request)
            }
            graph.delete(step * 5)
            graph.insert(20)
            graph.change(30)
            try context.save()
            // Derived values of the save are present after a refresh.
            context.refreshAllObjects()
            expected = try context.everything()
          }
          try expectSound(url, count: expected.count, place)
        }
      }
    }
  }

  @Test func `Random stores migrate in place and keep what both versions share`() throws {
    var generator = SeededGenerator.forTest()
    for round in 0..<25 {
      let seeded = SeededGenerator(seed: generator.next())
      try withTemporaryDirectory { folder in
        var models = RandomModel(seeded)
        let model = models.model()
        let url = folder.appendingPathComponent("random.sqlite")
        let migration = try #require(
          RandomMigration(of: model, SeededGenerator(seed: seeded.seed &+ 1)))
        let place: Comment = "\(generator) round \(round): \(migration.edits)"
        let before = try context(model, url, round.isMultiple(of: 2))
        let former = try before.performAndWait { () throws in
          var graph = RandomGraph(SeededGenerator(seed: seeded.seed &+ 2), before)
          graph.insert(25)
          graph.change(40)
          try before.save()
          return try before.everything()
        }
        let after = try context(migration.model, url, round.isMultiple(of: 2))
        let found = try after.performAndWait { try after.everything() }
        let expected = former.filter { migration.formerEntities.values.contains($0.key.entityPart) }
        #expect(Set(found.keys.map(migration.formerName)) == Set(expected.keys), place)
        for (name, values) in found {
          guard let old = former[migration.formerName(of: name)] else { continue }
          try compare(values, old, of: name.entityPart, migration, place)
        }
        try expectSound(url, count: found.count, place)
      }
    }
  }

  private func compare(
    _ values: [String: [String]], _ old: [String: [String]], of entity: String,
    _ migration: RandomMigration,
    _ place: Comment
  ) throws {
    for (property, former) in migration.formerProperties[entity] ?? [:] {
      let description = try #require(
        migration.model.entitiesByName[entity]?.propertiesByName[property])
      let new = try #require(values[property], "\(entity).\(property) \(place)")
      guard var before = old[former] else { continue }
      guard let relationship = description as? NSRelationshipDescription else {
        #expect(new == before, "\(entity).\(property) \(place)")
        continue
      }
      before.removeAll { !migration.formerEntities.values.contains($0.entityPart) }
      // An order survives if both versions have one.
      let names = new.map(migration.formerName)
      let isOrdered = relationship.isOrdered && migration.edits.allSatisfy { !$0.contains("order") }
      let (found, expected) = isOrdered ? (names, before) : (names.sorted(), before.sorted())
      #expect(found == expected, "\(entity).\(property) \(place)")
    }
  }

  /// Checks the file by its own copy of the model, and expects no issues.
  private func expectSound(_ url: URL, count: Int, _ place: Comment) throws {
    let check = RecordingConsole()
    #expect(ParhelionTool.run(["store", "check", url.path], console: check) == .success, place)
    #expect(
      check.result.hasSuffix("Nothing is wrong.\n"), "\(check.result) \(check.messages) \(place)")
    let dump = RecordingConsole()
    #expect(
      ParhelionTool.run(["store", "dump", url.path, "--json"], console: dump) == .success, place)
    #expect(dump.result.components(separatedBy: "\n  {\"pk\": ").count - 1 == count, place)
  }
}

extension RandomMigration {
  /// The former name of an object.
  fileprivate func formerName(of name: String) -> String {
    let entity = name.entityPart
    return (formerEntities[entity] ?? entity) + name.dropFirst(entity.count)
  }
}

extension String {
  /// The entity in the name of an object.
  fileprivate var entityPart: String { String(prefix { $0 != "/" }) }
}
