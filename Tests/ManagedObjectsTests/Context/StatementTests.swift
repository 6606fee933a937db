import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

/// Counts the statements of a store.
private final class StatementCounter: Sendable {
  private let statements = Mutex<[String]>([])

  var logging: StatementLogging {
    var logging = StatementLogging()
    logging.observe = { [self] statement in statements.withLock { $0.append(statement.sql) } }
    return logging
  }

  /// The statements that a body runs.
  func during(_ body: () throws -> Void) rethrows -> [String] {
    statements.withLock { $0 = [] }
    try body()
    return statements.withLock { $0 }
  }

  /// The number of a body's statements with a prefix.
  func count(_ prefix: String, _ body: () throws -> Void) rethrows -> Int {
    try during(body).count { $0.hasPrefix(prefix) }
  }
}

@Suite struct StatementTests {
  private let counter = StatementCounter()
  private let office: Office
  private let context: NSManagedObjectContext

  /// Ten companies of ten people each.
  init() throws {
    office = try StatementLogging.$current.withValue(counter.logging) {
      try Office(at: URL(fileURLWithPath: "/dev/null"))
    }
    for number in 0..<10 {
      let company = office.context.company("C\(number)")
      for place in 0..<10 {
        _ = office.context.person("P\(number)\(place)", age: place, in: company)
      }
    }
    try office.context.save()
    office.context.reset()
    context = office.newContext()
  }

  private var people: NSFetchRequest<Person> {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return request
  }

  @Test func `A fetch takes one statement, and its objects need no others`() throws {
    var found: [Person] = []
    #expect(try counter.during { found = try context.fetch(people) }.count == 1)
    var sum = 0
    #expect(counter.during { sum = found.map(\.age).reduce(0, +) }.isEmpty)
    #expect(sum == 450)
    #expect(try counter.during { _ = try context.count(for: people) }.count == 1)
  }

  @Test func `A fault takes one statement, and none while its row is in memory`() throws {
    let identifiers = try context.fetch(people).map(\.objectID)
    let other = office.newContext()
    let fault = other.object(with: identifiers[3])
    #expect(counter.during { _ = fault.value(forKey: "name") }.count == 1)
    #expect(counter.during { _ = fault.value(forKey: "age") }.isEmpty)
    let third = office.newContext()
    #expect(counter.during { _ = third.object(with: identifiers[3]).value(forKey: "name") }.isEmpty)
  }

  @Test func `Each followed relationship takes one statement`() throws {
    let company = try #require(try context.companies().first)
    var count = 0
    #expect(counter.during { count = company.employees.count }.count == 1)
    #expect(counter.during { count += company.employees.count }.isEmpty)
    #expect(count == 20)
  }

  @Test func `The rows of members are read together, and the next owner's with their keys`() throws
  {
    let companies = try context.companies()
    #expect(counter.during { _ = companies[0].employees.count }.count == 1)
    #expect(counter.during { _ = companies[0].employees.map(\.name) }.count == 1)
    var names: [String?] = []
    let statements = counter.during { names = companies[1].employees.map(\.name) }
    #expect(statements.count == 1 && Set(names).count == 10, "\(statements)")
  }

  @Test func `Members that are only counted are read without rows`() throws {
    let companies = try context.companies()
    let statements = counter.during { for company in companies { _ = company.employees.count } }
    #expect(statements.count == 10 && !statements.contains { $0.contains("ZNAME") })
  }

  @Test func `Rows of members that are in memory are not read again`() throws {
    let kept = try office.newContext().fetch(people)
    let statements = try counter.during {
      for company in try context.companies() { _ = company.employees.map(\.name) }
    }
    #expect(statements.count == 11, "\(statements)")
    #expect(kept.count == 100)
  }

  @Test func `A member whose row is gone does not hide the others`() throws {
    let company = try #require(try context.companies().first)
    let members = company.employees.sorted { $0.objectID.description < $1.objectID.description }
    let other = office.newContext()
    other.delete(other.object(with: members[4].objectID))
    try other.save()
    #expect(members.filter { $0.name != nil }.count == 9)
    #expect(members[4].isDeleted)
  }

  @Test func `A long relationship is read in parts, and only as far as it is needed`() throws {
    let (long, short) = (office.context.company("Long"), office.context.company("Longer"))
    for number in 0..<600 { _ = office.context.person("L\(number)", in: long) }
    for number in 0..<300 { _ = office.context.person("M\(number)", in: short) }
    try office.context.save()
    office.context.reset()
    let companies = try context.companies().suffix(2)
    let members = companies.map(\.employees)
    #expect(counter.during { _ = members[0].first?.name }.count == 1)
    #expect(counter.during { for person in members[0] { _ = person.name } }.count == 2)
    // Reading the rows with the keys would read all rows of the next owner.
    #expect(counter.during { for person in members[1] { _ = person.name } }.count == 2)
  }

  @Test func `Setting a relationship does not read the members of the destination`() throws {
    let companies = try context.companies()
    let person = try #require(try context.fetch(people).first)
    #expect(person.company === companies[0])
    let statements = counter.during { person.company = companies[1] }
    #expect(statements.isEmpty, "\(statements)")
    try context.save()
    #expect(companies.prefix(2).map(\.employees.count) == [9, 11])
  }

  @Test func `Prefetching takes one statement for each step`() throws {
    let request = NSFetchRequest<Company>(entityName: "Company")
    request.relationshipKeyPathsForPrefetching = ["employees.badge", "employees.friends"]
    var companies: [Company] = []
    let statements = try counter.during { companies = try context.fetch(request) }
    #expect(statements.count { $0.hasPrefix("SELECT") } == 3, "\(statements)")
    let walked = counter.during {
      for company in companies {
        for person in company.employees { _ = (person.name, person.friends) }
      }
    }
    #expect(walked.isEmpty)
  }

  @Test func `The batches of a fetch are read one by one`() throws {
    let request = people
    request.fetchBatchSize = 20
    var found: [Person] = []
    #expect(try counter.during { found = try context.fetch(request) }.count == 1)
    #expect(counter.count("SELECT") { _ = found[0].age } == 1)
    #expect(counter.count("SELECT") { _ = found[19].age } == 0)
    #expect(counter.count("SELECT") { for person in found { _ = person.age } } == 4)
  }

  @Test func `A save writes each changed row once, and reads nothing`() throws {
    let found = try context.fetch(people)
    found[0].age = 70
    found[1].name = "New"
    found[2].age = found[2].age
    let company = try #require(found[0].company)
    // The class may have validation of its own, which is given the members.
    #expect(company.employees.count == 10)
    _ = context.person("Added", in: company)
    let statements = try counter.during { try context.save() }
    #expect(statements.count { $0.hasPrefix("INSERT INTO ZPERSON") } == 1)
    #expect(
      statements.count { $0.hasPrefix("UPDATE OR FAIL ZPERSON") || $0.hasPrefix("UPDATE ZPERSON") }
        == 2,
      "\(statements)")
    #expect(
      statements.count { $0.hasPrefix("SELECT") && $0.contains("ZPERSON") } == 0, "\(statements)")
    #expect(statements.count { $0.hasPrefix("BEGIN") } == 2, "\(statements)")
    #expect(try counter.during { try context.save() }.isEmpty)
  }

  @Test func `A save's statements do not grow with the number of registered objects`() throws {
    let registered = try context.fetch(people)
    registered[0].age = 5
    let many = try counter.during { try context.save() }
    let other = office.newContext()
    let request = people
    request.fetchLimit = 1
    let few = try #require(try other.fetch(request).first)
    few.age = 6
    #expect(try counter.during { try other.save() }.count == many.count)
    #expect(registered.count == 100)
  }

  @Test func `The keys of all new objects are reserved at once`() throws {
    for number in 0..<50 { _ = context.person("N\(number)") }
    let statements = try counter.during { try context.save() }
    #expect(statements.count { $0.contains("Z_PRIMARYKEY") } == 2, "\(statements)")
    #expect(statements.count { $0.hasPrefix("INSERT INTO ZPERSON") } == 50)
  }

  @Test func `A cascade reads each relationship once for all owners`() throws {
    let companies = try context.companies()
    for company in companies { context.delete(company) }
    let statements = counter.during { context.processPendingChanges() }
    #expect(context.deletedObjects.count == 110)
    #expect(statements.count <= 8, "\(statements)")
    let saved = try counter.during { try context.save() }
    #expect(saved.count { $0.hasPrefix("DELETE FROM ZPERSON") } == 100)
    #expect(saved.count { $0.hasPrefix("DELETE FROM ZCOMPANY") } == 10)
  }

  @Test func `Deleting many faults reads their rows at once, and those of the remaining objects`()
    throws
  {
    let request = people
    request.includesPropertyValues = false
    let faults = try context.fetch(request)
    let statements = counter.during {
      for person in faults where person.objectID != faults[0].objectID { context.delete(person) }
      context.processPendingChanges()
    }
    #expect(context.deletedObjects.count == 99 && context.updatedObjects.count == 10)
    #expect(
      statements.count { $0.hasPrefix("SELECT") } <= 8,
      "\(statements.count) \(statements.prefix(20))")
  }

  @Test func `Merging a sibling's save reads nothing`() throws {
    let mine = try context.fetch(people)
    let company = mine[0].company
    let other = office.newContext()
    let theirs = try other.fetch(people)
    theirs[0].age = 50
    nonisolated(unsafe) var note: Notification?
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: other, queue: nil
    ) {
      nonisolated(unsafe) let posted = $0
      unsafe note = posted
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try other.save()
    let statements = try counter.during {
      context.mergeChanges(fromContextDidSave: try #require(unsafe note))
      #expect(mine[0].age == 50)
    }
    #expect(statements.isEmpty, "\(statements)")
    #expect(company != nil)
  }

  @Test func `A batch follows the key paths of its fetch when it is read`() throws {
    let request = people
    request.fetchBatchSize = 20
    request.relationshipKeyPathsForPrefetching = ["company", "friends"]
    var found: [Person] = []
    #expect(try counter.during { found = try context.fetch(request) }.count == 1)
    for start in [0, 20] {
      // The rows, two companies, and the friends.
      #expect(counter.count("SELECT") { _ = found[start].age } == 3)
      let walked = counter.during {
        for person in found[start..<start + 20] { _ = (person.company?.rank, person.friends) }
      }
      #expect(walked.isEmpty, "\(walked)")
    }
  }

  @Test func `Permanent identifiers of a child's objects take one transaction`() throws {
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = context
    let people = (0..<20).map { child.person("N\($0)") }
    let count = try counter.count("BEGIN") { try child.obtainPermanentIDs(for: people) }
    #expect(count == 1 && people.allSatisfy { !$0.objectID.isTemporaryID })
  }
}
