import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// Custom accessors that change the primitive values of to-many relationships.
@Suite struct CustomAccessorTests {
  /// The state of an object before the change.
  enum Stage: CaseIterable {
    case inserted, fetched, faulted
  }

  /// A company whose employees and board are two of three people.
  private struct World {
    let office: Office
    let context: NSManagedObjectContext
    let company: Company
    let people: [Person]

    init(_ stage: Stage, model: NSManagedObjectModel = CompanyModel().model) throws {
      let office = try Office(model: model)
      self.office = office
      let company = office.context.company("Ice")
      let people = ["a", "b", "c"].map { office.context.person($0) }
      company.employees = Set(people.prefix(2))
      company.board = Array(people.prefix(2))
      guard stage != .inserted else {
        (self.context, self.company, self.people) = (office.context, company, people)
        return
      }
      try office.context.save()
      let context = office.newContext()
      let same = try #require(context.object(with: company.objectID) as? Company)
      if stage == .fetched { _ = (same.name, same.employees, same.board) }
      (self.context, self.company) = (context, same)
      self.people = try context.people()
    }

    /// The company as another context reads it from the store.
    func stored() throws -> Company {
      try #require(try office.newContext().companies().first)
    }
  }

  /// Changes a relationship as the accessors do that Xcode generated for many years.
  private func change(
    _ object: NSManagedObject, _ key: String, _ kind: NSKeyValueSetMutationKind,
    _ objects: Set<Person>
  ) throws {
    object.willChangeValue(forKey: key, withSetMutation: kind, using: objects)
    let set = try #require(object.primitiveValue(forKey: key) as? NSMutableSet)
    switch kind {
    case .union: set.union(objects)
    case .minus: set.minus(objects)
    case .intersect: set.intersect(objects)
    case .set: set.setSet(objects)
    }
    object.didChangeValue(forKey: key, withSetMutation: kind, using: objects)
  }

  private func names(_ people: some Sequence<Person>) -> String {
    people.compactMap(\.name).sorted().joined()
  }

  @Test(arguments: Stage.allCases, [NSKeyValueSetMutationKind.union, .minus, .intersect, .set])
  func `Each kind of mutation changes the relationship and its inverse`(
    _ stage: Stage, _ kind: NSKeyValueSetMutationKind
  ) throws {
    let world = try World(stage)
    let (company, people) = (world.company, world.people)
    let (given, expected): (Set<Person>, Set<Person>) =
      switch kind {
      case .union: ([people[2]], Set(people))
      case .minus: ([people[0]], [people[1]])
      case .intersect: ([people[0]], [people[0]])
      case .set: ([people[1], people[2]], [people[1], people[2]])
      }
    #expect(company.isFault == (stage == .faulted))
    try change(company, "employees", kind, given)
    #expect(company.employees == expected)
    for person in people {
      #expect((person.company === company) == expected.contains(person), "\(person)")
    }
    if stage == .inserted {
      #expect(company.isInserted)
    } else {
      #expect(company.isUpdated && company.changedValues().keys.sorted() == ["employees"])
    }
    try world.context.save()
    #expect(try names(world.stored().employees) == names(expected))
  }

  @Test(arguments: Stage.allCases)
  func `A primitive ordered set changes the members and their order`(_ stage: Stage) throws {
    let world = try World(stage)
    let (company, people) = (world.company, world.people)
    company.willChangeValue(forKey: "board")
    var board = try #require(company.primitiveValue(forKey: "board") as? NSMutableOrderedSet)
    board.insert(people[2], at: 0)
    board.removeObject(at: 1)
    company.didChangeValue(forKey: "board")
    #expect(company.board == [people[2], people[1]])
    let owned = people.map { $0.value(forKey: "boardOf") as? Company === company }
    #expect(owned == [false, true, true])
    try world.context.save()
    company.willChangeValue(forKey: "board")
    board = try #require(company.primitiveValue(forKey: "board") as? NSMutableOrderedSet)
    board.exchangeObject(at: 0, withObjectAt: 1)
    company.didChangeValue(forKey: "board")
    #expect(company.board == [people[1], people[2]] && company.hasPersistentChangedValues)
    try world.context.save()
    #expect(try world.stored().board.map(\.name) == ["b", "c"])
  }

  @Test func `A person who is added leaves the former company`() throws {
    let world = try World(.fetched)
    let fire = world.context.company("Fire")
    try change(fire, "employees", .union, [world.people[0], world.people[2]])
    #expect(names(fire.employees) == "ac" && names(world.company.employees) == "b")
    #expect(world.people[0].company === fire && world.people[1].company === world.company)
  }

  @Test func `An accessor within another one keeps the change of both`() throws {
    let world = try World(.fetched)
    let (company, people) = (world.company, world.people)
    company.willChangeValue(forKey: "employees")
    let employees = try #require(company.primitiveValue(forKey: "employees") as? NSMutableSet)
    employees.add(people[2])
    try change(company, "employees", .minus, [people[0]])
    company.didChangeValue(forKey: "employees")
    #expect(company.employees == [people[1], people[2]])
    #expect(people.map { $0.company === company } == [false, true, true])
  }

  @Test func `Both sides of a relationship with itself change`() throws {
    let world = try World(.fetched)
    let people = world.people
    try change(people[0], "friends", .union, [people[1], people[2]])
    #expect(people[1].friends == [people[0]] && people[2].friends == [people[0]])
    try change(people[1], "friends", .minus, [people[0]])
    #expect(people[0].friends == [people[2]] && people[1].friends.isEmpty)
    try world.context.save()
  }

  @Test func `A change notifies observers of each side once`() throws {
    let world = try World(.fetched)
    let (company, person) = (world.company, world.people[2])
    var notices: [String] = []
    let observations = [company, person].map { (object: NSManagedObject) in
      object.observeChanges(
        willChange: { notices.append("will \($0)") }, didChange: { notices.append("did \($0)") })
    }
    try change(company, "employees", .union, [person])
    #expect(notices == ["will employees", "will company", "did company", "did employees"])
    for observation in observations { observation.cancel() }
  }

  @Test func `The relationship shows changes of the primitive set before the change ends`() throws {
    let world = try World(.fetched)
    let (company, person) = (world.company, world.people[2])
    company.willChangeValue(forKey: "employees", withSetMutation: .union, using: [person])
    let set = try #require(company.primitiveValue(forKey: "employees") as? NSMutableSet)
    set.add(person)
    #expect(names(company.employees) == "abc" && person.company == nil)
    set.remove(person)
    #expect(names(company.employees) == "ab")
    set.add(person)
    company.didChangeValue(forKey: "employees", withSetMutation: .union, using: [person])
    #expect(names(company.employees) == "abc" && person.company === company)
  }

  @Test func `Other changes during the change stay`() throws {
    let world = try World(.fetched)
    let (company, people) = (world.company, world.people)
    let new = world.context.person("d")
    company.willChangeValue(forKey: "employees")
    let set = try #require(company.primitiveValue(forKey: "employees") as? NSMutableSet)
    new.company = company
    set.add(people[2])
    set.remove(people[0])
    company.mutableSetValue(forKey: "employees").remove(people[1])
    #expect(company.primitiveValue(forKey: "employees") as? NSMutableSet === set && set.count == 2)
    company.didChangeValue(forKey: "employees")
    #expect(names(company.employees) == "cd")
    #expect((people + [new]).map { $0.company === company } == [false, false, true, true])
    try world.context.save()
    #expect(try names(world.stored().employees) == "cd")
  }

  @Test func `A live set may be changed between the notifications`() throws {
    let world = try World(.faulted)
    let (company, added) = (world.company, Set([world.people[2]]))
    company.willChangeValue(forKey: "employees", withSetMutation: .union, using: added)
    company.mutableSetValue(forKey: "employees").union(added)
    company.didChangeValue(forKey: "employees", withSetMutation: .union, using: added)
    #expect(names(company.employees) == "abc" && world.people[2].company === company)
  }

  @Test func `A new primitive value replaces the objects of the primitive set`() throws {
    let world = try World(.fetched)
    let (company, people) = (world.company, world.people)
    company.willChangeValue(forKey: "employees")
    let set = try #require(company.primitiveValue(forKey: "employees") as? NSMutableSet)
    company.setPrimitiveValue(Set([people[2]]), forKey: "employees")
    #expect(company.primitiveValue(forKey: "employees") as? NSMutableSet === set)
    #expect(set.allObjects as? [Person] == [people[2]])
    set.add(people[1])
    company.didChangeValue(forKey: "employees")
    #expect(names(company.employees) == "bc" && people[0].company == nil)
  }

  @Test func `A generated primitive property can be changed several times`() throws {
    let world = try World(.faulted)
    let (company, people) = (world.company, world.people)
    company.willChangeValue(forKey: "employees")
    company.primitiveEmployees.insert(people[2])
    company.primitiveEmployees.insert(world.context.person("d"))
    company.primitiveEmployees.remove(people[0])
    company.didChangeValue(forKey: "employees")
    #expect(names(company.employees) == "bcd" && people[2].company === company)
  }

  @Test func `The primitive value is a mutable set only during a change`() throws {
    let world = try World(.fetched)
    let (company, people) = (world.company, world.people)
    let before = company.primitiveValue(forKey: "employees")
    company.willChangeValue(forKey: "employees")
    let during = company.primitiveValue(forKey: "employees")
    company.didChangeValue(forKey: "employees")
    #expect(!(before is NSMutableSet) && during is NSMutableSet)
    let cast = [before, during].map { $0 as? Set<Person> }
    #expect(cast == [Set(people.prefix(2)), Set(people.prefix(2))])
    let set = try #require(during as? NSMutableSet)
    set.add(people[2])
    #expect(!(company.primitiveValue(forKey: "employees") is NSMutableSet))
    #expect(names(company.employees) == "ab")
    company.willChangeValue(forKey: "employees")
    _ = company.primitiveValue(forKey: "employees")
    company.employees = [people[2]]
    #expect(!(company.primitiveValue(forKey: "employees") is NSMutableSet))
    #expect(names(company.employees) == "c")
  }

  @Test func `Undo, redo and rollback include the change`() throws {
    let world = try World(.faulted)
    let (company, context) = (world.company, world.context)
    context.undoManager = ManagedObjects.UndoManager()
    try change(company, "employees", .set, [world.people[1], world.people[2]])
    let former = company.changedValuesForCurrentEvent()["employees"] as? Set<Person>
    #expect(names(former ?? []) == "ab")
    context.processPendingChanges()
    context.undo()
    #expect(names(company.employees) == "ab" && world.people[2].company == nil)
    #expect(world.people[0].company === company)
    context.redo()
    #expect(names(company.employees) == "bc" && world.people[0].company == nil)
    context.rollback()
    #expect(names(company.employees) == "ab" && world.people[0].company === company)
  }

  @Test func `The members are validated`() throws {
    let model = CompanyModel().model
    model.entitiesByName["Company"]?.relationshipsByName["employees"]?.maxCount = 2
    let world = try World(.fetched, model: model)
    try change(world.company, "employees", .union, [world.people[2]])
    let error = #expect(throws: NSError.self) { try world.context.save() }
    #expect(error?.code == NSValidationRelationshipExceedsMaximumCountError)
    try change(world.company, "employees", .minus, [world.people[0]])
    try world.context.save()
    #expect(try names(world.stored().employees) == "bc")
  }

  @Test func `A deleted object changes as it does through its live set`() throws {
    func outcome(_ change: (Company, Person) throws -> Void) throws -> [String] {
      let world = try World(.fetched)
      world.context.delete(world.company)
      try change(world.company, world.people[2])
      let related = world.people.filter { $0.company === world.company }
      world.context.processPendingChanges()
      let deleted = world.context.deletedObjects.compactMap { $0 as? Person }
      return [names(related), names(deleted), "\(world.company.isDeleted)"]
    }
    let primitive = try outcome { try change($0, "employees", .union, [$1]) }
    let live = try outcome { $0.mutableSetValue(forKey: "employees").add($1) }
    #expect(primitive == live && primitive.first == "abc" && primitive.last == "true")
  }

  @Test func `The kinds of mutations have Apple's raw values`() {
    let kinds: [NSKeyValueSetMutationKind] = [.union, .minus, .intersect, .set]
    #expect(kinds.map(\.rawValue) == [1, 2, 3, 4])
  }
}

extension Company {
  /// The property as the build plug-in writes it for `@NSManaged var primitiveEmployees`.
  fileprivate var primitiveEmployees: Set<Person> {
    get { _getPrimitive("employees") }
    set { _setPrimitive("employees", newValue) }
  }
}
