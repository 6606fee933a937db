import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

@Suite struct FaultingTests {
  private let office: Office

  init() throws {
    office = try Office()
    let company = office.context.company("Ice", rank: 2)
    let people = (0..<10).map { office.context.person("P\($0)", age: $0, in: company) }
    company.board = [people[3], people[1], people[2]]
    let badge = office.context.insert("Badge")
    badge.setValue(7, forKey: "number")
    people[0].badge = badge
    try office.context.save()
    office.context.reset()
  }

  private func fetched(_ configure: (NSFetchRequest<Person>) -> Void = { _ in }) throws -> (
    NSManagedObjectContext, [Person]
  ) {
    let context = office.newContext()
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    configure(request)
    return (context, try context.fetch(request))
  }

  @Test func `A fault found by its identifier loads its row`() throws {
    let (_, people) = try fetched()
    let context = office.newContext()
    let person = try #require(context.object(with: people[4].objectID) as? Person)
    #expect(person.isFault)
    #expect(person.age == 4)
    #expect(!person.isFault)
  }

  @Test func `A member added again while its set is a fault can still be removed`() throws {
    let (context, people) = try fetched()
    let company = try #require(try context.companies().first)
    company.mutableSetValue(forKey: "employees").add(people[4])
    people[4].company = nil
    #expect(company.employees.count == 9 && !company.employees.contains(people[4]))
    try context.save()
    #expect(try office.newContext().companies().first?.employees.count == 9)
  }

  @Test func `A many-to-many member added again while its set is a fault can still be removed`()
    throws
  {
    let (context, people) = try fetched()
    people[0].friends = [people[1]]
    try context.save()
    context.refreshAllObjects()
    people[0].mutableSetValue(forKey: "friends").add(people[1])
    people[0].mutableSetValue(forKey: "friends").remove(people[1])
    #expect(people[0].friends.isEmpty && people[1].friends.isEmpty)
    try context.save()
    #expect(try office.newContext().people().allSatisfy { $0.friends.isEmpty })
  }

  @Test func `Undoing the addition of an existing member keeps it`() throws {
    let (context, people) = try fetched()
    let company = try #require(try context.companies().first)
    context.undoManager = UndoManager()
    company.mutableSetValue(forKey: "employees").add(people[4])
    context.processPendingChanges()
    context.undo()
    #expect(people[4].company === company && company.employees.count == 10)
  }

  @Test func `Refreshing without merging discards changes`() throws {
    let (context, people) = try fetched()
    people[0].age = 90
    people[0].company = nil
    let listener = Listener(context, .NSManagedObjectContextObjectsDidChange)
    context.refresh(people[0], mergeChanges: false)
    #expect(people[0].isFault && !people[0].hasChanges && !people[0].isUpdated)
    #expect(people[0].age == 0)
    #expect(people[0].company?.name == "Ice")
    context.processPendingChanges()
    #expect(listener.notifications.count == 1)
  }

  @Test func `Refreshing with merging applies changes to the newest values`() throws {
    let (context, people) = try fetched()
    #expect(people[0].name == "P0")
    people[0].age = 90
    let other = office.newContext()
    let same = try #require(other.object(with: people[0].objectID) as? Person)
    same.age = 50
    same.name = "Neo"
    try other.save()
    #expect(people[0].name == "P0")
    context.refresh(people[0], mergeChanges: true)
    #expect(people[0].name == "Neo" && people[0].age == 90)
    #expect(people[0].isUpdated)
    #expect(people[0].changedValues().keys.sorted() == ["age"])
    try context.save()
    let last = try #require(office.newContext().object(with: same.objectID) as? Person)
    #expect(last.name == "Neo" && last.age == 90)
  }

  @Test func `Refreshing an unchanged object loads saved changes of others`() throws {
    let (context, people) = try fetched()
    let company = try #require(people[0].company)
    #expect(company.employees.count == 10 && people[1].age == 1)
    let other = office.newContext()
    let same = try #require(other.object(with: people[1].objectID) as? Person)
    same.age = 77
    same.company = nil
    try other.save()
    #expect(people[1].age == 1 && company.employees.count == 10)
    context.refreshAllObjects()
    #expect(people[1].age == 77 && people[1].company == nil)
    #expect(company.employees.count == 9)
  }

  @Test func `A merging refresh keeps added members`() throws {
    let (context, people) = try fetched()
    let company = try #require(people[0].company)
    let new = context.person("New")
    company.employees = company.employees.union([new]).subtracting([people[2]])
    let other = office.newContext()
    let theirs = try #require(other.object(with: company.objectID) as? Company)
    _ = other.person("Theirs", in: theirs)
    try other.save()
    context.refresh(company, mergeChanges: true)
    let names = company.employees.compactMap(\.name)
    #expect(names.count == 11)
    #expect(names.contains("New") && names.contains("Theirs") && !names.contains("P2"))
  }

  @Test
  func
    `A merging refresh takes newer transformable values and keeps transient ones`()
    throws
  {
    let (context, people) = try fetched()
    people[0].setValue(["mine"], forKey: "tags")
    people[0].setValue("Al", forKey: "nickname")
    try context.save()
    #expect(people[0].value(forKey: "tags") as? [String] == ["mine"])
    let other = office.newContext()
    let same = try #require(other.object(with: people[0].objectID) as? Person)
    same.setValue(["theirs"], forKey: "tags")
    same.name = "Neo"
    try other.save()
    people[0].age = 90
    context.refresh(people[0], mergeChanges: true)
    #expect(people[0].value(forKey: "tags") as? [String] == ["theirs"] && people[0].name == "Neo")
    #expect(people[0].value(forKey: "nickname") as? String == "Al" && people[0].age == 90)
  }

  @Test func `An ordered relationship keeps its order when it is changed`() throws {
    let (context, people) = try fetched()
    let company = try #require(people[0].company)
    #expect(company.board == [people[3], people[1], people[2]])
    company.board = [people[2], people[9], people[3]]
    try context.save()
    let again = try #require(try office.newContext().companies().first)
    #expect(again.board.map(\.name) == ["P2", "P9", "P3"])
    #expect(people[1].value(forKey: "boardOf") == nil)
  }

  @Test func `A fault whose row is gone counts as deleted`() throws {
    let (context, people) = try fetched { $0.includesPropertyValues = false }
    let other = office.newContext()
    other.delete(other.object(with: people[5].objectID))
    try other.save()
    #expect(people[5].isFault)
    #expect(people[5].name == nil)
    #expect(people[5].isDeleted)
    #expect(context.deletedObjects == [people[5]])
    try context.save()
    #expect(people[5].managedObjectContext == nil)
  }

  @Test func `A fault whose row is gone stops the program if the context says so`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let office = try Office()
      let person = office.context.person("Ada")
      try office.context.save()
      let other = office.newContext()
      other.shouldDeleteInaccessibleFaults = false
      let fault = other.object(with: person.objectID)
      office.context.delete(person)
      try office.context.save()
      _ = fault.value(forKey: "name")
    }
    #expect(standardError(of: result).contains("Core Data could not fulfill a fault for"))
  }

  @Test func `A subclass decides about faults whose rows are gone`() throws {
    final class Strict: NSManagedObjectContext, @unchecked Sendable {
      var asked: [NSManagedObjectID] = []
      override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
      ) -> Bool {
        asked.append(oid)
        return true
      }
    }
    let context = onAnyThread { Strict(concurrencyType: .privateQueueConcurrencyType) }
    context.persistentStoreCoordinator = office.coordinator
    context.shouldDeleteInaccessibleFaults = false
    let person = try #require(try context.people().first)
    let identifier = person.objectID
    context.refresh(person, mergeChanges: false)
    let other = office.newContext()
    other.delete(other.object(with: identifier))
    try other.save()
    #expect(person.age == 0 && person.isDeleted)
    #expect(context.asked == [identifier])
  }

  @Test func `Prefetched relationships need no more reads`() throws {
    let (_, people) = try fetched {
      $0.relationshipKeyPathsForPrefetching = ["company.board", "badge"]
    }
    let company = try #require(people[0].company)
    #expect(!people[0].hasFault(forRelationshipNamed: "badge"))
    #expect(people[0].badge?.value(forKey: "number") as? Int == 7)
    #expect(company.name == "Ice")
    #expect(!company.hasFault(forRelationshipNamed: "board"))
    #expect(company.board.map(\.name) == ["P3", "P1", "P2"])
  }

  @Test func `Objects of a batched fetch have their values and can be changed`() throws {
    let (context, people) = try fetched { $0.fetchBatchSize = 4 }
    #expect(people.count == 10)
    #expect(!people.contains { !$0.isFault })
    #expect(people[5].age == 5)
    #expect(people[4].age == 4 && people[9].age == 9)
    people[0].age = 3
    try context.save()
    #expect(people.map(\.age) == [3, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  }
}
