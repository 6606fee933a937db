import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// The check that contexts and objects are used on their queues.
@Suite struct QueueCheckTests {
  private static let name = "com.apple.CoreData.ConcurrencyDebug"

  @Test(
    arguments: [
      (["app"], [:], false), (["app", "-\(name)", "1"], [:], true),
      (["app", "-\(name)", "0"], [name: "1"], false),
      (["app", "-\(name)", "YES"], [name: "0"], true), (["app"], [name: "1"], true),
      (["app"], [name: "0"], false),
      (["app"], [name.replacingOccurrences(of: ".", with: "_"): "1"], true),
      (["app", "-\(name)"], [:], false),
      (["app", "-com.apple.CoreData.ThreadingDebug", "3"], [:], true),
      (["app", "-com.apple.CoreData.ThreadingDebug", "0"], [:], false),
    ] as [([String], [String: String], Bool)])
  func `Queue checks are off unless the launch argument or the environment enables them`(
    _ arguments: [String], _ environment: [String: String], _ isOn: Bool
  ) {
    #expect(
      QueueCheck.isOn(LaunchArguments(arguments: arguments, environment: environment)) == isOn)
  }

  @Test func `Queue checks are on in the tests of this package`() { #expect(QueueCheck.isOn) }

  /// A use of a context or object that must be on its queue.
  enum Misuse: String, CaseIterable, Codable {
    case fetch = "fetch(_:) was called"
    case count = "count(for:) was called"
    case save = "save() was called"
    case insert = "An object was inserted"
    case delete = "delete(_:) was called"
    case object = "object(with:) was called"
    case changes = "hasChanges was read"
    case registered = "registeredObjects was read"
    case reading = "Person.name was read"
    case setting = "Person.name was set"
    case members = "Person.friends was read"
    case execute = "execute(_:) was called"

    func perform(_ context: NSManagedObjectContext, _ person: Person) throws {
      let request = NSFetchRequest<Person>(entityName: "Person")
      switch self {
      case .fetch: _ = try context.fetch(request)
      case .count: _ = try context.count(for: request)
      case .save: try context.save()
      case .insert: _ = NSManagedObject(entity: person.entity, insertInto: context)
      case .delete: context.delete(person)
      case .object: _ = context.object(with: person.objectID)
      case .changes: _ = context.hasChanges
      case .registered: _ = context.registeredObjects
      case .reading: _ = person.name
      case .setting: person.name = "Eve"
      case .members: _ = person.friends
      case .execute: _ = try context.execute(request)
      }
    }
  }

  @Test(arguments: Misuse.allCases)
  func `A use on another queue stops the program with a description`(_ misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse.rawValue as String] in
      let office = try Office(checksQueues: true)
      office.context.name = "import"
      let person = try office.context.performAndWait {
        let person = office.context.person("Ada")
        try office.context.save()
        person.age = 3
        return person
      }
      try Misuse(rawValue: misuse)?.perform(office.context, person)
    }
    let message = standardError(of: result)
    #expect(
      message.contains(
        "\(misuse.rawValue) on the wrong queue. The context “import” and its objects"))
  }

  @Test func `The message names a main-queue context`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let office = try Office(checksQueues: true)
      let context = NSManagedObjectContext(.mainQueueConcurrencyType)
      context.persistentStoreCoordinator = office.coordinator
      try await Task.detached {
        _ = try context.count(for: NSFetchRequest<Person>(entityName: "Person"))
      }.value
    }
    let message = standardError(of: result)
    #expect(message.contains("belong to the main queue"))
  }

  @MainActor @Test func `The main actor may use a main-queue context`() throws {
    let office = try Office(checksQueues: true)
    let context = NSManagedObjectContext(.mainQueueConcurrencyType)
    context.persistentStoreCoordinator = office.coordinator
    let person = context.person("Ada")
    try context.save()
    context.performAndWait { person.age = 3 }
    #expect(person.age == 3 && person.isUpdated)
    context.rollback()
    #expect(try context.people().map(\.age) == [0])
  }

  @Test func `Any queue may set up a context and name and release its objects`() throws {
    let office = try Office(checksQueues: true)
    let context = office.newContext()
    context.undoManager = UndoManager()
    context.mergePolicy = NSMergePolicy.overwrite
    context.retainsRegisteredObjects = true
    context.automaticallyMergesChangesFromParent = true
    let child = NSManagedObjectContext(.privateQueueConcurrencyType)
    child.parent = context
    let person = try context.performAndWait {
      let person = context.person("Ada")
      try context.performAndWait { try context.save() }
      return person
    }
    #expect(!person.objectID.isTemporaryID && person.entity.name == "Person")
    #expect(person.managedObjectContext === context && !person.isDeleted && !person.hasChanges)
    let names = try child.performAndWait { try child.people().map(\.name) }
    #expect(names == ["Ada"])
  }

  @Test func `Blocks of simulated queues are on their queues`() throws {
    var dependencies = StackDependencies.current
    let scheduler = SeededScheduler(seed: 5)
    dependencies.scheduler = scheduler
    let office = try StackDependencies.$current.withValue(dependencies) {
      try Office(checksQueues: true)
    }
    let context = office.context
    nonisolated(unsafe) var count: Int?
    context.perform {
      _ = context.person("Ada")
      count = try? context.people().count
    }
    scheduler.runUntilIdle()
    #expect(unsafe count == 1)
  }
}
