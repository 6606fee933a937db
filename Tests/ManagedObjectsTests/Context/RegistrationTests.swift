import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

@Suite(.tags(.threads)) struct RegistrationTests {
  @Test func `A row has one object in a context, however it is reached`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    _ = office.context.person("Ada", in: company)
    try office.context.save()
    let context = office.newContext()
    let fetched = try #require(try context.people().first)
    #expect(try context.people().first === fetched)
    #expect(context.object(with: fetched.objectID) === fetched)
    #expect(context.registeredObject(for: fetched.objectID) === fetched)
    #expect(try context.existingObject(with: fetched.objectID) === fetched)
    #expect(fetched.company?.employees.first === fetched)
  }

  @Test func `Unchanged objects are held weakly, changed ones strongly`() throws {
    let office = try Office()
    weak var weakPerson = office.context.person("Ada")
    let identifier = try #require(weakPerson?.objectID)
    #expect(weakPerson != nil)
    #expect(office.context.registeredObject(for: identifier) != nil)
    try office.context.save()
    #expect(weakPerson == nil)
    #expect(office.context.registeredObjects.isEmpty)
    var person = try office.context.people().first
    weakPerson = person
    person?.age = 5
    person = nil
    #expect(weakPerson?.age == 5)
    try office.context.save()
    #expect(weakPerson == nil)
  }

  @Test func `A context may keep all of its objects`() throws {
    let office = try Office()
    office.context.retainsRegisteredObjects = true
    _ = office.context.person("Ada")
    try office.context.save()
    #expect(office.context.registeredObjects.count == 1)
    let other = office.newContext()
    other.retainsRegisteredObjects = true
    for _ in 0..<3 { _ = try other.people() }
    #expect(other.registeredObjects.count == 1 && other.retainedCount == 1)
    other.retainsRegisteredObjects = false
    #expect(other.registeredObjects.isEmpty)
  }

  @Test func `An object that outlives its context keeps its values and identifier`() throws {
    let office = try Office()
    _ = office.context.person("Ada", in: office.context.company("Ice"))
    try office.context.save()
    var context: NSManagedObjectContext? = office.looseContext()
    weak let weakContext = context
    let person = try #require(try context?.people().first)
    let identifier = person.objectID
    #expect(person.name == "Ada" && person.company?.name == "Ice")
    context = nil
    #expect(weakContext == nil)
    #expect(person.managedObjectContext == nil)
    #expect(person.name == "Ada")
    #expect(person.company == nil)
    #expect(person.objectID == identifier)
  }

  enum ObjectState: CaseIterable {
    case fetched, fetchedWithValues, named, refreshed, batched, changed, deleted,
      refreshedAfterChange
  }

  /// An object whose context is about to be released.
  private func person(
    _ state: ObjectState, _ identifier: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws
    -> Person
  {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.returnsObjectsAsFaults = state != .fetchedWithValues
    request.fetchBatchSize = state == .batched ? 10 : 0
    if state == .named { return try #require(context.object(with: identifier) as? Person) }
    let person = try #require(try context.fetch(request).first)
    switch state {
    case .refreshed: context.refresh(person, mergeChanges: false)
    case .changed: person.age = 7
    case .deleted: context.delete(person)
    case .refreshedAfterChange:
      person.age = 7
      context.refresh(person, mergeChanges: false)
    default: break
    }
    return person
  }

  /// Every combination, except a fault of an unread batch, which stays in a reset context.
  private static let statesAndEnds = ObjectState.allCases.flatMap { [($0, false), ($0, true)] }
    .filter { $0.0 != .batched || !$0.1 }

  @Test(arguments: statesAndEnds)
  func `An object without its context keeps its identifier and has no changes`(
    _ state: ObjectState, byReset: Bool
  )
    throws
  {
    let office = try Office()
    let identifier = try {
      let person = office.context.person("Ada")
      try office.context.save()
      return person.objectID
    }()
    var context: NSManagedObjectContext? = office.looseContext()
    let person = try self.person(state, identifier, in: #require(context))
    if byReset { context?.reset() } else { context = nil }
    #expect(person.managedObjectContext == nil)
    #expect(person.objectID == identifier)
    #expect(!person.hasChanges && !person.isDeleted && !person.isInserted)
    if state == .fetchedWithValues { #expect(person.name == "Ada" && !person.isFault) }
    person.age = 9
    #expect(person.age == 9)
    #expect(try office.newContext().people().first?.age == 0)
  }

  @Test func `Orphaned objects leave nothing when they are released`() throws {
    let office = try Office()
    for number in 0..<3 { _ = office.context.person("P\(number)") }
    try office.context.save()
    let context = office.looseContext()
    var former = try context.people()
    context.reset()
    let present = try context.people()
    #expect(former.count == 3 && Set(former).isDisjoint(with: present))
    former = []
    #expect(context.registeredObjects == Set(present))
    #expect(try context.people() == present)
  }

  @Test func `A context that retains its objects releases those whose deletion was saved`() throws {
    let office = try Office()
    let context = office.looseContext()
    context.retainsRegisteredObjects = true
    weak var gone: Person?
    weak var kept: Person?
    do {
      let (ada, bob) = (context.person("Ada"), context.person("Bob"))
      try context.save()
      (gone, kept) = (ada, bob)
      context.delete(ada)
      try context.save()
    }
    #expect(gone == nil && kept != nil)
  }

  @Test func `A context that retains its objects releases those that are not inserted`() throws {
    let office = try Office()
    let context = office.context
    context.retainsRegisteredObjects = true
    _ = context.person("Ada")
    context.rollback()
    context.delete(context.person("Bob"))
    context.processPendingChanges()
    #expect(context.retainedCount == 0)
  }

  @Test func `An object of a removed store is not registered`() throws {
    let office = try Office()
    let second = try office.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let person = office.context.person("Ada")
    office.context.assign(person, to: second)
    try office.context.save()
    let identifier = person.objectID
    try office.coordinator.remove(second)
    #expect(office.context.registeredObject(for: identifier) == nil)
    #expect(NSManagedObjectContext.onAnyThread().registeredObject(for: identifier) == nil)
  }

  @Test func `A reference cycle of objects is freed with its context`() throws {
    let office = try Office()
    _ = office.context.person("Ada", in: office.context.company("Ice"))
    try office.context.save()
    weak var weakPerson: Person?
    do {
      let context = office.looseContext()
      let person = try #require(try context.people().first)
      #expect(person.company?.employees.contains(person) == true)
      weakPerson = person
    }
    #expect(weakPerson == nil)
  }

  @Test func `Objects may be released on any thread while their context looks them up`() throws {
    let office = try Office()
    for number in 0..<200 { _ = office.context.person("P\(number)") }
    try office.context.save()
    let context = office.newContext()
    for _ in 0..<20 {
      let people = try context.people()
      #expect(people.count == 200)
      nonisolated(unsafe) var first = Array(people.prefix(100))
      nonisolated(unsafe) var second = Array(people.suffix(100))
      DispatchQueue.concurrentPerform(iterations: 2) { half in
        if half == 0 { unsafe first = [] } else { unsafe second = [] }
      }
      #expect(unsafe first.isEmpty && second.isEmpty)
    }
    #expect(context.registeredObjects.isEmpty)
  }

  @Test func `Contexts and objects may be released concurrently`() throws {
    let office = try Office()
    for number in 0..<100 { _ = office.context.person("P\(number)") }
    try office.context.save()
    for _ in 0..<50 {
      nonisolated(unsafe) var context: NSManagedObjectContext? = office.looseContext()
      nonisolated(unsafe) var people = unsafe try context?.people() ?? []
      DispatchQueue.concurrentPerform(iterations: 2) { half in
        if half == 0 { unsafe context = nil } else { unsafe people = [] }
      }
      #expect(unsafe people.isEmpty)
    }
  }

  @Test func `Contexts and objects that release resources may be released concurrently`() throws {
    let office = try Office()
    let company = office.context.company("Ice")
    for number in 0..<400 { _ = office.context.person("P\(number)", in: company) }
    try office.context.save()
    for _ in 0..<50 {
      nonisolated(unsafe) var context: NSManagedObjectContext? = office.looseContext()
      nonisolated(unsafe) var people = unsafe try context?.people() ?? []
      // An object with a loaded relationship is notified of the context's end.
      for person in unsafe people { #expect(person.company != nil) }
      DispatchQueue.concurrentPerform(iterations: 2) { half in
        if half == 0 { unsafe context = nil } else { unsafe people = [] }
      }
      #expect(unsafe people.isEmpty)
    }
  }

  @Test func `Objects may be identified while their context is released`() throws {
    let office = try Office()
    for number in 0..<200 { _ = office.context.person("P\(number)") }
    try office.context.save()
    for _ in 0..<100 {
      nonisolated(unsafe) var context: NSManagedObjectContext? = office.looseContext()
      nonisolated(unsafe) let people = unsafe try context?.people() ?? []
      DispatchQueue.concurrentPerform(iterations: 2) { half in
        if half == 0 {
          unsafe context = nil
        } else {
          for person in unsafe people { #expect(!person.objectID.isTemporaryID) }
        }
      }
      #expect(unsafe people.allSatisfy { $0.managedObjectContext == nil })
    }
  }

  @Test func `A missing object is an error if it must exist`() throws {
    let office = try Office()
    let person = office.context.person("Ada")
    try office.context.save()
    let missing = try #require(
      URL(
        string: person.objectID.uriRepresentation().absoluteString.replacingOccurrences(
          of: "p1", with: "p77")))
    let identifier = try #require(office.coordinator.managedObjectID(forURIRepresentation: missing))
    #expect(office.context.object(with: identifier).isFault)
    let error = #expect(throws: NSError.self) {
      try office.context.existingObject(with: identifier)
    }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
  }

  @Test func `An object without a context can be inserted later`() throws {
    let office = try Office()
    let entity = try #require(
      NSEntityDescription.entity(forEntityName: "Company", in: office.context))
    let company = Company(entity: entity, insertInto: nil)
    company.name = "Ice"
    #expect(company.hooks.isEmpty)
    office.context.insert(company)
    #expect(company.hooks == ["awakeFromInsert"])
    #expect(company.isInserted)
    try office.context.save()
    #expect(try office.newContext().companies().first?.name == "Ice")
  }

  @Test func `The entity of an equal model is accepted`() throws {
    let office = try Office()
    let other = CompanyModel().model
    let entity = try #require(other.entitiesByName["Company"])
    let company = Company(entity: entity, insertInto: office.context)
    company.name = "Ice"
    try office.context.save()
    #expect(try office.newContext().companies().count == 1)
  }

  @Test func `Reset discards everything`() throws {
    let office = try Office()
    let person = office.context.person("Ada")
    try office.context.save()
    person.age = 3
    _ = office.context.person("Bob")
    let listener = Listener(office.context, .NSManagedObjectContextObjectsDidChange)
    office.context.reset()
    #expect(!office.context.hasChanges && office.context.registeredObjects.isEmpty)
    #expect(person.managedObjectContext == nil)
    #expect(
      (listener.notifications.last?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID])?
        .count == 2)
    let again = try #require(try office.context.people().first)
    #expect(again !== person && again.age == 0)
  }

  @Test func `A context that gets another coordinator forgets the former one's objects`() throws {
    let model = CompanyModel().model
    let (office, other) = (try Office(model: model), try Office(model: model))
    let ada = office.context.person("Ada")
    try office.context.save()
    let bob = other.context.person("Bob")
    try other.context.save()
    office.context.persistentStoreCoordinator = other.coordinator
    #expect(ada.managedObjectContext == nil && ada.name == "Ada")
    let found = try office.context.people()
    #expect(found.map(\.objectID) == [bob.objectID] && found.map(\.name) == ["Bob"])
  }

  @Test func `A context without a coordinator accepts no objects`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = NSManagedObjectContext.onAnyThread()
      let entity = CompanyModel().model.entities[0]
      _ = Company(entity: entity, insertInto: context)
    }
    #expect(standardError(of: result).contains("has neither a coordinator nor a parent"))
  }

  @Test func `An object cannot be deleted in another context`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let office = try Office()
      office.newContext().delete(office.context.company("Ice"))
    }
    #expect(
      standardError(of: result).contains(
        "Company belongs to another context, and cannot be deleted in this one."))
  }
}
