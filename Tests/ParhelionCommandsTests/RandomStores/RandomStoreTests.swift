import Foundation
import ManagedObjectModel
import ManagedObjects
import ParhelionCommands
import TestSupport
import Testing

/// Random graphs of random models: what is saved is there when the file is opened again, and the file is sound.
@Suite struct `Random stores` {
  private func context(_ model: NSManagedObjectModel, _ url: URL, _ history: Bool) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: history ? [NSPersistentHistoryTrackingKey: true] : nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func `open again as they were saved, and check clean`() throws {
    var generator = SeededGenerator.forTest()
    for round in 0..<12 {
      let seeded = SeededGenerator(seed: generator.next())
      try withTemporaryDirectory { folder in
        var models = RandomModel(seeded)
        let model = models.model()
        let url = folder.appendingPathComponent("random.sqlite")
        let place: Comment = "\(generator) round \(round)"
        var expected: [String] = []
        for step in 0..<3 {
          let context = try context(model, url, round.isMultiple(of: 2))
          try context.performAndWait { () throws in
            #expect(try context.everything() == expected, place)
            var graph = RandomGraph(SeededGenerator(seed: models.random.seed &+ UInt64(step)), context)
            for entity in model.entities {
              let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
              request.includesSubentities = false
              graph.objects += try context.fetch(request)
            }
            graph.delete(step * 5)
            graph.insert(20)
            graph.change(30)
            try context.save()
            expected = try context.everything()
          }
          try expectSound(url, count: expected.count, place)
        }
      }
    }
  }

  /// The tool reads the file by its own copy of the model, and finds nothing wrong.
  private func expectSound(_ url: URL, count: Int, _ place: Comment) throws {
    let check = RecordingConsole()
    #expect(ParhelionTool.run(["store", "check", url.path], console: check) == .success, place)
    #expect(check.result.hasSuffix("Nothing is wrong.\n"), "\(check.result) \(check.messages) \(place)")
    let dump = RecordingConsole()
    #expect(ParhelionTool.run(["store", "dump", url.path, "--json"], console: dump) == .success, place)
    #expect(dump.result.components(separatedBy: "\n  {\"pk\": ").count - 1 == count, place)
  }
}
