import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Relationships of every shape, saved and fetched.
@Suite struct RelationshipShapeTests {
  /// A tree of ordered nodes with one-way references, and lists that many nodes share.
  private static func model() -> NSManagedObjectModel {
    let (node, tag) = (NSEntityDescription(), NSEntityDescription())
    (node.name, tag.name) = ("Node", "Tag")
    let (children, parent) = (
      relationship("children", node, many: true), relationship("parent", node)
    )
    (children.isOrdered, children.deleteRule) = (true, .cascadeDeleteRule)
    pair(children, parent)
    let (before, after) = (relationship("before", node), relationship("after", node))
    pair(before, after)
    let (tags, nodes) = (
      relationship("tags", tag, many: true), relationship("nodes", node, many: true)
    )
    (tags.isOrdered, nodes.isOrdered) = (true, true)
    pair(tags, nodes)
    node.properties = [
      KitchenModel.attribute("name", .stringAttributeType), children, parent, before, after, tags,
      relationship("pointer", tag), relationship("pointers", tag, many: true),
    ]
    tag.properties = [KitchenModel.attribute("name", .stringAttributeType), nodes]
    let model = NSManagedObjectModel()
    model.entities = [node, tag]
    return model
  }

  private static func relationship(
    _ name: String, _ destination: NSEntityDescription, many: Bool = false
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = many ? 0 : 1
    relationship.isOptional = true
    return relationship
  }

  private static func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
    (one.inverseRelationship, other.inverseRelationship) = (other, one)
  }

  /// The destination of saved changes.
  enum Place: CaseIterable {
    case memory, sqlite, child
  }

  private struct World {
    let office: Office
    let context: NSManagedObjectContext

    func save() throws {
      try context.save()
      if context !== office.context { try office.context.save() }
    }
  }

  private func world(_ place: Place) throws -> World {
    let office = try Office(
      model: Self.model(), at: place == .memory ? nil : URL(fileURLWithPath: "/dev/null"))
    guard place == .child else { return World(office: office, context: office.context) }
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = office.context
    return World(office: office, context: child)
  }

  private func make(_ entity: String, _ name: String, _ context: NSManagedObjectContext)
    -> NSManagedObject
  {
    let object = context.insert(entity)
    object.setValue(name, forKey: "name")
    return object
  }

  private func find(_ entity: String, _ name: String, _ context: NSManagedObjectContext) throws
    -> NSManagedObject
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: "name == %@", name)
    return try #require(try context.fetch(request).first)
  }

  private func names(_ object: NSManagedObject, _ key: String) -> [String] {
    let members: [Any] =
      switch object.value(forKey: key) {
      case let ordered as NSOrderedSet: ordered.array
      case let set as NSSet: set.allObjects
      default: []
      }
    return members.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
  }

  @Test(arguments: Place.allCases)
  func `A tree of one entity keeps its order, moves and cascades`(_ place: Place) throws {
    let world = try world(place)
    let context = world.context
    let root = make("Node", "root", context)
    let branches = ["a", "b", "c"].map { make("Node", $0, context) }
    root.setValue(NSOrderedSet(array: branches), forKey: "children")
    make("Node", "leaf", context).setValue(branches[0], forKey: "parent")
    try world.save()
    let reader = world.office.newContext()
    #expect(names(try find("Node", "root", reader), "children") == ["a", "b", "c"])
    root.mutableOrderedSetValue(forKey: "children").moveObjects(at: IndexSet(integer: 2), to: 0)
    branches[1].setValue(branches[2], forKey: "parent")
    try world.save()
    let second = world.office.newContext()
    #expect(names(try find("Node", "root", second), "children") == ["c", "a"])
    #expect(names(try find("Node", "c", second), "children") == ["b"])
    #expect(
      (try find("Node", "b", second).value(forKeyPath: "parent.parent.name") as? String) == "root")
    context.delete(branches[2])
    try world.save()
    let third = world.office.newContext()
    #expect(names(try find("Node", "root", third), "children") == ["a"])
    #expect(try third.count(for: NSFetchRequest<NSManagedObject>(entityName: "Node")) == 3)
    context.delete(root)
    try world.save()
    #expect(try third.count(for: NSFetchRequest<NSManagedObject>(entityName: "Node")) == 0)
  }

  @Test(arguments: Place.allCases)
  func `One-to-one relationships of one entity form a chain`(_ place: Place) throws {
    let world = try world(place)
    let nodes = ["a", "b", "c"].map { make("Node", $0, world.context) }
    nodes[0].setValue(nodes[1], forKey: "after")
    nodes[1].setValue(nodes[2], forKey: "after")
    try world.save()
    let reader = world.office.newContext()
    #expect(try find("Node", "c", reader).value(forKeyPath: "before.before.name") as? String == "a")
    nodes[0].setValue(nodes[2], forKey: "after")
    #expect(nodes[1].value(forKey: "before") == nil && nodes[1].value(forKey: "after") == nil)
    try world.save()
    let second = world.office.newContext()
    #expect(try find("Node", "c", second).value(forKeyPath: "before.name") as? String == "a")
    #expect(try find("Node", "b", second).value(forKey: "before") == nil)
  }

  @Test(arguments: Place.allCases)
  func `Members of several owners have an order in each`(_ place: Place) throws {
    let world = try world(place)
    let context = world.context
    let (one, two) = (make("Node", "one", context), make("Node", "two", context))
    let tags = ["x", "y", "z"].map { make("Tag", $0, context) }
    one.setValue(NSOrderedSet(array: tags), forKey: "tags")
    two.setValue(NSOrderedSet(array: [tags[2], tags[0]]), forKey: "tags")
    try world.save()
    let reader = world.office.newContext()
    #expect(names(try find("Node", "one", reader), "tags") == ["x", "y", "z"])
    #expect(names(try find("Node", "two", reader), "tags") == ["z", "x"])
    #expect(names(try find("Tag", "x", reader), "nodes") == ["one", "two"])
    one.mutableOrderedSetValue(forKey: "tags").exchangeObject(at: 0, withObjectAt: 2)
    two.mutableOrderedSetValue(forKey: "tags").insert(tags[1], at: 1)
    tags[0].mutableOrderedSetValue(forKey: "nodes").remove(two)
    try world.save()
    let second = world.office.newContext()
    #expect(names(try find("Node", "one", second), "tags") == ["z", "y", "x"])
    #expect(names(try find("Node", "two", second), "tags") == ["z", "y"])
    #expect(names(try find("Tag", "x", second), "nodes") == ["one"])
    context.delete(tags[2])
    try world.save()
    let third = world.office.newContext()
    #expect(names(try find("Node", "one", third), "tags") == ["y", "x"])
    #expect(names(try find("Node", "two", third), "tags") == ["y"])
  }

  @Test func `A new owner of a relationship without an inverse replaces the former`() throws {
    let world = try world(.sqlite)
    let context = world.context
    let (one, two) = (make("Node", "one", context), make("Node", "two", context))
    let tags = ["x", "y"].map { make("Tag", $0, context) }
    one.setValue(NSSet(array: tags), forKey: "pointers")
    try world.save()
    two.setValue(NSSet(array: [tags[1]]), forKey: "pointers")
    try world.save()
    let reader = world.office.newContext()
    #expect(try names(find("Node", "one", reader), "pointers") == ["x"])
    #expect(try names(find("Node", "two", reader), "pointers") == ["y"])
    context.delete(two)
    try world.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
    request.predicate = NSPredicate(format: "pointers.@count = 1 AND ANY pointers.name = 'x'")
    let second = world.office.newContext()
    #expect(try second.fetch(request).map { $0.value(forKey: "name") as? String } == ["one"])
    #expect(try second.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 2)
  }

  @Test(arguments: Place.allCases)
  func `A relationship without an inverse leads one way`(_ place: Place) throws {
    let world = try world(place)
    let context = world.context
    let node = make("Node", "n", context)
    let tags = ["x", "y"].map { make("Tag", $0, context) }
    node.setValue(tags[0], forKey: "pointer")
    node.setValue(NSSet(array: tags), forKey: "pointers")
    try world.save()
    let reader = world.office.newContext()
    let found = try find("Node", "n", reader)
    #expect(found.value(forKeyPath: "pointer.name") as? String == "x")
    #expect(names(found, "pointers").sorted() == ["x", "y"])
    node.setValue(nil, forKey: "pointer")
    node.mutableSetValue(forKey: "pointers").remove(tags[0])
    try world.save()
    let second = world.office.newContext()
    let again = try find("Node", "n", second)
    #expect(again.value(forKey: "pointer") == nil && names(again, "pointers") == ["y"])
    context.delete(node)
    try world.save()
    #expect(try second.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 2)
  }
}

/// The live collections of relationships, presented as Foundation's classes.
@Suite struct LiveCollectionTests {
  private let office: Office
  private let company: Company
  private let people: [Person]

  init() throws {
    office = try Office()
    company = office.context.company("Ice")
    people = ["a", "b", "c", "d"].map { [context = office.context] in context.person($0) }
  }

  private func names(_ objects: some Sequence) -> [String] {
    objects.compactMap { ($0 as? Person)?.name }
  }

  @Test func `Every way to read an ordered set works`() {
    let board = company.mutableOrderedSetValue(forKey: "board")
    company.board = [people[0], people[1], people[2]]
    #expect(board.count == 3)
    #expect(names(board.array) == ["a", "b", "c"] && names(board) == ["a", "b", "c"])
    #expect(board.firstObject as? Person === people[0] && board.lastObject as? Person === people[2])
    #expect(names(board.reversed) == ["c", "b", "a"] && board.set.count == 3)
    #expect(
      board.index(of: people[1]) == 1 && board.contains(people[2]) && !board.contains(people[3]))
    #expect(names(board.objects(at: [0, 2])) == ["a", "c"])
    #expect(board == NSOrderedSet(array: company.board))
    #expect(board.isSubset(of: NSOrderedSet(array: people)))
    var enumerated: [String] = []
    board.enumerateObjects { object, _, _ in enumerated += names([object]) }
    #expect(enumerated == ["a", "b", "c"])
    let descriptors = [NSSortDescriptor(key: "name", ascending: false)]
    #expect(names(board.sortedArray(using: descriptors)) == ["c", "b", "a"])
    people[3].setValue(company, forKey: "boardOf")
    #expect(board.count == 4 && names(board) == ["a", "b", "c", "d"])
  }

  @Test func `Every way to change an ordered set works`() {
    let board = company.mutableOrderedSetValue(forKey: "board")
    func expect(_ expected: String, _ change: () -> Void, line: Int = #line) {
      change()
      #expect(names(company.board).joined() == expected, "line \(line)")
      #expect(names(board).joined() == expected && board.count == expected.count, "line \(line)")
      let outside = people.filter { !company.board.contains($0) }
      #expect(outside.allSatisfy { $0.value(forKey: "boardOf") == nil }, "line \(line)")
    }
    expect("abc") { board.addObjects(from: Array(people.prefix(3))) }
    expect("cba") { board.exchangeObject(at: 0, withObjectAt: 2) }
    expect("acb") { board.moveObjects(at: [2], to: 0) }
    expect("adcb") { board.insert(people[3], at: 1) }
    expect("abcd") { board.sort(using: [NSSortDescriptor(key: "name", ascending: true)]) }
    expect("dcba") {
      board.sort { one, other in
        let (one, other) = (names([one])[0], names([other])[0])
        return one < other ? .orderedDescending : .orderedAscending
      }
    }
    expect("ca") { board.intersect(NSOrderedSet(array: [people[0], people[2]])) }
    expect("cab") { board.union(NSOrderedSet(array: [people[0], people[1]])) }
    expect("cb") { board.minus(NSOrderedSet(array: [people[0]])) }
    expect("db") { board.replaceObject(at: 0, with: people[3]) }
    expect("ab") { board[0] = people[0] }
    expect("b") { board.removeObjects(at: [0]) }
    expect("bcd") { board.insert([people[2], people[3]], at: [1, 2]) }
    expect("bd") { board.remove(people[2]) }
    expect("d") { board.removeObjects(in: NSRange(location: 0, length: 1)) }
    expect("") { board.removeAllObjects() }
  }

  @Test func `Every way to read and change a set works`() {
    let friends = people[0].mutableSetValue(forKey: "friends")
    func expect(_ expected: String, _ change: () -> Void, line: Int = #line) {
      change()
      #expect(people[0].friends.compactMap(\.name).sorted().joined() == expected, "line \(line)")
      #expect(
        names(friends).sorted().joined() == expected && friends.count == expected.count,
        "line \(line)")
      #expect(names(friends.allObjects).sorted().joined() == expected, "line \(line)")
    }
    expect("bc") { friends.addObjects(from: [people[1], people[2]]) }
    expect("bcd") { friends.union([people[3]]) }
    expect("cd") { friends.minus([people[1]]) }
    expect("d") { friends.intersect([people[3]]) }
    expect("bc") { friends.setSet([people[1], people[2]]) }
    #expect(
      friends.contains(people[1]) && !friends.contains(people[3]) && friends.anyObject() != nil)
    #expect(friends.isSubset(of: Set(people)) && friends.intersects([people[1]]))
    #expect(friends == NSSet(array: [people[1], people[2]]))
    let descriptors = [NSSortDescriptor(key: "name", ascending: false)]
    #expect(names(friends.sortedArray(using: descriptors)) == ["c", "b"])
    expect("c") { friends.remove(people[1]) }
    expect("") { friends.removeAllObjects() }
  }

  /// The time of a step per person, relative to its time per person for a tenth of the people.
  private func growth(_ step: (Company, [Person]) -> Void) throws -> Double {
    let office = try Office()
    let times = [300, 3_000].map { count in
      let company = office.context.company("\(count)")
      let people = (0..<count).map { _ in office.context.person("") }
      return processorTime { step(company, people) } / Double(count)
    }
    return times[1] / times[0]
  }

  @Test func `Changing one member of a collection does not visit the others`() throws {
    let ordered = try growth { company, people in
      let board = company.mutableOrderedSetValue(forKey: "board")
      for person in people { board.add(person) }
      #expect(board.array.count == people.count && company.board == people)
      for person in people.reversed() where !board.contains(person) { Issue.record("\(person)") }
      for _ in people { board.removeObject(at: board.count - 1) }
      #expect(board.firstObject == nil && company.board.isEmpty)
    }
    #expect(ordered < 5)
    let unordered = try growth { company, people in
      let employees = company.mutableSetValue(forKey: "employees")
      for person in people { employees.add(person) }
      for person in people where !employees.contains(person) { Issue.record("\(person)") }
      employees.removeAllObjects()
      #expect(company.employees.isEmpty && people.allSatisfy { $0.company == nil })
    }
    #expect(unordered < 5)
    let generated = try growth { company, people in
      company._add(contentsOf: NSSet(array: people), to: "employees")
      company._remove(contentsOf: NSSet(array: people), from: "employees")
      #expect(company.employees.isEmpty && people.allSatisfy { $0.company == nil })
    }
    #expect(generated < 5)
  }

  @Test func `A row that is not in memory can deny a deletion`() throws {
    let model = CompanyModel().model
    let employer = model.entitiesByName["Person"]?.relationshipsByName["company"]
    employer?.deleteRule = .denyDeleteRule
    let office = try Office(model: model)
    _ = office.context.person("Ada", in: office.context.company("Ice"))
    try office.context.save()
    let context = office.newContext()
    context.delete(try #require(try context.people().first))
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
  }
}
