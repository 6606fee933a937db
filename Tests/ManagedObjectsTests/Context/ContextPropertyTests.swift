import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// A company graph in plain Swift, which a context must equal after any operations.
private struct PlainGraph: Equatable {
  struct Person: Equatable {
    var age = 0
    var company: Int?
    var friends: Set<Int> = []
  }

  struct Company: Equatable {
    var rank = 1
    var board: [Int] = []
  }

  var people: [Int: Person] = [:]
  var companies: [Int: Company] = [:]

  /// The differences of two graphs in words.
  func differences(from other: PlainGraph) -> [String] {
    let people = Set(people.keys).union(other.people.keys).sorted().filter {
      self.people[$0] != other.people[$0]
    }
    let companies = Set(companies.keys).union(other.companies.keys).sorted()
      .filter { self.companies[$0] != other.companies[$0] }
    return people.map {
      "person \($0): \(text(self.people[$0])) instead of \(text(other.people[$0]))"
    }
      + companies.map {
        "company \($0): \(text(self.companies[$0])) instead of \(text(other.companies[$0]))"
      }
  }

  private func text(_ person: Person?) -> String {
    person.map { "age \($0.age), company \($0.company ?? 0), friends \($0.friends.sorted())" }
      ?? "nobody"
  }

  private func text(_ company: Company?) -> String {
    company.map { "rank \($0.rank), board \($0.board)" } ?? "none"
  }

  mutating func deletePerson(_ id: Int) {
    people[id] = nil
    for other in people.keys { people[other]?.friends.remove(id) }
    for company in companies.keys { companies[company]?.board.removeAll { $0 == id } }
  }

  mutating func deleteCompany(_ id: Int) {
    companies[id] = nil
    for (person, value) in people where value.company == id { deletePerson(person) }
  }

  mutating func setBoard(_ board: [Int], of id: Int) {
    for company in companies.keys { companies[company]?.board.removeAll { board.contains($0) } }
    companies[id]?.board = board
  }
}

/// The destination of a walk's changes.
private enum WalkKind: CaseIterable {
  case memory, sqlite
  /// A parent, which saves to memory.
  case child
  /// SQLite, with undo and redo.
  case undo
  /// SQLite, and a second context that has loaded everything and merges each save.
  case merging
}

/// Random operations on a context and on the plain graph.
private struct GraphWalk {
  let office: Office
  var context: NSManagedObjectContext
  var current = PlainGraph()
  var saved = PlainGraph()
  var nextID = 0
  /// A context that merges the saves of the first one.
  var twin: NSManagedObjectContext?
  /// The states for undo and redo.
  var past: [PlainGraph] = []
  var future: [PlainGraph] = []
  var generator: SeededGenerator
  var operations: [String] = []

  init(_ generator: SeededGenerator, _ kind: WalkKind) throws {
    office = try Office(
      at: [.sqlite, .undo, .merging].contains(kind) ? URL(fileURLWithPath: "/dev/null") : nil)
    self.generator = generator
    if kind == .child {
      context = NSManagedObjectContext.onAnyThread()
      context.parent = office.context
    } else {
      context = office.context
    }
    if kind == .merging {
      twin = office.newContext()
      twin?.retainsRegisteredObjects = true
    }
    if kind == .undo { context.undoManager = ManagedObjects.UndoManager() }
  }

  mutating func step() throws {
    guard let undoManager = context.undoManager else { return try operate() }
    if Int.random(in: 0..<4, using: &generator) == 0 { return undoOrRedo(undoManager) }
    let before = current
    try operate()
    context.processPendingChanges()
    guard undoManager.groupingLevel > 0 else { return }
    undoManager.endEvent()
    past.append(before)
    future = []
  }

  private mutating func undoOrRedo(_ undoManager: ManagedObjects.UndoManager) {
    #expect(
      undoManager.canUndo == !past.isEmpty && undoManager.canRedo == !future.isEmpty, "\(generator)"
    )
    if Int.random(in: 0..<3, using: &generator) > 0, let former = past.popLast() {
      operations.append("undo")
      future.append(current)
      context.undo()
      current = former
    } else if let next = future.popLast() {
      operations.append("redo")
      past.append(current)
      context.redo()
      current = next
    }
  }

  private mutating func operate() throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<15: try insertPerson()
    case 15..<22: try insertCompany()
    case 22..<37: try changePerson()
    case 37..<55: try movePerson()
    case 55..<67: try befriend()
    case 67..<75: try setBoard()
    case 75..<81: try deletePerson()
    case 81..<83: try deleteCompany()
    case 83..<91: try save()
    case 91..<94: rollBack()
    case 94..<96: refresh()
    case 96..<97: reset()
    default: context.processPendingChanges()
    }
  }

  // MARK: Look-up

  private func objects<T: NSManagedObject>(_ entity: String, _ id: Int) throws -> T? {
    let request = NSFetchRequest<T>(entityName: entity)
    request.predicate = NSPredicate(format: "name == %@", "\(id)")
    return try context.fetch(request).first
  }

  private func person(_ id: Int) throws -> Person {
    try #require(try objects("Person", id), "person \(id) \(generator) \(operations.suffix(12))")
  }

  private func company(_ id: Int) throws -> Company {
    try #require(try objects("Company", id), "company \(id) \(generator) \(operations.suffix(12))")
  }

  private mutating func some(_ ids: some Collection<Int>) -> Int? {
    ids.sorted().randomElement(using: &generator)
  }

  // MARK: Operations

  private mutating func insertPerson() throws {
    nextID += 1
    let target = some(current.companies.keys)
    operations.append("insert person \(nextID) in \(target.map(String.init) ?? "none")")
    _ = context.person("\(nextID)", age: nextID, in: try target.map(company))
    current.people[nextID] = PlainGraph.Person(age: nextID, company: target)
  }

  private mutating func insertCompany() throws {
    nextID += 1
    operations.append("insert company \(nextID)")
    _ = context.company("\(nextID)")
    current.companies[nextID] = PlainGraph.Company()
  }

  private mutating func changePerson() throws {
    guard let id = some(current.people.keys) else { return }
    let age = Int.random(in: 0..<1000, using: &generator)
    operations.append("age of \(id) = \(age)")
    try person(id).age = age
    current.people[id]?.age = age
  }

  private mutating func movePerson() throws {
    guard let id = some(current.people.keys) else { return }
    let target = Bool.random(using: &generator) ? some(current.companies.keys) : nil
    operations.append("move \(id) to \(target.map(String.init) ?? "none")")
    if let target, Bool.random(using: &generator) {
      try company(target).mutableSetValue(forKey: "employees").add(try person(id))
    } else {
      try person(id).company = try target.map(company)
    }
    current.people[id]?.company = target
  }

  private mutating func befriend() throws {
    guard let one = some(current.people.keys), let other = some(current.people.keys), one != other
    else { return }
    operations.append("toggle friends \(one) \(other)")
    let friends = try person(one).mutableSetValue(forKey: "friends")
    if current.people[one]?.friends.contains(other) == true {
      friends.remove(try person(other))
      current.people[one]?.friends.remove(other)
      current.people[other]?.friends.remove(one)
    } else {
      friends.add(try person(other))
      current.people[one]?.friends.insert(other)
      current.people[other]?.friends.insert(one)
    }
  }

  private mutating func setBoard() throws {
    guard let id = some(current.companies.keys) else { return }
    let board = Array(current.people.keys.sorted().shuffled(using: &generator).prefix(3))
    operations.append("board of \(id) = \(board)")
    try company(id).board = try board.map(person)
    current.setBoard(board, of: id)
  }

  private mutating func deletePerson() throws {
    guard let id = some(current.people.keys) else { return }
    operations.append("delete person \(id)")
    context.delete(try person(id))
    context.processPendingChanges()
    current.deletePerson(id)
  }

  private mutating func deleteCompany() throws {
    guard let id = some(current.companies.keys) else { return }
    operations.append("delete company \(id)")
    context.delete(try company(id))
    context.processPendingChanges()
    current.deleteCompany(id)
  }

  mutating func save() throws {
    operations.append("save")
    let saves = Listener(context, .NSManagedObjectContextDidSave)
    try context.save()
    for save in saves.notifications { twin?.mergeChanges(fromContextDidSave: save) }
    if context !== office.context, Bool.random(using: &generator) { try office.context.save() }
    saved = current
    #expect(!context.hasChanges, "\(generator)")
  }

  private mutating func rollBack() {
    operations.append("rollback")
    context.rollback()
    (past, future) = ([], [])
    current = saved
    #expect(!context.hasChanges, "\(generator)")
  }

  private mutating func refresh() {
    operations.append("refresh")
    context.refreshAllObjects()
  }

  private mutating func reset() {
    operations.append("reset")
    context.reset()
    (past, future) = ([], [])
    current = saved
  }

  // MARK: Comparison

  func graph(of context: NSManagedObjectContext) throws -> PlainGraph {
    var graph = PlainGraph()
    func id(_ name: String?) -> Int { name.flatMap(Int.init) ?? 0 }
    for person in try context.people() {
      graph.people[id(person.name)] = PlainGraph.Person(
        age: person.age, company: person.company.map { id($0.name) },
        friends: Set(person.friends.map { id($0.name) }))
    }
    for company in try context.companies() {
      graph.companies[id(company.name)] = PlainGraph.Company(
        rank: company.rank, board: company.board.map { id($0.name) })
      let employees = Set(company.employees.map { id($0.name) })
      let expected = Set(graph.people.filter { $0.value.company == id(company.name) }.keys)
      #expect(employees == expected, "\(generator) \(operations.suffix(20))")
    }
    return graph
  }
}

@Suite struct ContextPropertyTests {
  /// The number of steps between comparisons.
  ///
  /// A comparison reads the whole graph, which may affect later steps, so a replay of a seed must
  /// compare as often as the failed run. `PARHELION_STEPS=1` finds the first step that fails.
  private static let stepsBetweenComparisons =
    ProcessInfo.processInfo.environment["PARHELION_STEPS"].flatMap(Int.init) ?? 10

  @Test(arguments: WalkKind.allCases)
  fileprivate func `A context behaves like a plain object graph`(_ kind: WalkKind) throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<12 {
      var walk = try GraphWalk(generator, kind)
      for number in 1...150 {
        try walk.step()
        if number % Self.stepsBetweenComparisons == 0 {
          try expectAgreement(of: walk.context, walk)
        }
      }
      try walk.save()
      if kind == .child { try walk.office.context.save() }
      try expectAgreement(of: walk.office.newContext(), walk)
      generator = walk.generator
    }
  }

  private func expectAgreement(of context: NSManagedObjectContext, _ walk: GraphWalk) throws {
    if let twin = walk.twin {
      let differences = try walk.graph(of: twin).differences(from: walk.saved)
      try #require(
        differences.isEmpty,
        "\(walk.generator) merged: \(differences) after \(walk.operations.suffix(25))")
    }
    let differences = try walk.graph(of: context).differences(from: walk.current)
    try #require(
      differences.isEmpty, "\(walk.generator) \(differences) after \(walk.operations.suffix(25))")
  }
}
