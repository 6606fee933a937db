import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

@Suite struct DeletingTests {
  @Test func `Cascades delete everything below, other rules nullify`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let people = (0..<3).map { office.context.person("P\($0)", in: company) }
    let outsider = office.context.person("Out")
    let badge = office.context.insert("Badge")
    people[0].badge = badge
    outsider.friends = [people[1]]
    company.board = [people[1], outsider]
    try office.context.save()

    let context = office.newContext()
    let doomed = try #require(try context.companies().first)
    let friend = try #require(try context.people("name == 'Out'").first)
    context.delete(doomed)
    #expect(context.deletedObjects.count == 1)
    context.processPendingChanges()
    #expect(context.deletedObjects.count == 5)
    #expect(friend.friends.isEmpty && friend.value(forKey: "boardOf") == nil)
    #expect(doomed.hooks.filter { $0 == "prepareForDeletion" }.count == 1)
    let cascaded = context.deletedObjects.compactMap { $0 as? Person }
    #expect(
      cascaded.count == 3 && cascaded.allSatisfy { $0.preparations == 1 }
        && friend.preparations == 0)
    try context.save()
    let after = office.newContext()
    #expect(try after.people().map(\.name) == ["Out"])
    #expect(try after.count(for: NSFetchRequest<NSManagedObject>(entityName: "Badge")) == 0)
    #expect(try after.people().first?.friends.isEmpty == true)
  }

  @Test func `Objects deleted together stay related, and an undo restores that`() throws {
    let office = try Office()
    let people = ["Ada", "Bob", "Cy"].map { office.context.person($0) }
    people[0].friends = [people[1], people[2]]
    try office.context.save()
    office.context.undoManager = ManagedObjects.UndoManager()
    for person in people.prefix(2) { office.context.delete(person) }
    office.context.processPendingChanges()
    #expect(people[0].friends == [people[1]] && people[2].friends.isEmpty)
    office.context.undo()
    #expect(people[0].friends == [people[1], people[2]] && people[2].friends == [people[0]])
  }

  @Test func `Deny keeps objects that are still referenced`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let site = office.context.insert("Site")
    company.sites = [site]
    try office.context.save()
    office.context.delete(site)
    let error = #expect(throws: NSError.self) { try office.context.save() }
    #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
    #expect(site.isDeleted && office.context.hasChanges)
    office.context.delete(company)
    try office.context.save()
    #expect(
      try office.newContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Site")) == 0)
  }

  @Test func `Delete rules may wait for the save`() throws {
    let office = try Office()
    office.context.propagatesDeletesAtEndOfEvent = false
    let company = office.context.company("Ice")
    let person = office.context.person("Ada", in: company)
    try office.context.save()
    office.context.delete(company)
    office.context.processPendingChanges()
    #expect(!person.isDeleted && person.company === company)
    try office.context.save()
    #expect(person.managedObjectContext == nil)
    #expect(try office.newContext().people().isEmpty)
  }

  @Test func `Deleting an object changes the other side of its relationships`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let person = office.context.person("Ada", in: company)
    try office.context.save()
    office.context.reset()
    let found = try #require(try office.context.people().first)
    office.context.delete(found)
    office.context.processPendingChanges()
    let updated = office.context.updatedObjects
    #expect(updated.count == 1 && updated.first?.objectID == company.objectID)
    #expect(person.objectID == found.objectID)
    try office.context.save()
    #expect(try office.context.companies().first?.employees.isEmpty == true)
  }

  @Test func `A deletion can be rolled back before the save`() throws {
    let office = try Office()
    let person = office.context.person("Ada")
    try office.context.save()
    office.context.delete(person)
    office.context.processPendingChanges()
    office.context.rollback()
    person.age = 5
    try office.context.save()
    #expect(try office.newContext().people().first?.age == 5)
  }

  @Test func `A deleted object can be inserted again before the save`() throws {
    let office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    let context = office.context
    let (ada, bob) = (context.person("Ada"), context.person("Bob"))
    let badge = context.insert("Badge")
    ada.badge = badge
    ada.friends = [bob]
    try context.save()
    context.delete(bob)
    context.insert(bob)
    #expect(!bob.isDeleted && bob.friends == [ada])
    context.delete(ada)
    context.processPendingChanges()
    let listener = Listener(context, .NSManagedObjectContextObjectsDidChange)
    context.insert(ada)
    context.processPendingChanges()
    #expect(listener.objects(NSInsertedObjectsKey) == [[ada]])
    // The effects of the delete rules remain.
    #expect(badge.isDeleted && ada.badge == nil && ada.friends.isEmpty)
    #expect(!ada.isDeleted && !ada.isInserted && ada.isUpdated)
    ada.age = 5
    try context.save()
    context.insert(ada)
    #expect(!context.hasChanges)
    let stored = try office.newContext().people()
    #expect(stored.map(\.age) == [5, 0] && stored.allSatisfy { $0.badge == nil })
  }
}
