import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

private typealias UndoManager = ManagedObjects.UndoManager

/// Undo of changes that were saved.
@Suite struct UndoAcrossSavesTests {
  private let office: Office
  private var context: NSManagedObjectContext { office.context }

  init() throws { office = try Office(at: URL(fileURLWithPath: "/dev/null")) }

  /// Starts to register changes for undo, group by group.
  private func begin() throws {
    try context.save()
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = false
  }

  /// Makes one undo group of changes, and saves it.
  private func saving(_ body: () throws -> Void) throws {
    context.undoManager?.beginUndoGrouping()
    try body()
    context.processPendingChanges()
    context.undoManager?.endUndoGrouping()
    try context.save()
  }

  private func stored() throws -> [String] {
    try office.newContext().people().map { "\($0.name ?? "") \($0.age)" }
  }

  @Test func `A saved change is undone and redone, and each step is saved`() throws {
    let person = context.person("Ada", age: 1)
    try begin()
    try saving { person.age = 2 }
    context.undo()
    #expect(person.age == 1 && person.isUpdated)
    try context.save()
    #expect(try stored() == ["Ada 1"])
    context.redo()
    try context.save()
    #expect(try stored() == ["Ada 2"])
  }

  @Test func `A saved insertion is undone and redone`() throws {
    try begin()
    try saving { _ = context.person("Ada", age: 1) }
    let person = try #require(try context.people().first)
    context.undo()
    #expect(person.isDeleted)
    try context.save()
    #expect(try stored() == [])
    context.redo()
    try context.save()
    #expect(try stored() == ["Ada 1"])
    context.undo()
    try context.save()
    #expect(try stored() == [])
  }

  @Test func `Undoing a saved deletion restores its relationships`() throws {
    let company = context.company("Ice")
    let people = [context.person("Ada", age: 1, in: company), context.person("Bob", in: company)]
    people[0].friends = [people[1]]
    company.board = people
    try begin()
    try saving { context.delete(company) }
    #expect(try stored() == [])
    context.undo()
    try context.save()
    #expect(try stored() == ["Ada 1", "Bob 0"])
    let again = try #require(try office.newContext().companies().first)
    #expect(
      again.name == "Ice" && again.employees.count == 2
        && again.board.map(\.name) == ["Ada", "Bob"])
    #expect(again.board.first?.friends.map(\.name) == ["Bob"])
    context.redo()
    try context.save()
    #expect(try stored() == [])
    #expect(try office.newContext().companies().isEmpty)
  }

  @Test func `A deleted member returns to an order that was not in memory`() throws {
    let company = context.company("Ice")
    company.board = ["a", "b", "c"].map { context.person($0) }
    try begin()
    let other = office.newContext()
    other.undoManager = UndoManager()
    let member = try #require(try other.people("name == 'b'").first)
    other.delete(member)
    other.processPendingChanges()
    other.undoManager?.endEvent()
    other.undo()
    #expect(try other.companies().first?.board.map(\.name) == ["a", "b", "c"])
    other.redo()
    #expect(try other.companies().first?.board.map(\.name) == ["a", "c"])
    try other.save()
    #expect(try office.newContext().companies().first?.board.map(\.name) == ["a", "c"])
  }

  @Test func `Objects that an undo restored survive a rollback`() throws {
    let company = context.company("Ice")
    for name in ["a", "b"] { _ = context.person(name, in: company) }
    try begin()
    let other = office.newContext()
    other.undoManager = UndoManager()
    let member = try #require(try other.people("name == 'b'").first)
    other.delete(member)
    other.processPendingChanges()
    other.undoManager?.endEvent()
    // The members are loaded while one of them is deleted.
    let same = try #require(try other.companies().first)
    #expect(same.employees.count == 1)
    other.undo()
    #expect(same.employees.count == 2)
    other.rollback()
    #expect(same.employees.count == 2)
    same.rank = 8
    other.rollback()
    #expect(same.employees.count == 2 && member.company === same)
  }

  @Test func `Objects that were deleted together keep their relationship after an undo`() throws {
    let company = context.company("Ice")
    let people = ["a", "b"].map { context.person($0, in: company) }
    people[0].friends = [people[1]]
    try begin()
    let manager = try #require(context.undoManager)
    for change in [
      { [context] in context.delete(company) }, { [context] in _ = context.company("Fire") },
    ] {
      manager.beginUndoGrouping()
      change()
      context.processPendingChanges()
      manager.endUndoGrouping()
    }
    // While they are deleted, another object is deleted and restored, and everything is refreshed.
    context.undo()
    context.redo()
    context.refreshAllObjects()
    try context.save()
    context.undo()
    context.undo()
    try context.save()
    #expect(people[0].friends == [people[1]] && company.employees == Set(people))
    let stored = try office.newContext().people()
    #expect(stored.map { $0.friends.compactMap(\.name) } == [["b"], ["a"]])
  }

  @Test func `A member that moved and was deleted returns to its new owner`() throws {
    let (ice, fire) = (context.company("Ice"), context.company("Fire"))
    _ = context.person("a", in: ice)
    try begin()
    let other = office.newContext()
    other.undoManager = UndoManager()
    let companies = try other.companies()
    let member = try #require(try other.people().first)
    for change in [{ member.company = companies[0] }, { other.delete(member) }] {
      change()
      other.processPendingChanges()
      other.undoManager?.endEvent()
    }
    // The members are loaded while one of them is deleted.
    #expect(companies.allSatisfy { $0.employees.isEmpty } && fire.name == companies[0].name)
    other.undo()
    #expect(companies[0].employees == [member] && companies[1].employees.isEmpty)
    other.undo()
    #expect(companies[0].employees.isEmpty && companies[1].employees == [member])
  }

  @Test func `Undoing a saved move restores both sides`() throws {
    let (ice, fire) = (context.company("Ice"), context.company("Fire"))
    let person = context.person("Ada", in: ice)
    try begin()
    try saving { person.company = fire }
    context.undo()
    try context.save()
    #expect(ice.employees == [person] && fire.employees.isEmpty)
    let stored = try #require(try office.newContext().people().first)
    #expect(stored.company?.name == "Ice")
  }

  @Test func `Undoing a saved deletion restores values that were never read`() throws {
    let company = context.company("Ice", rank: 7)
    try begin()
    context.refresh(company, mergeChanges: false)
    try saving { context.delete(company) }
    context.undo()
    #expect(company.name == "Ice" && company.isInserted)
    try context.save()
    #expect(try office.newContext().companies().map(\.rank) == [7])
  }
}
