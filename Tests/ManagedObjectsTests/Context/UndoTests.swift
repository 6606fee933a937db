import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

private typealias UndoManager = ManagedObjects.UndoManager

@Suite struct UndoTests {
  private let office: Office
  private var context: NSManagedObjectContext { office.context }

  init() throws {
    office = try Office()
    office.context.undoManager = UndoManager()
  }

  @Test func `Changes of values are undone and redone`() throws {
    let person = context.person("Ada", age: 1)
    try context.save()
    context.undoManager?.removeAllActions()
    person.age = 2
    context.undo()
    #expect(person.age == 1)
    #expect(context.undoManager?.canRedo == true)
    context.redo()
    #expect(person.age == 2 && person.isUpdated)
    try context.save()
    #expect(try office.newContext().people().map(\.age) == [2])
  }

  @Test func `Insertions and deletions are undone and redone`() throws {
    let company = context.company("Ice")
    try context.save()
    context.undoManager?.removeAllActions()
    let person = context.person("Ada", in: company)
    context.undo()
    #expect(person.managedObjectContext == nil && company.employees.isEmpty)
    #expect(try context.people().isEmpty)
    context.redo()
    #expect(
      person.managedObjectContext === context && company.employees == [person]
        && person.name == "Ada")
    try context.save()
    #expect(try office.newContext().people().first?.company?.name == "Ice")
    context.undoManager?.removeAllActions()
    context.delete(company)
    context.undo()
    #expect(
      !company.isDeleted && !person.isDeleted && company.employees == [person]
        && person.company === company)
    #expect(context.deletedObjects.isEmpty)
    context.redo()
    #expect(company.isDeleted && person.isDeleted)
    try context.save()
    #expect(try office.newContext().companies().isEmpty)
  }

  @Test func `Both sides of relationships are undone, also those not loaded`() throws {
    let (ice, fire) = (context.company("Ice"), context.company("Fire"))
    let people = (0..<3).map { context.person("P\($0)", in: ice) }
    people[0].friends = [people[1]]
    ice.board = people
    try context.save()
    context.reset()
    let all = try context.people()
    let companies = try context.companies()
    #expect(companies.map(\.name) == ["Fire", "Ice"] && fire.name == "Fire")
    all[0].company = companies[0]
    all[2].friends = [all[0]]
    companies[1].board = [all[2], all[0]]
    context.processPendingChanges()
    context.undo()
    #expect(companies[0].employees.isEmpty && companies[1].employees == Set(all))
    #expect(all[0].friends == [all[1]] && all[2].friends.isEmpty)
    #expect(companies[1].board == all)
    context.redo()
    #expect(companies[0].employees == [all[0]])
    #expect(all[0].friends == [all[1], all[2]] && companies[1].board == [all[2], all[0]])
    try context.save()
    let stored = try office.newContext().companies()
    #expect(stored[0].employees.count == 1 && stored[1].board.map(\.name) == ["P2", "P0"])
  }

  /// Expects a company of three people in the store.
  private func expectThreePeople() throws {
    let stored = try office.newContext().people()
    #expect(stored.map(\.name) == ["P0", "P1", "P2"] && stored.map(\.age) == [0, 1, 2])
    let company = try #require(try office.newContext().companies().first)
    #expect(company.board.map(\.name) == ["P0", "P1", "P2"])
    #expect(Set(company.employees.map(\.name)) == ["P0", "P1", "P2"])
  }

  @Test(arguments: [false, true])
  func `A repeated deletion is undone after a save, with its values`(isRefreshed: Bool) throws {
    let company = context.company("Ice")
    let people = (0..<3).map { context.person("P\($0)", age: $0, in: company) }
    company.board = people
    people[1].friends = Set(people)
    try context.save()
    context.undoManager?.removeAllActions()
    context.delete(people[1])
    context.undo()
    if isRefreshed { context.refreshAllObjects() }
    context.redo()
    try context.save()
    #expect(company.board == [people[0], people[2]])
    context.undo()
    #expect(company.board == people && company.employees == Set(people))
    #expect(people[1].friends == Set(people))
    try context.save()
    try expectThreePeople()
  }

  @Test(arguments: [false, true])
  func `An insertion is redone after its undo was saved, with its values`(isRefreshed: Bool) throws
  {
    let company = context.company("Ice")
    var people = [0, 2].map { context.person("P\($0)", age: $0, in: company) }
    company.board = people
    try context.save()
    context.undoManager?.removeAllActions()
    people.insert(context.person("P1", age: 1, in: company), at: 1)
    company.board = people
    try context.save()
    if isRefreshed { context.refreshAllObjects() }
    context.undo()
    try context.save()
    #expect(try office.newContext().people().count == 2)
    context.redo()
    #expect(company.board == people && people[1].name == "P1" && people[1].age == 1)
    try context.save()
    try expectThreePeople()
  }

  @Test func `An undone change leaves nothing to save`() throws {
    let person = context.person("Ada", age: 1)
    try context.save()
    context.undoManager?.removeAllActions()
    person.age = 2
    context.undo()
    #expect(!person.isUpdated && !context.hasChanges && context.updatedObjects.isEmpty)
    context.redo()
    #expect(person.isUpdated && context.updatedObjects == [person])
  }

  @Test func `A context that releases its undo manager removes only its own steps`() throws {
    let manager = try #require(context.undoManager)
    final class Other {}
    let other = Other()
    manager.registerUndo(withTarget: other) { _ in }
    let person = context.person("Ada", age: 1)
    context.processPendingChanges()
    context.undoManager = nil
    #expect(manager.canUndo)
    manager.undo()
    #expect(person.managedObjectContext === context && person.isInserted && !manager.canUndo)
  }

  @Test func `An event is one step, and a rollback removes all steps`() throws {
    let person = context.person("Ada", age: 1)
    try context.save()
    context.undoManager?.removeAllActions()
    person.age = 2
    person.name = "Bo"
    context.processPendingChanges()
    context.undoManager?.endEvent()
    person.age = 3
    context.undo()
    #expect(person.age == 2 && person.name == "Bo")
    context.undo()
    #expect(person.age == 1 && person.name == "Ada")
    person.age = 4
    context.rollback()
    #expect(context.undoManager?.canUndo == false && person.age == 1)
  }

  @Test func `Each block of perform is one step`() async throws {
    let context = office.context
    let person = context.person("Ada")
    try context.save()
    context.undoManager?.removeAllActions()
    for name in ["a", "b"] { await context.perform { person.name = name } }
    await context.perform { context.undo() }
    #expect(person.name == "a")
    await context.perform { context.undo() }
    #expect(person.name == "Ada")
  }

  @MainActor @Test func `Each turn of the main queue is one step`() async throws {
    let context = NSManagedObjectContext(.mainQueueConcurrencyType)
    context.persistentStoreCoordinator = office.coordinator
    context.undoManager = UndoManager()
    let person = context.person("Ada")
    try context.save()
    context.undoManager?.removeAllActions()
    for name in ["a", "b"] {
      person.name = name
      await withCheckedContinuation { (turn: CheckedContinuation<Void, Never>) in
        DispatchQueue.main.async { turn.resume() }
      }
    }
    context.undo()
    #expect(person.name == "a")
  }

  @Test func `Inserting a deleted object again is undone with its relationships`() throws {
    let person = context.person("Ada")
    let badge = context.insert("Badge")
    person.badge = badge
    try context.save()
    context.undoManager?.removeAllActions()
    context.delete(person)
    context.processPendingChanges()
    context.undoManager?.endEvent()
    context.insert(person)
    #expect(!person.isDeleted && person.badge == nil && badge.isDeleted)
    context.undo()
    #expect(person.isDeleted && badge.isDeleted)
    context.undo()
    #expect(!person.isDeleted && !badge.isDeleted && person.badge === badge)
    try context.save()
    #expect(try office.newContext().people().first?.badge != nil)
  }

  @Test func `A redone insertion goes to the store to which the object was assigned`() throws {
    let second = try office.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let person = context.person("Ada")
    context.assign(person, to: second)
    context.undo()
    context.redo()
    try context.save()
    #expect(person.objectID.persistentStore === second)
  }
}
