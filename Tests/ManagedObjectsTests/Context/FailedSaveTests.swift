import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// New objects after a failed save, which are new again.
@Suite struct FailedSaveTests {
  private let office: Office
  private let context: NSManagedObjectContext

  init() throws {
    office = try Office()
    context = office.context
    _ = context.company("Ice")
    try context.save()
  }

  private func failToSave() throws {
    let error = try #require(throws: CocoaError.self) { try context.save() }
    #expect(error.code == .managedObjectConstraintMerge)
  }

  @Test func `After a failed save objects have their temporary identifiers and can be saved later`()
    throws
  {
    let second = context.company("Ice", rank: 2)
    let people = (0..<3).map { context.person("\($0)", in: second) }
    let identifiers = ([second] + people).map(\.objectID)
    try failToSave()
    #expect(([second] + people).map(\.objectID) == identifiers)
    #expect(second.objectID.isTemporaryID && people[0].objectID.isTemporaryID)
    #expect(context.registeredObject(for: identifiers[0]) === second)
    #expect(people[1].company === second && second.employees == Set(people))
    try failToSave()
    second.name = "Fire"
    try context.save()
    #expect(
      !second.objectID.isTemporaryID && context.registeredObject(for: second.objectID) === second)
    #expect(
      try office.newContext().people("company.name == 'Fire' AND company.rank == 2").count == 3)
  }

  @Test func `A permanent identifier obtained before the failure stays`() throws {
    let second = context.company("Ice")
    try context.obtainPermanentIDs(for: [second])
    let identifier = second.objectID
    try failToSave()
    #expect(second.objectID == identifier && !identifier.isTemporaryID)
  }

  @Test func `A saved object refers to an unsaved one by its temporary identifier again`() throws {
    let ada = context.person("Ada")
    try context.save()
    let second = context.company("Ice")
    ada.company = second
    try failToSave()
    context.refresh(ada, mergeChanges: true)
    #expect(ada.company === second)
    second.name = "Fire"
    try context.save()
    #expect(try office.newContext().people("company.name == 'Fire'").map(\.name) == ["Ada"])
  }

  @Test func `A child context finds unsaved objects by either identifier`() throws {
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = context
    let second = context.company("Ice")
    let known = try #require(child.object(with: second.objectID) as? Company)
    try failToSave()
    #expect(known.objectID == second.objectID && known.name == "Ice")
    second.name = "Fire"
    try context.save()
    #expect(known.name == "Ice")
    child.refresh(known, mergeChanges: true)
    #expect(
      known.name == "Fire" && known.objectID == second.objectID && !known.objectID.isTemporaryID)
  }

  @Test func `A failure saves nothing in any store, and objects keep their assigned stores`()
    throws
  {
    let other = try office.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let there = context.company("Ice")
    context.assign(there, to: other)
    try context.save()
    let (ada, second) = (context.person("Ada"), context.company("Ice"))
    context.assign(second, to: other)
    let identifier = second.objectID
    try failToSave()
    #expect(ada.objectID.isTemporaryID && ada.isInserted)
    #expect(second.objectID == identifier && second.isInserted)
    second.name = "Fire"
    try context.save()
    #expect(second.objectID.persistentStore === other && ada.objectID.persistentStore !== other)
  }

  @Test func `A saved object's row leads a child context to an unsaved one by its temporary key`()
    throws
  {
    let ada = context.person("Ada")
    try context.save()
    let second = context.company("Ice", rank: 7)
    ada.company = second
    try failToSave()
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = context
    let known = try #require(child.object(with: ada.objectID) as? Person)
    #expect(known.company?.objectID == second.objectID && known.company?.rank == 7)
    second.name = "Fire"
    try context.save()
    #expect(try office.newContext().people().first?.company?.rank == 7)
  }

  @Test func `Unsaved objects can be deleted, fetched, undone and restored`() throws {
    let context = office.newContext()
    context.undoManager = UndoManager()
    let second = context.company("Ice")
    let person = context.person("Ada", in: second)
    context.processPendingChanges()
    #expect(throws: CocoaError.self) { try context.save() }
    #expect(try context.people("company == %@", second) == [person])
    #expect(try context.people("SELF == %@", person.objectID) == [person])
    let identifier = second.objectID
    context.undo()
    #expect(!context.hasChanges && second.managedObjectContext == nil)
    context.redo()
    #expect(second.objectID == identifier && person.company === second)
    #expect(throws: CocoaError.self) { try context.save() }
    context.delete(second)
    try context.save()
    #expect(try context.companies().map(\.name) == ["Ice"])
    #expect(try context.people().isEmpty && !context.hasChanges)
  }

  @Test func `All relationships of unsaved objects are saved later`() throws {
    try withTemporaryDirectory { folder in
      let office = try Office(at: folder.appendingPathComponent("Company.sqlite"))
      let context = office.context
      _ = context.company("Ice")
      try context.save()
      let second = context.company("Ice")
      let (ada, bob) = (context.person("Ada"), context.person("Bob"))
      let badge = context.insert("Badge")
      second.board = [ada, bob]
      ada.friends = [bob]
      ada.badge = badge
      ada.company = second
      for _ in 0..<2 { #expect(throws: CocoaError.self) { try context.save() } }
      second.board = [bob, ada]
      bob.company = second
      second.name = "Fire"
      try context.save()
      let found = try #require(try office.newContext().companies().first)
      #expect(found.board.map(\.name) == ["Bob", "Ada"] && found.employees.count == 2)
      #expect(
        found.board.last?.friends.map(\.name) == ["Bob"]
          && found.board.first?.friends.map(\.name) == ["Ada"])
      #expect(found.board.last?.badge?.objectID == badge.objectID)
    }
  }
}
