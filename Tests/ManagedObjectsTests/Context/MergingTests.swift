import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Two coordinators on one file, one of which receives the identifiers of the other's changes.
@Suite(.tags(.threads)) struct RemoteRowTests {
  @Test func `Rows in memory that changed elsewhere are not used for a merge`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Company.sqlite")
      let (mine, theirs) = (try Office(at: url), try Office(at: url))
      let ada = mine.context.person("Ada", age: 1)
      try mine.context.save()
      ada.age = 2
      let other = try #require(try theirs.context.people().first)
      other.name = "Lady Ada"
      try theirs.context.save()
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectIDsKey: [ada.objectID]], into: [mine.context])
      #expect(ada.name == "Lady Ada" && ada.age == 2)
      try mine.context.save()
    }
  }
}

@Suite(.tags(.threads)) struct MergingTests {
  private let office: Office
  private let other: NSManagedObjectContext

  init() throws {
    office = try Office()
    other = office.newContext()
    let company = office.context.company("Ice")
    for name in ["Ada", "Bob"] { _ = office.context.person(name, age: 1, in: company) }
    try office.context.save()
    office.context.reset()
  }

  @Test func `A context merges another's save from its notification`() throws {
    let people = try office.context.people()
    let company = try #require(people[0].company)
    #expect(people.map(\.age) == [1, 1] && company.employees.count == 2)
    let saves = Listener(other, .NSManagedObjectContextDidSave)
    let theirs = try other.people()
    theirs[0].age = 5
    _ = other.person("Cy", in: theirs[0].company)
    other.delete(theirs[1])
    try other.save()
    let changes = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    let merges = Listener(office.context, .NSManagedObjectContextDidMergeChangesObjectIDs)
    office.context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(people[0].age == 5)
    #expect(people[1].managedObjectContext == nil)
    #expect(company.employees.compactMap(\.name).sorted() == ["Ada", "Cy"])
    #expect(!office.context.hasChanges)
    #expect(changes.notifications.count == 1)
    #expect(changes.objects(NSInsertedObjectsKey).first?.count == 1)
    #expect(changes.objects(NSDeletedObjectsKey) == [[people[1]]])
    #expect(changes.objects(NSRefreshedObjectsKey).first?.contains(people[0]) == true)
    let merged = try #require(merges.notifications.first?.userInfo)
    #expect((merged[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
    #expect((merged[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
  }

  @Test func `A context keeps its own changes when it merges`() throws {
    let person = try #require(try office.context.people().first)
    person.name = "Mine"
    let saves = Listener(other, .NSManagedObjectContextDidSaveObjectIDs)
    try #require(try other.people().first).age = 5
    try other.save()
    office.context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(person.name == "Mine" && person.age == 5)
    try office.context.save()
    #expect(try office.newContext().people("name == 'Mine'").first?.age == 5)
  }

  @Test func `Contexts merge saves automatically on request`() async throws {
    let context = office.context
    context.automaticallyMergesChangesFromParent = true
    let person = try #require(try context.people().first)
    #expect(person.age == 1)
    try #require(try other.people().first).age = 5
    try other.save()
    await context.perform {}
    #expect(person.age == 5)
    context.automaticallyMergesChangesFromParent = false
    try #require(try other.people().first).age = 6
    try other.save()
    await context.perform {}
    #expect(person.age == 5)
  }

  @Test func `Children merge the saves of their parents`() async throws {
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = office.context
    child.automaticallyMergesChangesFromParent = true
    let same = try #require(try child.people().first)
    #expect(same.age == 1)
    try #require(try office.context.people().first).age = 8
    try office.context.save()
    await child.perform {}
    #expect(same.age == 8)
  }

  @Test
  func `Changes of another context are merged by identifiers and URIs`()
    throws
  {
    let people = try office.context.people()
    #expect(people.map(\.age) == [1, 1])
    try #require(try other.people().first).age = 9
    try other.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [people[0].objectID.uriRepresentation()]],
      into: [office.context])
    #expect(people[0].age == 9)
    other.delete(other.object(with: people[1].objectID))
    try other.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [people[1].objectID]], into: [office.context])
    #expect(people[1].managedObjectContext == nil)
  }

  @Test func `A merge removes deleted objects from loaded relationships`()
    throws
  {
    let people = try office.context.people()
    let company = try #require(people[0].company)
    company.board = people
    people[0].friends = Set(people)
    try office.context.save()
    #expect(company.employees.count == 2)
    let new = office.context.company("Fire")
    new.board = people
    other.delete(other.object(with: people[1].objectID))
    try other.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [people[1].objectID]], into: [office.context])
    #expect(company.employees == [people[0]] && people[0].friends == [people[0]])
    #expect(company.board.isEmpty && new.board == [people[0]])
    office.context.refresh(company, mergeChanges: true)
    office.context.refresh(people[0], mergeChanges: true)
    try office.context.save()
    #expect(try office.newContext().companies().map { $0.board.map(\.name) } == [["Ada"], []])
  }

  @Test func `A relationship to an object that another context deleted becomes nil`() throws {
    let people = try office.context.people()
    let fire = other.company("Fire")
    try other.save()
    let person = people[0]
    person.company = try #require(office.context.object(with: fire.objectID) as? Company)
    other.delete(fire)
    try other.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [fire.objectID]], into: [office.context])
    #expect(person.company == nil && person.isUpdated)
    try office.context.save()
    #expect(try office.newContext().people("company == nil").map(\.name) == ["Ada"])
  }

  @Test
  func `Faults get newer values silently, other objects are reported as refreshed`()
    throws
  {
    let people = try office.context.people()
    #expect(people[0].age == 1 && people[1].isFault)
    let changes = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    let merges = Listener(office.context, .NSManagedObjectContextDidMergeChangesObjectIDs)
    for (person, age) in zip(try other.people(), [5, 6]) { person.age = age }
    let saves = Listener(other, .NSManagedObjectContextDidSave)
    try other.save()
    office.context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(changes.objects(NSRefreshedObjectsKey) == [[people[0]]])
    let named =
      merges.notifications.first?.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID>
    #expect(named == Set(people.map(\.objectID)))
    #expect(people.map(\.age) == [5, 6])
  }

  @Test(arguments: [false, true])
  func `A save and its merge do not visit all objects`(_ isFault: Bool) throws {
    let context = office.context
    context.automaticallyMergesChangesFromParent = true
    let (person, company) = try context.performAndWait {
      let people = try context.people()
      let company = try #require(people[0].company)
      #expect(company.employees.count == 2)
      if isFault { context.refresh(people[1], mergeChanges: false) }
      return (people[1], company)
    }
    let counts = (context.walkCount, other.walkCount)
    try other.performAndWait {
      other.delete(other.object(with: person.objectID))
      _ = other.person("Cy", in: other.object(with: company.objectID) as? Company)
      try other.save()
    }
    try context.performAndWait {
      #expect(person.managedObjectContext == nil)
      #expect(company.employees.compactMap(\.name).sorted() == ["Ada", "Cy"])
      _ = context.person("Di", in: company)
      try context.save()
    }
    #expect(context.walkCount == counts.0 && other.walkCount == counts.1)
  }

  @Test(arguments: [false, true])
  func `Merged deletions visit all objects only if a relationship has one in memory`(
    _ isRelated: Bool
  ) throws {
    let context = office.context
    let people = try context.people()
    let company = try isRelated ? context.companies().first : nil
    let members = company?.employees.count
    let gone = people[1].objectID
    other.delete(other.object(with: gone))
    try other.save()
    let count = context.walkCount
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectIDsKey: [gone]], into: [context])
    #expect(context.walkCount - count == (isRelated ? 1 : 0))
    #expect(people[1].managedObjectContext == nil)
    #expect(company?.employees.count == members.map { $0 - 1 })
  }

  /// Notes with tags, and each with a picture that has no inverse.
  private static func noteModel() -> NSManagedObjectModel {
    let (note, tag, picture) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
    for (entity, name) in [(note, "Note"), (tag, "Tag"), (picture, "Picture")] {
      entity.name = name
    }
    func relationship(_ name: String, to entity: NSEntityDescription, maximum: Int)
      -> NSRelationshipDescription
    {
      let relationship = NSRelationshipDescription()
      (relationship.name, relationship.destinationEntity, relationship.maxCount) = (
        name, entity, maximum
      )
      (relationship.isOptional, relationship.deleteRule) = (true, .nullifyDeleteRule)
      return relationship
    }
    let tags = relationship("tags", to: tag, maximum: 0)
    let notes = relationship("notes", to: note, maximum: 0)
    (tags.inverseRelationship, notes.inverseRelationship) = (notes, tags)
    note.properties = [tags, relationship("picture", to: picture, maximum: 1)]
    tag.properties = [notes]
    let model = NSManagedObjectModel()
    model.entities = [note, tag, picture]
    return model
  }

  @Test(arguments: [("tags", false), ("picture", true)])
  func `Only one-way relationships make a merge visit all objects`(
    _ name: String, _ walks: Bool
  ) throws {
    let office = try Office(model: Self.noteModel())
    let (context, other) = (office.context, office.newContext())
    context.automaticallyMergesChangesFromParent = true
    let (note, gone) = try context.performAndWait {
      let objects = ["Note", "Tag", "Picture"].map {
        NSEntityDescription.insertNewObject(forEntityName: $0, into: context)
      }
      objects[0].setValue(Set([objects[1]]), forKey: "tags")
      objects[0].setValue(objects[2], forKey: "picture")
      try context.save()
      return (objects[0], name == "tags" ? objects[1] : objects[2])
    }
    let count = context.walkCount
    try other.performAndWait {
      other.delete(other.object(with: gone.objectID))
      try other.save()
    }
    context.performAndWait {
      #expect(gone.managedObjectContext == nil)
      #expect((note.value(forKey: "tags") as? Set<NSManagedObject>)?.count == (walks ? 1 : 0))
      // The row still has the key, since it did not change. It refers to a fault and not to the
      // deleted object.
      #expect(note.value(forKey: "picture") as? NSManagedObject !== gone)
    }
    #expect((context.walkCount > count) == walks)
  }

  @Test func `A merged deletion leaves relationships that were set here`() throws {
    let context = office.context
    context.automaticallyMergesChangesFromParent = true
    let fire = other.company("Fire")
    try other.save()
    let person = try context.performAndWait {
      let person = try #require(try context.people().first)
      person.company = try #require(context.object(with: fire.objectID) as? Company)
      context.processPendingChanges()
      return person
    }
    try other.performAndWait {
      other.delete(fire)
      try other.save()
    }
    context.performAndWait { #expect(person.company == nil && person.isUpdated) }
  }

  @Test func `An object that moved here and elsewhere has one owner`() throws {
    for name in ["Fire", "Wind"] { _ = other.company(name) }
    try other.save()
    let (context, third) = (office.context, office.newContext())
    let (companies, person) = (try context.companies(), try #require(try context.people().first))
    person.company = companies[0]
    let saves = Listener(other, .NSManagedObjectContextDidSave)
    try #require(try other.people().first).company = try other.companies().last
    try other.save()
    let wind = try #require(try third.companies().last)
    #expect(wind.employees.count == 1)
    context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(companies.map(\.employees.count) == [1, 1, 0] && companies[0].employees == [person])
    let second = Listener(context, .NSManagedObjectContextDidSave)
    try context.save()
    #expect(companies.map(\.employees.count) == [1, 1, 0])
    third.mergeChanges(fromContextDidSave: try #require(second.notifications.first))
    #expect(wind.employees.isEmpty)
    #expect(try office.newContext().companies().map(\.employees.count) == [1, 1, 0])
  }

  @Test func `A policy that keeps a move takes the object from its other owner`() throws {
    for name in ["Fire", "Wind"] { _ = other.company(name) }
    try other.save()
    let (context, third) = (office.context, office.newContext())
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let (companies, person) = (try context.companies(), try #require(try context.people().first))
    #expect(companies.map(\.employees.count).last == 0)
    person.company = companies[0]
    let saves = Listener(other, .NSManagedObjectContextDidSave)
    try #require(try other.people().first).company = try other.companies().last
    try other.save()
    let wind = try #require(try third.companies().last)
    #expect(wind.employees.count == 1)
    let second = Listener(context, .NSManagedObjectContextDidSave)
    try context.save()
    for notification in [saves.notifications.first, second.notifications.first] {
      third.mergeChanges(fromContextDidSave: try #require(notification))
    }
    #expect(wind.employees.isEmpty)
  }

  @Test func `A deletion of another coordinator is not merged, even after its save`() throws {
    let theirs = try Office()
    let gone = theirs.context.person("Ada")
    try theirs.context.save()
    let mine = try office.context.people()
    let saves = Listener(theirs.context, .NSManagedObjectContextDidSave)
    theirs.context.delete(gone)
    try theirs.context.save()
    office.context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(mine.count == 2 && mine.allSatisfy { $0.managedObjectContext === office.context })
  }
}
