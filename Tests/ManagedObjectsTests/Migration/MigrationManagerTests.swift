import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

/// People of a first version, with a hand-written mapping to guests of a second one.
private struct Party {
  let first: NSManagedObjectModel
  let second: NSManagedObjectModel
  let mapping = NSMappingModel()
  let people = NSEntityMapping()

  init() {
    let person = MigrationModels.entity(
      "Person",
      [
        MigrationModels.attribute("name"),
        MigrationModels.attribute("age", .integer16AttributeType),
      ])
    MigrationModels.relate(person, "friends", 0, person, "friendOf", 0)
    first = MigrationModels.model([person])
    let guest = MigrationModels.entity(
      "Guest",
      [
        MigrationModels.attribute("name"),
        MigrationModels.attribute("years", .integer16AttributeType),
      ])
    MigrationModels.relate(guest, "companions", 0, guest, "companionOf", 0)
    second = MigrationModels.model([guest])
    people.name = "PersonToGuest"
    people.mappingType = .transformEntityMappingType
    people.sourceEntityName = "Person"
    people.destinationEntityName = "Guest"
    people.sourceExpression = MappingExpressions.objects(ofEntity: "Person")
    people.attributeMappings = [Self.property("name", "$source.name")]
    people.relationshipMappings = [
      Self.property(
        "companions",
        Self.destinations(in: "PersonToGuest")
      )
    ]
    mapping.entityMappings = [people]
  }

  /// The expression for the destination objects of friends, as Xcode writes it.
  static func destinations(in mapping: String) -> String {
    let selector = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    return "FUNCTION($manager, \"\(selector)\", \"\(mapping)\", $source.friends)"
  }

  static func property(_ name: String, _ expression: String) -> NSPropertyMapping {
    let property = NSPropertyMapping()
    property.name = name
    property.valueExpression = NSExpression(format: expression)
    return property
  }

  /// Migrates people with these names, each a friend of the next, and returns the guests.
  func migrate(
    _ names: [String] = ["Ann", "Bob", "Cleo"], in folder: URL,
    _ configure: (NSMigrationManager) -> Void = { _ in }
  ) throws -> StoreText {
    let (old, new) = Self.files(in: folder)
    try fill(old, names)
    let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
    configure(manager)
    try manager.migrateStore(
      from: old, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: new,
      destinationType: NSSQLiteStoreType)
    return try guests(at: new)
  }

  static func files(in folder: URL) -> (old: URL, new: URL) {
    (folder.appendingPathComponent("old.sqlite"), folder.appendingPathComponent("new.sqlite"))
  }

  func fill(_ url: URL, _ names: [String]) throws {
    let context = try Office(model: first, at: url).context
    let objects = names.enumerated().map { age, name in
      let object = context.insert("Person")
      object.setValue(name, forKey: "name")
      object.setValue(age, forKey: "age")
      return object
    }
    for (object, next) in zip(objects, objects.dropFirst()) {
      object.setValue(NSSet(object: next), forKey: "friends")
    }
    try context.save()
  }

  func guests(at url: URL) throws -> StoreText {
    try StoreText(Office(model: second, at: url).context) {
      $0.value(forKey: "name") as? String ?? ""
    }
  }

  static func line(_ name: String, to: String = "", of: String = "", years: String = "nil")
    -> String
  {
    "Guest companionOf: {\(of)}, companions: {\(to)}, name: \(name), years: \(years)"
  }
}

@Suite struct `A migration manager` {
  private func error(_ party: Party, _ configure: (NSMigrationManager) -> Void = { _ in }) throws
    -> NSError
  {
    try withTemporaryDirectory { folder in
      let error = try #require(
        throws: NSError.self
      ) { _ = try party.migrate(in: folder, configure) }
      let (old, new) = Party.files(in: folder)
      #expect(!FileManager.default.fileExists(atPath: new.path), "the destination was left behind")
      #expect(
        try Office(model: party.first, at: old).context.fetch(
          NSFetchRequest<NSManagedObject>(entityName: "Person")
        ).count == 3)
      return error
    }
  }

  @Test func `Attributes and relationships follow the mapping`() throws {
    let party = Party()
    party.people.attributeMappings?.append(Party.property("years", "$source.age + 20"))
    let text = try withTemporaryDirectory { try party.migrate(in: $0) }
    #expect(
      "\(text)"
        == [
          Party.line("Ann", to: "Bob", years: "20"),
          Party.line("Bob", to: "Cleo", of: "Ann", years: "21"),
          Party.line("Cleo", of: "Bob", years: "22"),
        ].sorted().joined(separator: "\n"))
  }

  @Test func `Only objects that match the source expression are migrated`() throws {
    let party = Party()
    party.people.sourceExpression = MappingExpressions.objects(
      ofEntity: "Person", matching: "age > 0")
    let text = try withTemporaryDirectory { try party.migrate(in: $0) }
    #expect("\(text)" == "\(Party.line("Cleo", of: "Bob"))\n\(Party.line("Bob", to: "Cleo"))")
  }

  @Test func `A policy is called in Apple's order`() throws {
    let party = Party()
    party.people.entityMigrationPolicyClassName = NSStringFromClass(RecordingPolicy.self)
    let addition = NSEntityMapping()
    addition.name = "Added"
    addition.mappingType = .addEntityMappingType
    addition.destinationEntityName = "Guest"
    addition.entityMigrationPolicyClassName = party.people.entityMigrationPolicyClassName
    party.mapping.entityMappings.append(addition)
    let log = PolicyLog()
    _ = try withTemporaryDirectory {
      try party.migrate(["Ann", "Bob"], in: $0) { $0.userInfo = ["log": log] }
    }
    #expect(
      log.calls == [
        "PersonToGuest begin", "PersonToGuest create", "PersonToGuest create",
        "PersonToGuest endInstanceCreation", "Added begin", "Added endInstanceCreation",
        "PersonToGuest relate", "PersonToGuest relate", "PersonToGuest endRelationshipCreation",
        "Added endRelationshipCreation", "PersonToGuest performCustomValidation",
        "PersonToGuest end", "Added performCustomValidation", "Added end",
      ])
  }

  @Test func `A policy can create several objects of one`() throws {
    let party = Party()
    party.people.entityMigrationPolicyClassName = NSStringFromClass(SplittingPolicy.self)
    let text = try withTemporaryDirectory { try party.migrate(["A", "B"], in: $0) }
    #expect(
      "\(text)"
        == [
          Party.line("Aa", to: "Ba Bb"), Party.line("Ab", to: "Ba Bb"),
          Party.line("Ba", of: "Aa Ab"),
          Party.line("Bb", of: "Aa Ab"),
        ].sorted().joined(separator: "\n"))
  }

  @Test func `Expressions call methods of the policy and read user info`() throws {
    let party = Party()
    party.people.entityMigrationPolicyClassName = NSStringFromClass(RecordingPolicy.self)
    party.people.userInfo = ["base": 40]
    party.people.attributeMappings = [
      Party.property("name", #"FUNCTION($entityPolicy, "shout:", $source.name)"#),
      Party.property(
        "years", "$entityMapping.userInfo.base + $manager.userInfo.more + $source.age"),
    ]
    let text = try withTemporaryDirectory {
      try party.migrate(["Ann"], in: $0) { $0.userInfo = ["more": 2] }
    }
    #expect("\(text)" == Party.line("ANN", years: "42"))
  }

  // MARK: Errors

  @Test func `A method that a policy does not perform is an error`() throws {
    let party = Party()
    party.people.attributeMappings = [
      Party.property("name", #"FUNCTION($entityPolicy, "shout:", $source.name)"#)
    ]
    let error = try error(party)
    #expect(error.code == NSEntityMigrationPolicyError)
    #expect(error.localizedDescription.contains("“shout:”"))
    #expect(error.localizedDescription.contains("perform(selectorNamed:with:)"))
  }

  @Test(arguments: ["App.Nowhere", NSStringFromClass(NoPolicy.self)])
  func `A policy that is not found is an error`(name: String) throws {
    let party = Party()
    party.people.entityMigrationPolicyClassName = name
    let error = try error(party)
    #expect(error.code == NSEntityMigrationPolicyError)
    #expect(error.localizedDescription.contains(name))
    #expect(error.localizedDescription.contains("NSStringFromClass"))
  }

  @Test(arguments: [
    ("name", "$source.age", "takes a NSString"), ("none", "$source.name", "no attribute none"),
    ("name", "$source.none", "“none”"), ("name", "$other", "$other"),
  ])
  func `An attribute that cannot be set is an error`(
    name: String, expression: String, words: String
  )
    throws
  {
    let party = Party()
    party.people.attributeMappings = [Party.property(name, expression)]
    let error = try error(party)
    #expect(error.code == NSEntityMigrationPolicyError)
    #expect(error.localizedDescription.contains(words), "\(error.localizedDescription)")
    #expect(error.localizedDescription.contains("PersonToGuest"))
  }

  @Test(arguments: [
    ("companions", "$source.friends", "of the source store"),
    ("none", "$source.friends", "no relationship none"),
    (
      "companions",
      Party.destinations(in: "Other"),
      "no entity mapping Other"
    ),
  ])
  func `A relationship that cannot be set is an error`(
    name: String, expression: String, words: String
  ) throws {
    let party = Party()
    party.people.relationshipMappings = [Party.property(name, expression)]
    let error = try error(party)
    #expect(error.code == NSEntityMigrationPolicyError)
    #expect(error.localizedDescription.contains(words), "\(error.localizedDescription)")
  }

  @Test func `A mapping that does not fit the models is an error`() throws {
    let party = Party()
    party.people.sourceEntityVersionHash = Data(repeating: 1, count: 32)
    let error = try error(party)
    #expect(error.code == NSMigrationError)
    #expect(error.localizedDescription.contains("another version of the source entity Person"))
  }

  @Test func `A missing mapping or source store is an error`() throws {
    let party = Party()
    try withTemporaryDirectory { folder in
      let (old, new) = Party.files(in: folder)
      let manager = NSMigrationManager(sourceModel: party.first, destinationModel: party.second)
      func migrate(_ mapping: NSMappingModel?) throws {
        try manager.migrateStore(
          from: old, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: new,
          destinationType: NSSQLiteStoreType)
      }
      #expect(
        #expect(throws: NSError.self) { try migrate(nil) }?.code
          == NSMigrationMissingMappingModelError)
      #expect(throws: NSError.self) { try migrate(party.mapping) }
      try party.fill(old, ["Ann"])
      try migrate(party.mapping)
      #expect("\(try party.guests(at: new))" == Party.line("Ann"))
    }
  }

  @Test func `A source store of another model is an error`() throws {
    let party = Party()
    try withTemporaryDirectory { folder in
      let (old, new) = Party.files(in: folder)
      _ = try Office(model: MigrationModels.first(), at: old)
      let manager = NSMigrationManager(sourceModel: party.first, destinationModel: party.second)
      let error = #expect(throws: NSError.self) {
        try manager.migrateStore(
          from: old, type: .sqlite, mapping: party.mapping, to: new, type: .sqlite)
      }
      #expect(error?.code == NSMigrationManagerSourceStoreError)
      #expect(
        (error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code
          == NSPersistentStoreIncompatibleVersionHashError)
    }
  }

  @Test func `An inferred mapping does not migrate a store of another version`() throws {
    let (first, second) = (NotesModel.first.model, NotesModel.second.model)
    try withTemporaryDirectory { folder in
      let (old, new) = Party.files(in: folder)
      _ = try Office(model: second, at: old)
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: first, destinationModel: second)
      let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
      let error = #expect(throws: NSError.self) {
        try manager.migrateStore(
          from: old, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
      }
      #expect(error?.code == NSMigrationManagerSourceStoreError)
    }
  }

  @Test func `Objects that break a constraint leave no destination store`() throws {
    let party = Party()
    party.second.entitiesByName["Guest"]?.uniquenessConstraints = [["name"]]
    party.people.attributeMappings = [Party.property("name", "\"same\"")]
    #expect(try error(party).code == NSMigrationConstraintViolationError)
  }

  @Test func `Objects that break a rule of the model leave no destination store`() throws {
    let party = Party()
    party.second.entitiesByName["Guest"]?.attributesByName["name"]?.isOptional = false
    party.people.attributeMappings = []
    #expect(try error(party).code == NSValidationMultipleErrorsError)
  }

  // MARK: Inferred mappings

  /// Migrates notes with an inferred mapping that the program has changed, and returns the titles.
  private func titles(
    _ change: (NSMappingModel) -> Void, _ configure: (NSMigrationManager) -> Void = { _ in }
  ) throws -> [String] {
    try withTemporaryDirectory { folder in
      let (old, new) = Party.files(in: folder)
      let (first, second) = (NotesModel.first.model, NotesModel.second.model)
      let context = try Office(model: first, at: old).context
      context.insert("Note").setValue("a", forKey: "title")
      try context.save()
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: first, destinationModel: second)
      change(mapping)
      let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
      configure(manager)
      try manager.migrateStore(from: old, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
      return try Office(model: second, at: new).context
        .fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
        .map { $0.value(forKey: "title") as? String ?? "" }
    }
  }

  @Test func `A policy of an inferred mapping is called`() throws {
    let log = PolicyLog()
    let titles = try titles(
      { mapping in
        for mapping in mapping.entityMappings {
          mapping.entityMigrationPolicyClassName = NSStringFromClass(RecordingPolicy.self)
        }
      }, { $0.userInfo = ["log": log] })
    #expect(titles == ["a"])
    #expect(log.calls.contains("IEM_Transform_Note create"))
  }

  @Test func `Changes of an inferred mapping are followed`() throws {
    let titles = try titles { mapping in
      let title = mapping.entityMappings.first?.attributeMappings?.first { $0.name == "title" }
      title?.valueExpression = NSExpression(format: #""new""#)
    }
    #expect(titles == ["new"])
    #expect(try self.titles { $0.entityMappings = [] } == [])
  }

  @Test func `A policy may override its initializer`() throws {
    let party = Party()
    party.people.entityMigrationPolicyClassName = NSStringFromClass(CountingPolicy.self)
    let text = try withTemporaryDirectory { try party.migrate(["Ann", "Bob"], in: $0) }
    #expect(
      "\(text)"
        == [Party.line("1 Ann", to: "2 Bob"), Party.line("2 Bob", of: "1 Ann")].sorted()
        .joined(separator: "\n"))
  }

  // MARK: Stores

  @Test func `A failed migration leaves an existing destination as it was`() throws {
    let party = Party()
    try withTemporaryDirectory { folder in
      _ = try party.migrate(["Ann"], in: folder)
      let new = Party.files(in: folder).new
      let other = folder.appendingPathComponent("other.sqlite")
      try party.fill(other, ["Bob"])
      try NSPersistentStoreCoordinator.setMetadata(
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: other)
          .merging(["own": "mine"]) { first, _ in first }, type: .sqlite, at: other)
      func metadata() throws -> NSDictionary {
        NSDictionary(
          dictionary: try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: new))
      }
      let before = try metadata()
      // The save fails, because no name is long enough.
      let strict = Party()
      strict.second.entitiesByName["Guest"]?.attributesByName["name"]?.setValidationPredicates(
        [NSPredicate(format: "length > 10")], withValidationWarnings: ["short"])
      let manager = NSMigrationManager(sourceModel: strict.first, destinationModel: strict.second)
      #expect(throws: CocoaError.self) {
        try manager.migrateStore(
          from: other, type: .sqlite, mapping: strict.mapping, to: new, type: .sqlite)
      }
      #expect(try metadata() == before)
      #expect("\(try party.guests(at: new))" == Party.line("Ann"))
    }
  }

  @Test func `Each class of stores names the class of its managers`() {
    let classes = [NSPersistentStore.self, OwnManagedStore.self].map {
      ObjectIdentifier($0.migrationManagerClass())
    }
    #expect(
      classes == [ObjectIdentifier(NSMigrationManager.self), ObjectIdentifier(OwnManager.self)])
  }

  @Test func `Migrated objects are added to a destination store that exists`() throws {
    let party = Party()
    try withTemporaryDirectory { folder in
      _ = try party.migrate(["Ann"], in: folder)
      let other = folder.appendingPathComponent("other.sqlite")
      try party.fill(other, ["Bob"])
      let manager = NSMigrationManager(sourceModel: party.first, destinationModel: party.second)
      try manager.migrateStore(
        from: other, type: .sqlite, mapping: party.mapping, to: Party.files(in: folder).new,
        type: .sqlite)
      #expect(
        "\(try party.guests(at: Party.files(in: folder).new))"
          == "\(Party.line("Ann"))\n\(Party.line("Bob"))")
    }
  }

  @Test func `The program's metadata is copied, and the store gets another identifier`() throws {
    let party = Party()
    try withTemporaryDirectory { folder in
      let (old, new) = Party.files(in: folder)
      let coordinator = try Office(model: party.first, at: old).coordinator
      let store = coordinator.persistentStores[0]
      coordinator.setMetadata(
        coordinator.metadata(for: store).merging(["own": "mine"]) { first, _ in first }, for: store)
      let uuid = store.identifier
      _ = try party.migrate(in: folder)
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        type: .sqlite, at: new)
      #expect(metadata["own"] as? String == "mine")
      #expect(metadata[NSStoreUUIDKey] as? String != uuid)
      #expect(
        party.second.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }
  }

  @Test func `A store migrates into a SQLite store in memory`() throws {
    let party = Party()
    try withTemporaryDirectory { folder in
      let (old, _) = Party.files(in: folder)
      try party.fill(old, ["Ann"])
      party.people.entityMigrationPolicyClassName = NSStringFromClass(ReadingPolicy.self)
      let log = PolicyLog()
      let manager = NSMigrationManager(sourceModel: party.first, destinationModel: party.second)
      manager.userInfo = ["log": log]
      try manager.migrateStore(
        from: old, type: .sqlite, mapping: party.mapping,
        to: URL(fileURLWithPath: "/dev/null"), type: .sqlite)
      #expect(log.calls == [Party.line("Ann")])
      #expect(manager.migrationProgress == 1)
    }
  }

  // MARK: Progress and cancellation

  @Test func `Progress grows from 0 to 1`() throws {
    let party = Party()
    let fractions = Mutex<[Float]>([])
    _ = try withTemporaryDirectory {
      try party.migrate(in: $0) { manager in
        manager.progressHandler = { fraction in fractions.withLock { $0.append(fraction) } }
      }
    }
    let found = fractions.withLock { $0 }
    #expect(found.count >= 7 && found.last == 1)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `A cancelled migration ends with the given error`() throws {
    struct Reason: Error {}
    let party = Party()
    let steps = Mutex(0)
    let error = try error(party) { manager in
      manager.progressHandler = { _ in
        if steps.withLock({ steps in
          steps += 1
          return steps == 3
        }) {
          manager.cancelMigrationWithError(Reason())
        }
      }
    }
    #expect(error.code == NSMigrationCancelledError)
    #expect(
      error.userInfo[NSUnderlyingErrorKey] as? Reason != nil
        || "\(error.userInfo)".contains("Reason"))
    #expect(steps.withLock { $0 } == 3)
  }

  @Test func `A manager can migrate again after a failure`() throws {
    struct Reason: Error {}
    let party = Party()
    try withTemporaryDirectory { folder in
      let (old, new) = Party.files(in: folder)
      try party.fill(old, ["Ann"])
      let manager = NSMigrationManager(sourceModel: party.first, destinationModel: party.second)
      manager.progressHandler = { _ in manager.cancelMigrationWithError(Reason()) }
      #expect(throws: NSError.self) {
        try manager.migrateStore(
          from: old, type: .sqlite, mapping: party.mapping, to: new, type: .sqlite)
      }
      manager.progressHandler = nil
      try manager.migrateStore(
        from: old, type: .sqlite, mapping: party.mapping, to: new, type: .sqlite)
      #expect("\(try party.guests(at: new))" == Party.line("Ann"))
    }
  }

  @Test func `Contexts outside of a migration stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let model = MigrationModels.first()
      _ = NSMigrationManager(sourceModel: model, destinationModel: model).sourceContext
    }
    #expect(
      standardError(of: result).contains(
        "NSMigrationManager.sourceContext was read while no migration was running."))
  }
}
