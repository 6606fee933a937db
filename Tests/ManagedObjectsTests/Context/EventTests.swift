import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

@Suite struct EventTests {
  @Test func `Observers are notified once for each event, with each object in one set`() throws {
    let office = try Office()
    let listener = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    let company = office.context.company("Ice")
    let person = office.context.person("Ada", in: company)
    #expect(listener.notifications.isEmpty)
    office.context.processPendingChanges()
    #expect(listener.objects(NSInsertedObjectsKey) == [[company, person]])
    #expect(listener.objects(NSUpdatedObjectsKey) == [[]])
    office.context.processPendingChanges()
    #expect(listener.notifications.count == 1)
    person.age = 3
    person.age = 4
    office.context.processPendingChanges()
    #expect(listener.objects(NSUpdatedObjectsKey) == [[], [person]])
    office.context.delete(person)
    office.context.processPendingChanges()
    #expect(listener.objects(NSDeletedObjectsKey) == [[], [], [person]])
    #expect(listener.objects(NSUpdatedObjectsKey)[2] == [company])
    #expect(person.managedObjectContext == nil)
  }

  @Test func `An object inserted and deleted within one event is not reported`() throws {
    let office = try Office()
    let listener = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    office.context.delete(office.context.person("Ada"))
    office.context.processPendingChanges()
    #expect(listener.notifications.isEmpty)
    #expect(!office.context.hasChanges)
  }

  @Test func `The values before an event are available within it`() throws {
    let office = try Office()
    let person = office.context.person("Ada", age: 3)
    try office.context.save()
    person.age = 4
    #expect(person.changedValuesForCurrentEvent()["age"] as? Int == 3)
    office.context.processPendingChanges()
    #expect(person.changedValuesForCurrentEvent().isEmpty)
    person.age = 5
    #expect(person.changedValuesForCurrentEvent()["age"] as? Int == 4)
    #expect(person.committedValues(forKeys: ["age"])["age"] as? Int == 3)
  }

  @Test func `The block of perform is one event`() async throws {
    let office = try Office()
    let listener = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    let context = office.context
    await context.perform {
      let person = context.person("Ada")
      person.age = 4
    }
    #expect(listener.notifications.count == 1)
    context.performAndWait { _ = context.person("Bob") }
    #expect(listener.notifications.count == 1)
    context.processPendingChanges()
    #expect(listener.notifications.count == 2)
  }

  @Test func `Changes by observers belong to the next event`() throws {
    let office = try Office()
    nonisolated(unsafe) let person = office.context.person("Ada")
    nonisolated(unsafe) var rounds = 0
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: office.context, queue: nil
    ) { _ in
      unsafe rounds += 1
      if unsafe rounds < 3 { person.age += 1 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    office.context.processPendingChanges()
    #expect(unsafe rounds == 1 && person.age == 1)
    try office.context.save()
    #expect(unsafe rounds == 3 && person.age == 2)
    #expect(try office.newContext().people().first?.age == 2)
  }

  @Test func `Rollback restores everything to the saved state`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let (kept, gone) = (
      office.context.person("Ada", age: 1, in: company), office.context.person("Bob", in: company)
    )
    company.board = [kept, gone]
    try office.context.save()
    let new = office.context.person("Cy", in: company)
    kept.age = 9
    kept.company = nil
    company.board = [gone]
    office.context.delete(gone)
    office.context.processPendingChanges()
    let listener = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    office.context.rollback()
    #expect(!office.context.hasChanges && office.context.insertedObjects.isEmpty)
    #expect(
      kept.age == 1 && kept.company === company && !gone.isDeleted && gone.company === company)
    #expect(company.employees == [kept, gone] && company.board == [kept, gone])
    #expect(new.managedObjectContext == nil)
    #expect(listener.objects(NSDeletedObjectsKey) == [[new]])
    #expect(try office.context.people().count == 2)
    try office.context.save()
    #expect(try office.newContext().people().map(\.age) == [1, 0])
  }

  @Test func `An object changed and refreshed in one event is reported as changed only`()
    throws
  {
    let office = try Office()
    let (person, other) = (office.context.person("Ada"), office.context.person("Bob"))
    try office.context.save()
    let listener = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    person.age = 2
    for object in [person, other] { office.context.refresh(object, mergeChanges: true) }
    office.context.processPendingChanges()
    #expect(listener.objects(NSUpdatedObjectsKey) == [[person]])
    #expect(listener.objects(NSRefreshedObjectsKey) == [[other]])
    person.age = 3
    office.context.refresh(person, mergeChanges: false)
    office.context.processPendingChanges()
    #expect(listener.objects(NSInvalidatedObjectsKey).last == [person] && person.age == 0)
  }

  @Test
  func
    `A rollback reports refreshed objects and restores members that were read after a deletion`()
    throws
  {
    let office = try Office()
    for name in ["a", "b"] {
      _ = office.context.person(name, in: office.context.company("Ice \(name)"))
    }
    try office.context.save()
    let context = office.newContext()
    let people = try context.people()
    let company = try #require(people[1].company)
    context.delete(people[1])
    people[0].age = 5
    context.processPendingChanges()
    // The members are loaded while one of them is deleted.
    #expect(company.employees.isEmpty)
    let listener = Listener(context, .NSManagedObjectContextObjectsDidChange)
    context.rollback()
    #expect(company.employees == [people[1]] && !people[1].isDeleted)
    #expect(listener.objects(NSRefreshedObjectsKey).last?.contains(people[0]) == true)
    #expect(listener.objects(NSInsertedObjectsKey) == [[people[1]]])
  }

  @Test func `Changes that cancel out leave nothing to save`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let person = office.context.person("Ada", age: 1, in: company)
    try office.context.save()
    person.age = 2
    person.age = 1
    person.company = nil
    person.company = company
    #expect(
      person.isUpdated && person.changedValues().isEmpty && !person.hasPersistentChangedValues)
    try office.context.save()
    #expect(office.version(of: person) == 1)
    #expect(!person.isUpdated)
  }

  @Test func `A member that leaves and comes back changes nothing`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let people = ["Ada", "Bob", "Cy"].map { office.context.person($0, in: company) }
    company.board = people
    try office.context.save()
    people[0].company = nil
    people[0].company = company
    #expect(company.changedValues().isEmpty && !company.hasPersistentChangedValues)
    company.employees = Set(people.dropFirst())
    company.employees = Set(people)
    company.board = people
    #expect(company.changedValues().isEmpty)
    try office.context.save()
    #expect(office.version(of: company) == 1)
    company.board = people.reversed()
    #expect(company.changedValues().keys.sorted() == ["board"])
    company.board = people
    company.employees = Set(people.dropLast() + [office.context.person("Di")])
    #expect(company.changedValues().keys.sorted() == ["employees"])
  }

  @Test func `Changes are saved after a rollback of an object whose row is gone`() throws {
    let office = try Office()
    let (ada, bob) = (office.context.person("Ada"), office.context.person("Bob"))
    try office.context.save()
    let context = office.newContext()
    let gone = context.object(with: ada.objectID)
    let kept = try #require(context.object(with: bob.objectID) as? Person)
    office.context.delete(ada)
    try office.context.save()
    #expect(gone.value(forKey: "name") == nil && gone.isDeleted)
    context.rollback()
    #expect(!gone.isDeleted && !context.hasChanges)
    context.refresh(gone, mergeChanges: false)
    kept.age = 2
    #expect(context.hasChanges)
    try context.save()
    #expect(try office.newContext().people().map(\.age) == [2])
  }

  @Test func `Delete rules apply to objects that an observer changed in a rollback`() throws {
    let office = try Office()
    nonisolated(unsafe) let company = office.context.company("Ice")
    let person = office.context.person("Ada", in: company)
    try office.context.save()
    nonisolated(unsafe) var rounds = 0
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: office.context, queue: nil
    ) { _ in
      unsafe rounds += 1
      if unsafe rounds == 1 { company.rank = 5 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    person.age = 3
    office.context.rollback()
    #expect(company.rank == 1 && !company.isUpdated)
    office.context.delete(company)
    try office.context.save()
    #expect(try office.newContext().people().isEmpty)
  }

  @Test func `The former members of a relationship that was not loaded are known`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    for name in ["Ada", "Bob"] { _ = office.context.person(name, in: company) }
    try office.context.save()
    let context = office.newContext()
    let people = try context.people()
    let all: Set<NSManagedObject> = [people[0], people[1]]
    let same = try #require(people[0].company)
    people[0].company = nil
    context.processPendingChanges()
    people[1].company = nil
    let committed = same.committedValues(forKeys: ["employees"])
    #expect(committed["employees"] as? Set<NSManagedObject> == all)
    let former = same.changedValuesForCurrentEvent()
    #expect(former["employees"] as? Set<NSManagedObject> == [people[1]])
    #expect(same.employees.isEmpty)
  }
}
