import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import TestSupport
import Testing

/// The SQL log of a whole program.
@Suite struct `Statement logs of a program` {
  private static func work() throws {
    let entity = NSEntityDescription()
    entity.name = "Note"
    let text = NSAttributeDescription()
    (text.name, text.attributeType) = ("text", .stringAttributeType)
    entity.properties = [text]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws in
      NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue(
        "hello", forKey: "text")
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(format: "text == 'hello'")
      _ = try context.fetch(request)
    }
  }

  private func log(_ content: [UInt8]?) -> [Substring] {
    String(decoding: content ?? [], as: UTF8.self).split(separator: "\n").filter {
      $0.hasPrefix("CoreData: ")
    }
  }

  @Test func `Without a level the log is empty`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      unsetenv("com_apple_CoreData_SQLDebug")
      try Self.work()
    }
    #expect(log(result?.standardErrorContent) == [])
  }

  @Test func `Level 1 logs statements and times`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("com_apple_CoreData_SQLDebug", "1", 1)
      try Self.work()
    }
    let log = log(result?.standardErrorContent)
    #expect(log.contains { $0.hasPrefix("CoreData: sql: INSERT INTO ZNOTE") })
    #expect(
      log.contains {
        $0.hasPrefix("CoreData: sql: SELECT t0.Z_ENT") && $0.hasSuffix("WHERE t0.ZTEXT = ?")
      })
    #expect(log.contains { $0.hasPrefix("CoreData: annotation: total execution time: ") })
    #expect(!log.contains { $0.contains("hello") || $0.contains("QUERY PLAN") })
  }

  @Test func `Level 3 logs values, and level 4 query plans`() async throws {
    let values = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("com_apple_CoreData_SQLDebug", "3", 1)
      try Self.work()
    }
    let plans = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("com_apple_CoreData_SQLDebug", "4", 1)
      try Self.work()
    }
    #expect(log(values?.standardErrorContent).contains { $0.hasSuffix("WHERE t0.ZTEXT = 'hello'") })
    #expect(!log(values?.standardErrorContent).contains { $0.contains("QUERY PLAN") })
    #expect(
      log(plans?.standardErrorContent).contains {
        $0.hasPrefix("CoreData: details: SQLite: EXPLAIN QUERY PLAN")
      })
    #expect(log(plans?.standardErrorContent).contains { $0.contains("SCAN t0") })
  }
}
