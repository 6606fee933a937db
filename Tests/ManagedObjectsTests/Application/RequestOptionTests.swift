import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

/// The options of a fetch request on a SQLite store.
@Suite struct RequestOptionTests {
  private let office: Office
  private let context: NSManagedObjectContext
  private let statements = SelectCounter()

  /// Counts SELECT statements.
  private final class SelectCounter: Sendable {
    private let count = Mutex(0)

    var logging: StatementLogging {
      var logging = StatementLogging()
      logging.observe = { [self] statement in
        if statement.sql.hasPrefix("SELECT") { count.withLock { $0 += 1 } }
      }
      return logging
    }

    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  init() throws {
    office = try StatementLogging.$current.withValue(statements.logging) {
      try Office(at: URL(fileURLWithPath: "/dev/null"))
    }
    context = office.context
    for number in 0..<4 {
      let company = context.company("C\(number)", rank: number % 2)
      for place in 0..<5 {
        let person = context.person("P\(number)\(place)", age: 20 + place, in: company)
        person.badge = context.insert("Badge")
      }
    }
    let manager = context.insert("Manager", as: Person.self)
    (manager.name, manager.age) = ("M", 60)
    try context.save()
    context.reset()
    _ = statements.take()
  }

  private func people(_ format: String? = nil) -> NSFetchRequest<Person> {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return request
  }

  @Test func `A batch is loaded when one of its rows is used`() throws {
    let request = people()
    request.fetchBatchSize = 5
    let found = try context.fetch(request)
    #expect(found.count == 21 && found.allSatisfy { $0.isFault })
    #expect(statements.take() == 1)
    #expect(found[7].name == "P11")
    #expect(statements.take() == 1)
    #expect(found[5...9].map(\.name) == ["P04", "P10", "P11", "P12", "P13"].map(Optional.some))
    #expect(statements.take() == 0)
    #expect(found.compactMap(\.name).count == 21)
    #expect(statements.take() == 4)
  }

  @Test func `Prefetched relationships need no further statements`() throws {
    let request = NSFetchRequest<Company>(entityName: "Company")
    request.relationshipKeyPathsForPrefetching = ["employees", "employees.badge", "sites"]
    let companies = try context.fetch(request)
    let cost = statements.take()
    #expect(cost <= 5)
    let numbers = companies.flatMap(\.employees).compactMap {
      $0.badge?.value(forKey: "number") as? Int
    }
    #expect(numbers.count == 20 && companies.allSatisfy { $0.sites.isEmpty })
    #expect(statements.take() == 0)
  }

  @Test func `Property values may be left out`() throws {
    let request = people("age > 22")
    request.includesPropertyValues = false
    let found = try context.fetch(request)
    #expect(found.count == 9 && found.allSatisfy { $0.isFault })
    #expect(statements.take() == 1)
    #expect(found.last?.name == "P34")
    #expect(statements.take() == 1)
  }

  @Test func `A count may exclude the objects of subentities`() throws {
    let request = people()
    #expect(try context.count(for: request) == 21)
    request.includesSubentities = false
    #expect(try context.count(for: request) == 20)
    request.fetchOffset = 18
    #expect(try context.count(for: request) == 2)
    request.fetchLimit = 1
    #expect(try context.count(for: request) == 1)
    request.predicate = NSPredicate(
      format: "entity == %@",
      NSEntityDescription.entity(forEntityName: "Manager", in: context) ?? NSNull())
    request.includesSubentities = true
    (request.fetchOffset, request.fetchLimit) = (0, 0)
    #expect(try context.fetch(request).map(\.name) == ["M"])
  }

  @Test func `A fetch may exclude unsaved changes`() throws {
    let all = try context.fetch(people())
    all[1].name = "Zed"
    context.delete(all[2])
    _ = context.person("Aaron")
    let request = people()
    request.includesPendingChanges = false
    (request.fetchOffset, request.fetchLimit) = (0, 3)
    // The store decides which objects are fetched, and their order.
    #expect(try context.fetch(request).map(\.objectID) == all.prefix(3).map(\.objectID))
    #expect(try context.count(for: request) == 3)
    request.includesPendingChanges = true
    #expect(try context.fetch(request).map(\.name) == ["Aaron", "M", "P02"])
  }

  @Test func `Dictionaries can be distinct or grouped, and groups filtered`() throws {
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["age"]
    request.returnsDistinctResults = true
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
    #expect(
      try context.fetch(request).compactMap { $0["age"] as? Int } == [60, 24, 23, 22, 21, 20])
    request.returnsDistinctResults = false
    let oldest = NSExpressionDescription()
    (oldest.name, oldest.expressionResultType) = ("oldest", .integer16AttributeType)
    oldest.expression = PredicateLanguage.NSExpression(format: "max:(age)")
    let count = NSExpressionDescription()
    (count.name, count.expressionResultType) = ("count", .integer64AttributeType)
    count.expression = PredicateLanguage.NSExpression(format: "count:(name)")
    request.propertiesToFetch = ["company.rank", oldest, count]
    request.propertiesToGroupBy = ["company.rank"]
    request.sortDescriptors = [NSSortDescriptor(key: "company.rank", ascending: true)]
    request.havingPredicate = NSPredicate(format: "count:(name) > 1")
    let found = try context.fetch(request)
    #expect(found.map { $0["company.rank"] as? Int } == [0, 1])
    #expect(
      found.map { $0["oldest"] as? Int } == [24, 24]
        && found.map { $0["count"] as? Int } == [10, 10])
  }

  @Test func `A dictionary may contain the object ID`() throws {
    let identifier = NSExpressionDescription()
    (identifier.name, identifier.expressionResultType) = ("id", .objectIDAttributeType)
    identifier.expression = PredicateLanguage.NSExpression.expressionForEvaluatedObject()
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [identifier, "company"]
    request.predicate = NSPredicate(format: "name == 'P00'")
    let found = try #require(try context.fetch(request).first)
    let person = try #require((found["id"] as? NSManagedObjectID).map(context.object) as? Person)
    #expect(
      person.name == "P00" && found["company"] as? NSManagedObjectID == person.company?.objectID)
  }

  @Test func `Results are sorted by key paths through relationships`() throws {
    let request = people("company != nil")
    request.sortDescriptors = [
      NSSortDescriptor(key: "company.rank", ascending: false),
      NSSortDescriptor(key: "company.name", ascending: true),
      NSSortDescriptor(key: "age", ascending: false),
    ]
    request.fetchLimit = 2
    #expect(try context.fetch(request).map(\.name) == ["P14", "P13"])
    try #require(try context.people("name == 'P14'").first).age = 1
    #expect(try context.fetch(request).map(\.name) == ["P13", "P12"])
  }

  // MARK: Fetched properties

  @Test func `A fetched property keeps its result until a refresh`() throws {
    let person = try #require(try context.people("name == 'P03'").first)
    #expect(
      (person.value(forKey: "olderPeople") as? [Person])?.map(\.name) == [
        "M", "P04", "P14", "P24", "P34",
      ])
    _ = statements.take()
    _ = context.person("New", age: 99)
    #expect(
      (person.value(forKey: "olderPeople") as? [Person])?.count == 5 && statements.take() == 0)
    context.refresh(person, mergeChanges: true)
    #expect((person.value(forKey: "olderPeople") as? [Person])?.count == 6)
  }
}
