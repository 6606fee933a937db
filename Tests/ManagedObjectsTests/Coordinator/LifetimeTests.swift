import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Released objects are freed: no fetch, translation or object retains them.
@Suite struct LifetimeTests {
  @Test(arguments: [false, true])
  func `A released coordinator frees its contexts, model and objects`(inFile: Bool)
    throws
  {
    weak var coordinator: NSPersistentStoreCoordinator?
    weak var context: NSManagedObjectContext?
    weak var model: NSManagedObjectModel?
    weak var company: Company?
    weak var entity: NSEntityDescription?
    try withTemporaryDirectory { folder in
      let office = try Office(at: inFile ? folder.appendingPathComponent("Office.sqlite") : nil)
      try fill(office)
      let found = try #require(try office.context.companies().first)
      #expect(found.board.count == 1)
      (coordinator, context, model) = (
        office.coordinator, office.context, office.coordinator.managedObjectModel
      )
      (company, entity) = (found, found.entity)
    }
    #expect(coordinator == nil && context == nil && model == nil && company == nil && entity == nil)
  }

  /// Saves objects, and fetches them by predicates that follow relationships in both directions.
  private func fill(_ office: Office) throws {
    let company = office.context.company("Ice")
    company.board = [office.context.person("Ada", age: 4, in: company)]
    try office.context.save()
    office.context.reset()
    #expect(
      try office.context.people("company.name == 'Ice' AND ANY company.employees.age > 3").count
        == 1)
    #expect(
      try office.context.people("SUBQUERY(company.board, $one, $one.company.rank == 1).@count == 1")
        .count == 1)
  }

  /// The way in which related objects leave a context.
  enum Departure: CaseIterable {
    case deletion, deletionElsewhere, rollback, deletionBeforeSave
  }

  @Test(arguments: Departure.allCases)
  func `Orphaned objects do not keep each other alive`(by departure: Departure) throws {
    let office = try Office()
    weak var company: Company?
    weak var person: Person?
    try {
      let one = office.context.company("Ice")
      let other = office.context.person("Ada", in: one)
      other.friends = [other]
      #expect(one.employees == [other] && other.company === one)
      (company, person) = (one, other)
      switch departure {
      case .rollback: office.context.rollback()
      case .deletionBeforeSave:
        office.context.delete(one)
        try office.context.save()
      case .deletion:
        try office.context.save()
        office.context.delete(one)
        try office.context.save()
      case .deletionElsewhere:
        try office.context.save()
        let identifiers = [one.objectID, other.objectID]
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [NSDeletedObjectsKey: identifiers], into: [office.context])
      }
    }()
    office.context.processPendingChanges()
    #expect(company == nil && person == nil)
  }

  @Test func `A released context frees its undo manager and the objects in it`() throws {
    let office = try Office()
    weak var manager: ManagedObjects.UndoManager?
    weak var person: Person?
    try {
      let context = office.looseContext()
      let (undoManager, ada) = (ManagedObjects.UndoManager(), context.person("Ada"))
      context.undoManager = undoManager
      try context.save()
      ada.age = 2
      context.processPendingChanges()
      #expect(undoManager.canUndo)
      (manager, person) = (undoManager, ada)
    }()
    #expect(manager == nil && person == nil)
  }
}
