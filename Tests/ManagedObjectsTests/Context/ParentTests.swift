import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

@Suite struct ParentTests {
  private let office: Office
  private let child: NSManagedObjectContext

  init() throws {
    office = try Office()
    child = NSManagedObjectContext.onAnyThread()
    child.parent = office.context
  }

  @Test func `A child sees its parent's unsaved changes`() throws {
    let company = office.context.company("Ice", rank: 3)
    let person = office.context.person("Ada", in: company)
    company.board = [person]
    let found = try #require(try child.companies().first)
    #expect(found !== company && found.objectID == company.objectID)
    #expect(found.name == "Ice" && found.rank == 3)
    #expect(found.employees.map(\.name) == ["Ada"] && found.board.map(\.name) == ["Ada"])
    #expect(found.employees.first?.company === found)
    #expect(try child.people("company.name == 'Ice'").count == 1)
    #expect(child.persistentStoreCoordinator === office.coordinator)
  }

  @Test func `A child's save changes its parent, the parent's save changes the store`() throws {
    let company = office.context.company("Ice", rank: 3)
    _ = office.context.person("Ada", in: company)
    try office.context.save()
    let theirs = try #require(try child.companies().first)
    theirs.rank = 9
    let new = child.person("Bob", in: theirs)
    new.setValue(["x"], forKey: "tags")
    theirs.board = [new]
    child.delete(try #require(try child.people("name == 'Ada'").first))
    try child.save()
    #expect(!child.hasChanges && office.context.hasChanges)
    #expect(new.objectID.isTemporaryID)
    #expect(company.rank == 9)
    #expect(company.employees.map(\.name) == ["Bob"] && company.board.map(\.name) == ["Bob"])
    #expect(company.employees.first?.value(forKey: "tags") as? [String] == ["x"])
    #expect(try office.newContext().people().map(\.name) == ["Ada"])
    try office.context.save()
    let stored = try #require(try office.newContext().companies().first)
    #expect(
      stored.rank == 9 && stored.employees.map(\.name) == ["Bob"]
        && stored.board.map(\.name) == ["Bob"])
  }

  @Test func `An object of a child goes to the store that the child chose`() throws {
    let second = try office.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let (here, there) = (child.person("Ada"), child.person("Bob"))
    child.assign(there, to: second)
    try child.save()
    try office.context.save()
    _ = try child.people()
    #expect(there.objectID.persistentStore === second)
    #expect(here.objectID.persistentStore === office.coordinator.persistentStores[0])
  }

  @Test func `A child's object is the same after its parent saved it`() throws {
    let person = child.person("Ada", age: 3)
    try child.save()
    #expect(person.objectID.isTemporaryID && !person.isInserted)
    try office.context.save()
    let found = try child.people()
    #expect(found.count == 1 && found.first === person)
    #expect(!person.objectID.isTemporaryID)
    person.age = 4
    try child.save()
    try office.context.save()
    #expect(try office.newContext().people().map(\.age) == [4])
  }

  @Test func `Parents make identifiers permanent`() throws {
    let person = child.person("Ada")
    try child.obtainPermanentIDs(for: [person])
    #expect(!person.objectID.isTemporaryID)
    try child.save()
    #expect(office.context.insertedObjects.first?.objectID == person.objectID)
    try office.context.save()
    #expect(try office.newContext().people().first?.objectID == person.objectID)
    let second = child.person("Bob")
    try child.save()
    try child.obtainPermanentIDs(for: [second])
    #expect(!second.objectID.isTemporaryID)
    try office.context.save()
    #expect(try office.newContext().people("name == 'Bob'").first?.objectID == second.objectID)
  }

  @Test func `Objects that a child deletes and restores stay in the parent's store`() throws {
    let company = office.context.company("Ice", rank: 3)
    _ = office.context.person("Ada", in: company)
    try office.context.save()
    child.undoManager = ManagedObjects.UndoManager()
    // The deletion cascades to the employee.
    child.delete(try #require(try child.companies().first))
    child.processPendingChanges()
    child.undoManager?.endEvent()
    try child.save()
    #expect(office.context.deletedObjects.count == 2)
    child.undo()
    try child.save()
    #expect(office.context.deletedObjects.isEmpty && office.context.insertedObjects.isEmpty)
    try office.context.save()
    let stored = try #require(try office.newContext().companies().first)
    #expect(stored.rank == 3 && stored.employees.map(\.name) == ["Ada"])
  }

  @Test func `A child validates, and invalid objects do not reach its parent`() throws {
    let badge = child.insert("Badge")
    badge.setValue(nil, forKey: "number")
    #expect(throws: NSError.self) { try child.save() }
    #expect(!office.context.hasChanges)
  }

  @Test func `A rollback of a child leaves its parent unchanged`() throws {
    let person = office.context.person("Ada", age: 1)
    let same = try #require(try child.people().first)
    same.age = 2
    child.rollback()
    #expect(same.age == 1)
    person.age = 7
    child.refresh(same, mergeChanges: false)
    #expect(same.age == 7)
  }

  @Test func `Grandchildren save step by step`() throws {
    let grandchild = NSManagedObjectContext.onAnyThread()
    grandchild.parent = child
    let company = grandchild.company("Ice")
    let person = grandchild.person("Ada", in: company)
    try grandchild.save()
    #expect(child.insertedObjects.count == 2 && !office.context.hasChanges)
    try child.save()
    try office.context.save()
    #expect(person.company === company)
    #expect(try grandchild.people().first === person)
    #expect(try office.newContext().people().first?.company?.name == "Ice")
  }

  @Test func `An object awakes from insertion once, in the inserting context`() throws {
    let company = child.company("Ice")
    try child.save()
    let above = try #require(office.context.insertedObjects.first as? Company)
    #expect(company.hooks.first == "awakeFromInsert" && !above.hooks.contains("awakeFromInsert"))
  }

  @Test func `A child merges a sibling's objects under the keys that the parent saved`() throws {
    let sibling = NSManagedObjectContext.onAnyThread()
    sibling.parent = office.context
    sibling.retainsRegisteredObjects = true
    sibling.automaticallyMergesChangesFromParent = true
    try sibling.performAndWait {
      _ = child.person("Ada")
      try child.save()
      // The sibling merges the child's save after this block, when the parent has saved too.
      try office.context.save()
    }
    sibling.performAndWait {
      #expect(sibling.registeredObjects.count == 1)
      #expect(sibling.registeredObjects.allSatisfy { !$0.objectID.isTemporaryID })
    }
  }

  // MARK: Saves of the parent between the child's steps

  /// Saves the parent when the child posts a notification.
  private func savingParent(
    at name: Notification.Name, _ body: () throws -> Void
  ) rethrows {
    let parent = office.context
    let token = NotificationCenter.default.addObserver(forName: name, object: child, queue: nil) {
      _ in
      parent.performAndWait { _ = #expect(throws: Never.self) { try parent.save() } }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try body()
  }

  @Test func `An edit reaches an object that its parent saves meanwhile`() throws {
    let person = child.person("Ada", age: 1)
    try child.save()
    person.age = 2
    try savingParent(at: .NSManagedObjectContextWillSave) { try child.save() }
    #expect(office.context.deletedObjects.isEmpty && office.context.updatedObjects.count == 1)
    try office.context.save()
    #expect(try office.newContext().people().map(\.age) == [2])
    #expect(!person.objectID.isTemporaryID)
  }

  @Test func `A fetch finds the object that its parent saves meanwhile`() throws {
    let person = child.person("Ada")
    try child.save()
    let other = child.person("Bob")
    try savingParent(at: .NSManagedObjectContextObjectsDidChange) { () throws in
      #expect(try child.people() == [person, other])
    }
    #expect(!person.objectID.isTemporaryID && other.objectID.isTemporaryID)
  }

  @Test func `A relationship is read after the parent has saved its owner`() throws {
    let company = office.context.company("Ice")
    _ = office.context.person("Ada", in: company)
    let theirs = try #require(try child.companies().first)
    #expect(theirs.name == "Ice")
    try office.context.save()
    #expect(theirs.employees.map(\.name) == ["Ada"])
  }

  @Test func `A changed object is counted once after its parent has saved it`() throws {
    let person = child.person("Ada")
    try child.save()
    try office.context.save()
    person.age = 2
    #expect(try child.count(for: NSFetchRequest<Person>(entityName: "Person")) == 1)
  }

  /// Faults whose rows are read together.
  enum Group: CaseIterable {
    case batch, members
  }

  @Test(arguments: Group.allCases)
  func `Faults are read after the parent has saved and forgotten them`(_ group: Group) throws {
    let office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = office.context
    let company = office.context.company("Ice")
    for name in ["Ada", "Bob"] { _ = office.context.person(name, in: company) }
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.fetchBatchSize = 10
    let people =
      switch group {
      case .batch: try child.fetch(request)
      case .members: Array(try #require(try child.companies().first).employees)
      }
    try office.context.save()
    office.context.reset()
    #expect(Set(people.map(\.name)) == ["Ada", "Bob"])
    #expect(!child.hasChanges && people.allSatisfy { !$0.objectID.isTemporaryID })
  }

  @Test func `Merging a child's save leaves its parent's changes`() throws {
    let person = office.context.person("Ada")
    try office.context.save()
    let saves = Listener(child, .NSManagedObjectContextDidSave)
    child.delete(child.object(with: person.objectID))
    try child.save()
    office.context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(office.context.deletedObjects == [person])
    try office.context.save()
    #expect(try office.newContext().people().isEmpty)
  }

  @Test func `Observers in the parent are notified before and after a child's change`() throws {
    let company = office.context.company("Ice")
    let person = office.context.person("Ada")
    try office.context.save()
    final class Log {
      var lines: [String] = []
    }
    let log = Log()
    let observations = [company, person].map { object in
      object.observeChanges {
        log.lines.append("will \($0)")
      } didChange: {
        log.lines.append("did \($0)")
      }
    }
    let theirs = try #require(try child.companies().first)
    theirs.rank = 5
    theirs.board = [try #require(try child.people().first)]
    try child.save()
    let expected = ["rank", "board", "boardOf"].flatMap { ["did \($0)", "will \($0)"] }
    #expect(log.lines.sorted() == expected.sorted())
    withExtendedLifetime(observations) {}
  }
}
