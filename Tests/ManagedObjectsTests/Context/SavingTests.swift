import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

@Suite struct SavingTests {
  @Test func `A saved object is found by another context`() throws {
    let office = try Office()
    let company = office.context.company("Ice", rank: 7)
    let first = office.context.person("Ada", age: 36, in: company)
    first.setValue(["maths"], forKey: "tags")
    let second = office.context.person("Bob", age: 25, in: company)
    company.board = [second, first]
    first.friends = [second]
    #expect(company.objectID.isTemporaryID)
    #expect(office.context.hasChanges)
    #expect(office.context.insertedObjects == [company, first, second])
    try office.context.save()
    #expect(!company.objectID.isTemporaryID)
    #expect(!office.context.hasChanges)
    #expect(company.hooks == ["awakeFromInsert", "willSave", "didSave"])

    let other = office.newContext()
    let found = try #require(try other.companies().first)
    #expect(found !== company)
    #expect(found.objectID == company.objectID)
    #expect(found.isFault)
    #expect(found.name == "Ice" && found.rank == 7)
    #expect(!found.isFault)
    #expect(found.employees.compactMap(\.name).sorted() == ["Ada", "Bob"])
    #expect(found.board.map(\.name) == ["Bob", "Ada"])
    let ada = try #require(try other.people("name == 'Ada'").first)
    #expect(ada.company === found)
    #expect(ada.friends.map(\.name) == ["Bob"])
    #expect(ada.value(forKey: "tags") as? [String] == ["maths"])
    #expect(ada.age == 36)
  }

  @Test func `A save writes only changes`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let person = office.context.person("Ada")
    try office.context.save()
    person.age = 40
    #expect(office.context.updatedObjects == [person])
    #expect(person.isUpdated && !company.isUpdated)
    company.name = "Ice"
    #expect(company.isUpdated && !company.hasPersistentChangedValues)
    try office.context.save()
    let other = office.newContext()
    let found = try #require(try other.people().first)
    #expect(found.age == 40)
    #expect(office.version(of: person) == 2)
    #expect(office.version(of: company) == 1)
    #expect(!company.hasChanges && !person.hasChanges)
  }

  @Test func `A context without changes does not save`() throws {
    let office = try Office()
    let listener = Listener(office.context, NSManagedObjectContext.willSaveObjectsNotification)
    try office.context.save()
    #expect(listener.notifications.isEmpty)
  }

  @Test func `Changes in willSave are saved with the rest`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    company.beforeSave = { if $0.rank < 3 { $0.rank += 1 } }
    try office.context.save()
    #expect(company.rank == 3)
    #expect(company.hooks.filter { $0 == "willSave" }.count == 3)
    #expect(try office.newContext().companies().first?.rank == 3)
  }

  @Test func `An endless willSave is an error`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    company.beforeSave = { $0.rank += 1 }
    let error = #expect(throws: NSError.self) { try office.context.save() }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.localizedDescription.contains("1000") == true)
    company.beforeSave = nil
    try office.context.save()
    #expect(try office.newContext().companies().count == 1)
  }

  @Test func `All validation errors are reported at once, and nothing is saved`() throws {
    let office = try Office()
    let good = office.context.company("Ice")
    let badges = (0..<2).map { _ in office.context.insert("Badge") }
    for badge in badges { badge.setValue(nil, forKey: "number") }
    let error = #expect(throws: NSError.self) { try office.context.save() }
    #expect(error?.code == NSValidationMultipleErrorsError)
    let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError]
    #expect(
      details?.map(\.code) == [
        NSValidationMissingMandatoryPropertyError, NSValidationMissingMandatoryPropertyError,
      ])
    #expect(details?.first?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === badges[0])
    badges[1].setValue(1, forKey: "number")
    let single = #expect(throws: NSError.self) { try office.context.save() }
    #expect(single?.code == NSValidationMissingMandatoryPropertyError)
    #expect(office.context.insertedObjects.count == 3)
    #expect(good.objectID.isTemporaryID)
    #expect(try office.newContext().companies().isEmpty)
  }

  @Test func `An object inserted and deleted is not saved`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    let person = office.context.person("Ada", in: company)
    office.context.delete(person)
    #expect(person.isDeleted && office.context.deletedObjects.isEmpty)
    try office.context.save()
    #expect(person.managedObjectContext == nil)
    #expect(company.employees.isEmpty)
    #expect(try office.newContext().people().isEmpty)
  }

  @Test func `A saved deletion removes the object from the context`() throws {
    let office = try Office()
    let person = office.context.person("Ada")
    try office.context.save()
    let identifier = person.objectID
    office.context.delete(person)
    #expect(person.isDeleted && office.context.deletedObjects == [person])
    try office.context.save()
    #expect(!person.isDeleted && person.managedObjectContext == nil)
    #expect(office.context.registeredObject(for: identifier) == nil)
    #expect(throws: NSError.self) { try office.context.existingObject(with: identifier) }
    #expect(try office.newContext().people().isEmpty)
  }

  @Test func `Observers are notified of a save with its objects`() throws {
    let office = try Office()
    let kept = office.context.person("Ada")
    let gone = office.context.person("Bob")
    try office.context.save()
    let saves = Listener(office.context, .NSManagedObjectContextDidSave)
    let identifiers = Listener(office.context, .NSManagedObjectContextDidSaveObjectIDs)
    let new = office.context.person("Cy")
    kept.age = 1
    office.context.delete(gone)
    try office.context.save()
    let info = try #require(saves.notifications.first?.userInfo)
    #expect(info[NSInsertedObjectsKey] as? Set<NSManagedObject> == [new])
    #expect(info[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [kept])
    #expect(info[NSDeletedObjectsKey] as? Set<NSManagedObject> == [gone])
    let named = try #require(identifiers.notifications.first?.userInfo)
    #expect(named[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [new.objectID])
    #expect((named[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
  }

  @Test func `Permanent identifiers are assigned before the save`() throws {
    let office = try Office()
    let person = office.context.person("Ada")
    let temporary = person.objectID
    try office.context.obtainPermanentIDs(for: [person])
    #expect(temporary.isTemporaryID && !person.objectID.isTemporaryID)
    #expect(person.isInserted && office.context.insertedObjects == [person])
    #expect(office.context.registeredObject(for: person.objectID) === person)
    #expect(person.friends.isEmpty)
    try office.context.save()
    #expect(try office.newContext().people().first?.objectID == person.objectID)
  }

  @Test func `A save within a save is refused`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    var inner: (any Error)?
    company.beforeSave = { company in
      company.beforeSave = nil
      do { try company.managedObjectContext?.save() } catch { inner = error }
    }
    try office.context.save()
    #expect(inner != nil)
  }

  @Test func `Transient values survive a save and are not shared`() throws {
    let office = try Office()
    let person = office.context.person("Ada")
    person.setValue("Countess", forKey: "nickname")
    try office.context.save()
    #expect(person.value(forKey: "nickname") as? String == "Countess")
    let found = try #require(try office.newContext().people().first)
    #expect(found.value(forKey: "nickname") == nil)
  }

  @Test
  func `Objects go to the stores of their configurations, or to their assigned store`()
    throws
  {
    let model = CompanyModel().model
    model.setEntities(
      model.entities.filter {
        ["Person", "Manager", "Badge", "Company", "Site"].contains($0.name)
      },
      forConfigurationName: "All")
    model.setEntities(model.entities.filter { $0.name == "Site" }, forConfigurationName: "Places")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let all = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "All", at: nil)
    let places = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "Places", at: nil)
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    let (one, two) = (context.insert("Site"), context.insert("Site"))
    one.setValue("a", forKey: "place")
    two.setValue("b", forKey: "place")
    context.assign(two, to: places)
    let person = context.person("Ada")
    try context.save()
    #expect(one.objectID.persistentStore === all)
    #expect(two.objectID.persistentStore === places)
    #expect(person.objectID.persistentStore === all)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Site")
    request.sortDescriptors = [NSSortDescriptor(key: "place", ascending: false)]
    #expect(try context.fetch(request) == [two, one])
    #expect(try context.count(for: request) == 2)
    request.fetchLimit = 1
    #expect(try context.fetch(request) == [two])
    #expect(try context.count(for: request) == 1)
    request.affectedStores = [all]
    #expect(try context.fetch(request) == [one])
  }

  @Test func `A relationship into another store is refused`() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let second = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    let company = context.company("Ice")
    let person = context.person("Ada", in: company)
    context.assign(person, to: second)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectExternalRelationshipError)
  }

  /// Why a save does not keep an object.
  enum Lost: CaseIterable {
    case neverInserted, insertedAndDeleted, deleted, deletedBefore
  }

  private func lost(_ lost: Lost, _ entity: String, in context: NSManagedObjectContext) throws
    -> NSManagedObject
  {
    let description = try #require(NSEntityDescription.entity(forEntityName: entity, in: context))
    let home = lost == .neverInserted ? nil : context
    let object: NSManagedObject =
      entity == "Company"
      ? Company(entity: description, insertInto: home)
      : Person(entity: description, insertInto: home)
    if lost == .neverInserted { return object }
    if lost != .insertedAndDeleted { try context.save() }
    context.delete(object)
    context.processPendingChanges()
    if lost == .deletedBefore { try context.save() }
    return object
  }

  @Test(arguments: Lost.allCases, [false, true])
  func `A reference to an object that the save does not keep is refused`(
    _ kind: Lost, inFile: Bool
  ) throws {
    let office = try Office(at: inFile ? URL(fileURLWithPath: "/dev/null") : nil)
    let context = office.context
    func expectRefusal(_ property: String) {
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectReferentialIntegrityError, "\(property)")
      context.rollback()
    }
    let company = try lost(kind, "Company", in: context)
    context.person("Ada").setValue(company, forKey: "company")
    expectRefusal("company")
    let person = try lost(kind, "Person", in: context)
    context.person("Ada").setValue(Set([person]), forKey: "friends")
    expectRefusal("friends")
    if [.neverInserted, .insertedAndDeleted].contains(kind) {
      let member = try lost(kind, "Person", in: context)
      context.company("Fire").setValue(NSOrderedSet(array: [member]), forKey: "board")
      expectRefusal("board")
    }
    #expect(try office.newContext().people("name == 'Ada'").isEmpty)
    #expect(try office.newContext().companies().allSatisfy { $0.name != "Fire" })
  }

  @Test func `A reference to an object that the parent has deleted is refused`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    try office.context.save()
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = office.context
    let theirs = try #require(try child.companies().first)
    office.context.delete(company)
    office.context.processPendingChanges()
    _ = child.person("Ada", in: theirs)
    try child.save()
    let error = #expect(throws: NSError.self) { try office.context.save() }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(try office.newContext().people().isEmpty)
  }
}

extension Office {
  /// The version of an object's row in the store.
  func version(of object: NSManagedObject) -> Int64? {
    let store = coordinator.openStores[0].rowStore
    guard let layout = store.layouts[object.entity] else { return nil }
    guard let found = try? store.rows(withKeys: [object.objectID.key], layout: layout) else {
      return nil
    }
    // The result retains the rows' memory, but a reference to a row does not.
    return withExtendedLifetime(found) { found.rows.first?.row.version }
  }
}

/// Collects the notifications of one context.
// Sendable: a test and its context run on one thread.
final class Listener: @unchecked Sendable {
  private(set) var notifications: [Notification] = []
  private var token: (any NSObjectProtocol)?

  init(_ context: NSManagedObjectContext, _ name: Notification.Name) {
    token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
      [weak self] in
      nonisolated(unsafe) let notification = $0
      self?.notifications.append(notification)
    }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }

  func objects(_ key: String) -> [Set<NSManagedObject>] {
    notifications.map { $0.userInfo?[key] as? Set<NSManagedObject> ?? [] }
  }
}
