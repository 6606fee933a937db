import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// Predicates with closures, which only stores in memory can evaluate.
@Suite struct BlockPredicateTests {
  private let office: Office

  init() throws {
    office = try Office()
    let context = office.context
    try context.performAndWait {
      let company = context.company("Ice", rank: 3)
      _ = context.person("Ada", age: 36, in: company)
      _ = context.person("Bob", age: 20)
      try context.save()
      context.reset()
    }
  }

  private func names(_ context: NSManagedObjectContext, _ block: @escaping (Person) -> Bool) throws
    -> [String]
  {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.predicate = NSPredicate { object, _ in (object as? Person).map(block) ?? false }
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let found = try context.fetch(request)
    #expect(try context.count(for: request) == found.count)
    return found.compactMap(\.name)
  }

  @Test func `A closure sees objects of the context and their relationships`() throws {
    let context = office.newContext()
    try context.performAndWait { () throws in
      #expect(
        try names(context) { $0.company?.rank == 3 && $0.managedObjectContext === context } == [
          "Ada"
        ])
    }
  }

  @Test func `A closure sees unsaved changes`() throws {
    let context = office.newContext()
    try context.performAndWait {
      let ada = try #require(try context.people("name == 'Ada'").first)
      ada.age = 50
      _ = context.person("Cy", age: 60)
      #expect(try names(context) { $0.age >= 50 } == ["Ada", "Cy"])
      #expect(try names(context) { $0.age == 36 } == [])
    }
  }

  @Test func `A closure in a child context sees the parent's values`() throws {
    let context = office.newContext()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    try context.performAndWait { try #require(try context.people("name == 'Ada'").first).age = 70 }
    try child.performAndWait { () throws in #expect(try names(child) { $0.age == 70 } == ["Ada"]) }
  }

  @Test func `A SQLite store refuses a closure`() throws {
    let office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    let context = office.context
    context.performAndWait {
      _ = #expect(throws: NSError.self) { try names(context) { _ in true } }
    }
  }
}
