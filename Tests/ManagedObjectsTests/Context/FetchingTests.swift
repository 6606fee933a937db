import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

@Suite struct FetchingTests {
  private let office: Office
  private var context: NSManagedObjectContext { office.context }

  init() throws {
    office = try Office()
    let company = office.context.company("Ice", rank: 2)
    for (name, age) in [("Ada", 36), ("Bob", 25), ("Cy", 50), ("Di", 25)] {
      _ = office.context.person(name, age: age, in: company)
    }
    let manager = office.context.insert("Manager", as: Person.self)
    manager.name = "Max"
    manager.age = 60
    try office.context.save()
    office.context.reset()
  }

  private func request(_ format: String? = nil, _ arguments: Any...) -> NSFetchRequest<Person> {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return request
  }

  private func names(_ request: NSFetchRequest<Person>) throws -> [String] {
    try context.fetch(request).map { $0.name ?? "" }
  }

  @Test func `A request finds objects of its entity and of subentities`() throws {
    #expect(try names(request()) == ["Ada", "Bob", "Cy", "Di", "Max"])
    let people = try context.fetch(request())
    #expect(people.last?.entity.name == "Manager")
    let own = request()
    own.includesSubentities = false
    #expect(try names(own) == ["Ada", "Bob", "Cy", "Di"])
    #expect(try names(request("age == 25")) == ["Bob", "Di"])
  }

  @Test
  func `A SortDescriptor made from an NSSortDescriptor sorts in memory and in a fetch`()
    throws
  {
    let byAge = NSSortDescriptor(key: "age", ascending: false)
    let made = try #require(SortDescriptor(byAge, comparing: Person.self))
    let byName = try #require(
      SortDescriptor(NSSortDescriptor(key: "name", ascending: true), comparing: Person.self))
    let sorted = try context.fetch(request()).sorted(using: [made, byName])
    #expect(sorted.map(\.name) == ["Max", "Cy", "Ada", "Bob", "Di"])
    let again = request()
    again.sortDescriptors = [NSSortDescriptor(made), NSSortDescriptor(byName)]
    #expect(try names(again) == ["Max", "Cy", "Ada", "Bob", "Di"])
  }

  @Test func `A fetch includes unsaved changes`() throws {
    let people = try context.fetch(request())
    people[0].age = 25
    people[1].age = 26
    context.delete(people[3])
    _ = context.person("Eve", age: 25)
    #expect(try names(request("age == 25")) == ["Ada", "Eve"])
    #expect(try context.count(for: request("age == 25")) == 2)
    #expect(try context.count(for: request()) == 5)
    let saved = request("age == 25")
    saved.includesPendingChanges = false
    #expect(try names(saved) == ["Bob", "Di"])
    #expect(try context.count(for: saved) == 2)
    try context.save()
    #expect(try names(request("age == 25")) == ["Ada", "Eve"])
  }

  @Test func `An attribute of a subentity is nil for unsaved objects of others`() throws {
    let person = context.person("Eve")
    let levels = request("level > 0")
    #expect(try names(levels) == ["Max"])
    #expect(try context.count(for: levels) == 1)
    #expect(try names(request("level == nil")) == ["Ada", "Bob", "Cy", "Di", "Eve"])
    let sorted = request()
    sorted.sortDescriptors = [
      NSSortDescriptor(key: "level", ascending: false),
      NSSortDescriptor(key: "name", ascending: false),
    ]
    #expect(try names(sorted) == ["Max", "Eve", "Di", "Cy", "Bob", "Ada"])
    // Outside of a fetch it is an unknown key.
    #expect(!person.hasValue(forKey: "level"))
    #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(format: "level > 0").evaluated(with: person)
    }
    #expect(throws: (any Error).self) { try names(request("height > 0")) }
  }

  @Test func `Stores are merged in the order of a subentity's attribute`() throws {
    let url = URL(fileURLWithPath: "/tmp/other")
    let store = try office.coordinator.addPersistentStore(type: .inMemory, at: url)
    context.assign(context.person("Eve"), to: store)
    try context.save()
    let sorted = request()
    sorted.sortDescriptors = [
      NSSortDescriptor(key: "level", ascending: false),
      NSSortDescriptor(key: "name", ascending: false),
    ]
    #expect(try names(sorted) == ["Max", "Eve", "Di", "Cy", "Bob", "Ada"])
  }

  @Test func `Unsaved changes affect the order`() throws {
    let people = try context.fetch(request())
    people[0].name = "Zed"
    _ = context.person("Bert")
    #expect(try names(request()) == ["Bert", "Bob", "Cy", "Di", "Max", "Zed"])
    let descending = request()
    descending.sortDescriptors = [
      NSSortDescriptor(key: "age", ascending: false),
      NSSortDescriptor(key: "name", ascending: false),
    ]
    #expect(try names(descending) == ["Max", "Cy", "Zed", "Di", "Bob", "Bert"])
  }

  @Test(arguments: [(0, 0), (1, 0), (2, 1), (3, 3), (10, 2), (0, 4), (2, 9)])
  func `Limit and offset apply to the results with unsaved changes`(_ limit: Int, _ offset: Int)
    throws
  {
    let people = try context.fetch(request())
    context.delete(people[0])
    people[2].name = "Aaron"
    _ = context.person("Abe")
    let all = try names(request())
    #expect(all == ["Aaron", "Abe", "Bob", "Di", "Max"])
    let part = request()
    (part.fetchLimit, part.fetchOffset) = (limit, offset)
    let rest = all.dropFirst(offset)
    let expected = Array(limit > 0 ? rest.prefix(limit) : rest)
    #expect(try names(part) == expected)
    #expect(try context.count(for: part) == expected.count)
    try context.save()
    #expect(try names(part) == expected)
    #expect(try context.count(for: part) == expected.count)
  }

  @Test func `Limit and offset apply if the only unsaved object is a new one`() throws {
    _ = context.person("Abe")
    let all = try names(request())
    let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
    identifiers.resultType = .managedObjectIDResultType
    identifiers.sortDescriptors = request().sortDescriptors
    for (limit, offset) in [(1, 0), (2, 1), (3, 5), (0, 2), (Int.max, 1)] {
      let part = request()
      (part.fetchLimit, part.fetchOffset) = (limit, offset)
      (identifiers.fetchLimit, identifiers.fetchOffset) = (limit, offset)
      let expected = Array(limit > 0 ? all.dropFirst(offset).prefix(limit) : all.dropFirst(offset))
      #expect(try names(part) == expected)
      #expect(try context.fetch(identifiers).count == expected.count)
      #expect(try context.count(for: part) == expected.count)
    }
  }

  @Test func `A fetch returns identifiers, counts and dictionaries`() throws {
    let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
    identifiers.resultType = .managedObjectIDResultType
    identifiers.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let found = try context.fetch(identifiers)
    #expect(found.count == 5)
    #expect(context.object(with: found[0]).value(forKey: "name") as? String == "Ada")
    #expect(found.last?.entity.name == "Manager")
    _ = context.person("Eve")
    #expect(try context.fetch(identifiers).last?.isTemporaryID == false)
    #expect(try context.fetch(identifiers)[4].isTemporaryID)

    let count = NSFetchRequest<NSNumber>(entityName: "Person")
    count.resultType = .countResultType
    #expect(try context.fetch(count) == [6])

    let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Person")
    dictionaries.resultType = .dictionaryResultType
    dictionaries.propertiesToFetch = ["name", "age"]
    dictionaries.predicate = NSPredicate(format: "age > 30")
    dictionaries.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    let rows = try context.fetch(dictionaries)
    #expect(rows.map { $0["name"] as? String } == ["Ada", "Cy", "Max"])
  }

  @Test func `A request of the general result type returns objects`() throws {
    let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
    #expect(try context.fetch(any).count == 5)
    any.resultType = .managedObjectIDResultType
    #expect(try context.fetch(any) is [NSManagedObjectID])
    any.resultType = .dictionaryResultType
    #expect(
      try context.fetch(any).compactMap { ($0 as? NSDictionary)?["name"] as? String }.count == 5)
    any.resultType = .countResultType
    #expect(try context.fetch(any) as? [NSNumber] == [5])
    let plain = NSFetchRequest<NSManagedObject>(entityName: "Person")
    #expect(try context.fetch(plain).allSatisfy { $0 is Person })
  }

  @Test func `Results are faults that awake on first access`() throws {
    let companies = try context.companies()
    #expect(companies[0].isFault && companies[0].hooks.isEmpty)
    #expect(companies[0].name == "Ice")
    #expect(!companies[0].isFault && companies[0].hooks == ["awakeFromFetch"])
    context.reset()
    let request = NSFetchRequest<Company>(entityName: "Company")
    request.returnsObjectsAsFaults = false
    let awake = try context.fetch(request)
    #expect(!awake[0].isFault && awake[0].hooks == ["awakeFromFetch"])
  }

  @Test(arguments: [0, 2])
  func `A fetch does not change values in memory unless it refreshes them`(_ batchSize: Int) throws
  {
    let person = try #require(try context.fetch(request("name == 'Ada'")).first)
    #expect(person.age == 36)
    let other = office.newContext()
    try #require(try other.people("name == 'Ada'").first).age = 99
    try other.save()
    _ = try context.fetch(request())
    #expect(person.age == 36)
    let refreshing = request()
    refreshing.shouldRefreshRefetchedObjects = true
    refreshing.fetchBatchSize = batchSize
    _ = try context.fetch(refreshing)
    #expect(person.age == 99)
  }

  @Test func `Predicates compare with objects of any context and with identifiers`() throws {
    let other = office.newContext()
    let company = try #require(try other.companies().first)
    _ = context.person("Eve", in: try context.companies().first)
    #expect(try names(request("company == %@", company)) == ["Ada", "Bob", "Cy", "Di", "Eve"])
    #expect(
      try names(request("company == %@", company.objectID)) == ["Ada", "Bob", "Cy", "Di", "Eve"])
    let people = try other.people("age == 25")
    #expect(try names(request("SELF IN %@", people)) == ["Bob", "Di"])
    let changed = try #require(try context.fetch(request("name == 'Bob'")).first)
    changed.age = 26
    #expect(try names(request("SELF IN %@", people)) == ["Bob", "Di"])
    #expect(try names(request("NOT SELF IN %@", people)) == ["Ada", "Cy", "Eve", "Max"])
  }

  @Test func `A predicate may fetch in a context`() throws {
    let sqlite = try Office(at: URL(fileURLWithPath: "/dev/null"))
    for (name, age) in [("Ada", 36), ("Bob", 25), ("Cy", 50)] {
      _ = sqlite.context.person(name, age: age)
    }
    try sqlite.context.save()
    for context in [context, sqlite.context] {
      let young = request("age < 40")
      let found = request("NOT SELF IN FETCH(%@, %@, NO) AND age < 60", young, context)
      #expect(try context.fetch(found).map(\.name) == ["Cy"])
      let few = request("FETCH(%@, %@, YES) > 9", young, context)
      #expect(try context.fetch(few).isEmpty)
      let wrong = request("FETCH(%@, %@, YES) > 9", "text", context)
      #expect(throws: (any Error).self) { try context.fetch(wrong) }
    }
  }

  @Test func `A fetched property returns the results of its request for the object`() throws {
    let bob = try #require(try context.fetch(request("name == 'Bob'")).first)
    #expect((bob.value(forKey: "olderPeople") as? [Person])?.map(\.name) == ["Ada", "Cy", "Max"])
  }

  @Test
  func
    `A fetched property's request may use the property's user info, whenever it is set`()
    throws
  {
    let model = CompanyModel().model
    let property = try #require(
      model.entitiesByName["Person"]?.propertiesByName["olderPeople"]
        as? NSFetchedPropertyDescription)
    property.userInfo?["limit"] = 30
    property.fetchRequest?.predicate = NSPredicate(
      format: "age > $FETCHED_PROPERTY.userInfo.limit AND name != $FETCH_SOURCE.name")
    let office = try Office(model: model)
    let people = [("Ada", 36), ("Bob", 25), ("Cy", 50)].map { office.context.person($0, age: $1) }
    #expect((people[0].value(forKey: "olderPeople") as? [Person])?.map(\.name) == ["Cy"])
    property.userInfo?["limit"] = 20
    #expect((people[2].value(forKey: "olderPeople") as? [Person])?.map(\.name) == ["Ada", "Bob"])
  }

  @Test func `A request executes in the context of the running block`() throws {
    let found = try context.performAndWait {
      try NSFetchRequest<Person>(entityName: "Person").execute()
    }
    #expect(found.count == 5)
    #expect(found[0].managedObjectContext === context)
  }

  @Test func `A request of an unknown kind is an error`() throws {
    let error = #expect(throws: NSError.self) { try context.execute(UnknownRequest()) }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
  }

  @Test func `A request for an entity that the model does not have stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Office().context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Unknown"))
    }
    #expect(
      standardError(of: result).contains(
        "must have an entity of the context's model; this one has Unknown."))
  }

  @Test func `A request for another class than the entity's stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let office = try Office()
      _ = office.context.company("Ice")
      _ = try office.context.fetch(NSFetchRequest<Person>(entityName: "Company"))
    }
    #expect(standardError(of: result).contains("A fetch request for Person found Company"))
  }
}

private final class UnknownRequest: NSPersistentStoreRequest {
  override var requestType: NSPersistentStoreRequestType { .saveRequestType }
}
