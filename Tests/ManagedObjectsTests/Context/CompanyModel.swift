import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage

/// A model with every kind of relationship and delete rule: companies and people.
struct CompanyModel {
  let model = NSManagedObjectModel()

  init() {
    let company = Self.entity("Company", Company.self)
    let person = Self.entity("Person", Person.self)
    let manager = Self.entity("Manager", Person.self)
    let badge = Self.entity("Badge", nil)
    let site = Self.entity("Site", nil)
    let employees = Self.relationship("employees", to: person, many: true, .cascadeDeleteRule)
    let employer = Self.relationship("company", to: company, many: false)
    let board = Self.relationship("board", to: person, many: true, isOrdered: true)
    let boardOf = Self.relationship("boardOf", to: company, many: false)
    let sites = Self.relationship("sites", to: site, many: true)
    let companies = Self.relationship("companies", to: company, many: true, .denyDeleteRule)
    let badgeOf = Self.relationship("person", to: person, many: false)
    let personBadge = Self.relationship("badge", to: badge, many: false, .cascadeDeleteRule)
    let friends = Self.relationship("friends", to: person, many: true)
    for (one, other) in [
      (employees, employer), (board, boardOf), (sites, companies), (badgeOf, personBadge),
      (friends, friends),
    ] {
      one.inverseRelationship = other
      other.inverseRelationship = one
    }
    company.properties = [
      Self.attribute("name", .stringAttributeType),
      Self.attribute("rank", .integer32AttributeType, default: 1),
      employees, board, sites,
    ]
    company.uniquenessConstraints = [["name"]]
    person.properties = [
      Self.attribute("name", .stringAttributeType),
      Self.attribute("age", .integer16AttributeType, default: 0),
      Self.attribute("nickname", .stringAttributeType, isTransient: true),
      Self.attribute("tags", .transformableAttributeType), employer, boardOf, personBadge, friends,
      Self.colleagues,
    ]
    manager.properties = [Self.attribute("level", .integer16AttributeType, default: 1)]
    person.subentities = [manager]
    badge.properties = [
      Self.attribute("number", .integer64AttributeType, default: 0, isOptional: false), badgeOf,
    ]
    site.properties = [Self.attribute("place", .stringAttributeType), companies]
    model.entities = [company, person, manager, badge, site]
  }

  private static var colleagues: NSFetchedPropertyDescription {
    let property = NSFetchedPropertyDescription()
    property.name = "olderPeople"
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
    request.predicate = NSPredicate(format: "age > $FETCH_SOURCE.age")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    property.fetchRequest = request
    return property
  }

  private static func entity(_ name: String, _ managedObjectClass: NSManagedObject.Type?)
    -> NSEntityDescription
  {
    let entity = NSEntityDescription()
    entity.name = name
    if let managedObjectClass {
      entity.managedObjectClassName = NSStringFromClass(managedObjectClass)
    }
    return entity
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, default value: Any? = nil, isTransient: Bool = false,
    isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.defaultValue = value
    attribute.isTransient = isTransient
    attribute.isOptional = isOptional
    return attribute
  }

  private static func relationship(
    _ name: String, to destination: NSEntityDescription, many: Bool,
    _ rule: NSDeleteRule = .nullifyDeleteRule,
    isOrdered: Bool = false
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = many ? 0 : 1
    relationship.deleteRule = rule
    relationship.isOrdered = isOrdered
    return relationship
  }
}

/// A class that records its life-cycle calls.
final class Company: NSManagedObject {
  var hooks: [String] = []
  /// A closure that each `willSave()` calls.
  var beforeSave: ((Company) -> Void)?

  override func awakeFromInsert() { hooks.append("awakeFromInsert") }
  override func awakeFromFetch() { hooks.append("awakeFromFetch") }
  override func prepareForDeletion() { hooks.append("prepareForDeletion") }
  override func didSave() { hooks.append("didSave") }
  override func willTurnIntoFault() { hooks.append("willTurnIntoFault") }

  override func willSave() {
    hooks.append("willSave")
    beforeSave?(self)
  }

  var name: String? {
    get { value(forKey: "name") as? String }
    set { setValue(newValue, forKey: "name") }
  }

  var rank: Int {
    get { (value(forKey: "rank") as? NSNumber)?.intValue ?? 0 }
    set { setValue(NSNumber(value: newValue), forKey: "rank") }
  }

  var employees: Set<Person> {
    get {
      Set(((value(forKey: "employees") as? NSSet)?.allObjects ?? []).compactMap { $0 as? Person })
    }
    set { setValue(newValue, forKey: "employees") }
  }

  var board: [Person] {
    get { (value(forKey: "board") as? NSOrderedSet)?.array.compactMap { $0 as? Person } ?? [] }
    set { setValue(NSOrderedSet(array: newValue), forKey: "board") }
  }

  var sites: [NSManagedObject] {
    get {
      ((value(forKey: "sites") as? NSSet)?.allObjects ?? []).compactMap { $0 as? NSManagedObject }
    }
    set { setValue(NSSet(array: newValue), forKey: "sites") }
  }
}

final class Person: NSManagedObject {
  /// The number of `prepareForDeletion()` calls.
  private(set) var preparations = 0

  override func prepareForDeletion() { preparations += 1 }

  var name: String? {
    get { value(forKey: "name") as? String }
    set { setValue(newValue, forKey: "name") }
  }

  var age: Int {
    get { (value(forKey: "age") as? NSNumber)?.intValue ?? 0 }
    set { setValue(NSNumber(value: newValue), forKey: "age") }
  }

  var company: Company? {
    get { value(forKey: "company") as? Company }
    set { setValue(newValue, forKey: "company") }
  }

  var friends: Set<Person> {
    get {
      Set(((value(forKey: "friends") as? NSSet)?.allObjects ?? []).compactMap { $0 as? Person })
    }
    set { setValue(newValue, forKey: "friends") }
  }

  var badge: NSManagedObject? {
    get { value(forKey: "badge") as? NSManagedObject }
    set { setValue(newValue, forKey: "badge") }
  }
}

/// Makes contexts that any thread may use without their queues, one thread at a time.
func onAnyThread<Result>(_ body: () throws -> Result) rethrows -> Result {
  var dependencies = StackDependencies.current
  dependencies.checksQueues = false
  return try StackDependencies.$current.withValue(dependencies, operation: body)
}

/// A coordinator with one store, and contexts on it that live as long.
// Sendable: tests share it between threads only if its contexts allow that.
final class Office: @unchecked Sendable {
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext
  private let dependencies: StackDependencies
  private var contexts: [NSManagedObjectContext] = []

  /// Creates a stack with one store.
  ///
  /// - Parameters:
  ///   - url: The file of a SQLite store, or nil for a store in memory.
  ///   - checksQueues: Whether contexts stop the program when they are used outside their queues.
  ///     Most tests run on one thread and use contexts with private queues directly.
  init(
    model: NSManagedObjectModel = CompanyModel().model, at url: URL? = nil,
    options: [AnyHashable: Any]? = nil,
    checksQueues: Bool = false
  ) throws {
    var dependencies = StackDependencies.current
    dependencies.checksQueues = checksQueues
    self.dependencies = dependencies
    coordinator = StackDependencies.$current.withValue(dependencies) {
      NSPersistentStoreCoordinator(managedObjectModel: model)
    }
    try coordinator.addPersistentStore(
      ofType: url == nil ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil, at: url,
      options: options)
    context = StackDependencies.$current.withValue(dependencies) {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
    context.persistentStoreCoordinator = coordinator
  }

  func newContext() -> NSManagedObjectContext {
    let context = looseContext()
    contexts.append(context)
    return context
  }

  /// A context that the office does not retain.
  func looseContext() -> NSManagedObjectContext {
    let context = StackDependencies.$current.withValue(dependencies) {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
    context.persistentStoreCoordinator = coordinator
    return context
  }
}

extension NSManagedObjectContext {
  /// A context that any thread may use without its queue, one thread at a time.
  static func onAnyThread() -> NSManagedObjectContext {
    ManagedObjectsTests.onAnyThread {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
  }

  func company(_ name: String, rank: Int = 1) -> Company {
    let company = insert("Company", as: Company.self)
    company.name = name
    company.rank = rank
    return company
  }

  func person(_ name: String, age: Int = 0, in company: Company? = nil) -> Person {
    let person = insert("Person", as: Person.self)
    person.name = name
    person.age = age
    if let company { person.company = company }
    return person
  }

  func insert<T: NSManagedObject>(_ entity: String, as type: T.Type = NSManagedObject.self) -> T {
    guard let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self) as? T
    else {
      preconditionFailure("\(entity) is not a \(T.self).")
    }
    return object
  }

  func people(_ format: String? = nil, _ arguments: Any...) throws -> [Person] {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try fetch(request)
  }

  func companies() throws -> [Company] {
    let request = NSFetchRequest<Company>(entityName: "Company")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try fetch(request)
  }
}
