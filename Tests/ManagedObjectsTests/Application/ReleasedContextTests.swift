import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// Objects that are retained after their context released them.
@Suite struct ReleasedContextTests {
  /// The way in which a context releases its objects.
  enum End: CaseIterable {
    case reset, deinitialisation
  }

  /// A person who works for a company, and one whose company was not loaded, after the context's
  /// end.
  private func orphans(_ end: End) throws -> (ada: Person, bob: Person) {
    let office = try Office()
    try office.context.performAndWait {
      let company = office.context.company("Ice")
      _ = (
        office.context.person("Ada", age: 36, in: company),
        office.context.person("Bob", in: company)
      )
      try office.context.save()
    }
    let context = office.looseContext()
    return try context.performAndWait {
      let request = NSFetchRequest<Person>(entityName: "Person")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let people = try context.fetch(request)
      #expect(people[0].name == "Ada" && people[0].company?.employees.count == 2)
      context.refresh(people[1], mergeChanges: false)
      if end == .reset { context.reset() }
      return (people[0], people[1])
    }
  }

  @Test(arguments: End.allCases)
  func `Orphaned objects keep identifiers and values, and their relationships are empty`(_ end: End)
    throws
  {
    let (ada, bob) = try orphans(end)
    #expect(ada.managedObjectContext == nil && !ada.objectID.isTemporaryID)
    #expect(ada.name == "Ada" && ada.age == 36)
    #expect(ada.company == nil && ada.friends.isEmpty)
    #expect(bob.isFault && bob.name == nil && bob.isFault)
    #expect(!ada.hasChanges && !ada.isDeleted)
  }

  @Test(arguments: End.allCases)
  func `Changes of orphaned objects have no effect`(_ end: End) throws {
    let (ada, bob) = try orphans(end)
    ada.name = "Lady Ada"
    bob.age = 3
    #expect(ada.name == "Lady Ada" && bob.age == 3)
    #expect(ada.managedObjectContext == nil && !ada.hasChanges)
  }
}
