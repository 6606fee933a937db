import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

/// A clock that a test sets, and a count of a store's statements.
private final class Laboratory: Sendable {
  private let seconds = Mutex(1000.0)
  private let statements = Mutex<[String]>([])

  func pass(_ amount: Double) { seconds.withLock { $0 += amount } }

  func kitchen() throws -> Kitchen {
    var dependencies = StackDependencies.current
    dependencies.now = { [self] in Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }
    var logging = StatementLogging()
    logging.observe = { [self] statement in statements.withLock { $0.append(statement.sql) } }
    return try StackDependencies.$current.withValue(dependencies) {
      try StatementLogging.$current.withValue(logging) { try Kitchen() }
    }
  }

  /// The number of row reads that a body causes.
  func reads(_ body: () throws -> Void) rethrows -> Int {
    statements.withLock { $0 = [] }
    try body()
    return statements.withLock { $0.count { $0.hasPrefix("SELECT") } }
  }
}

/// The staleness interval of rows in memory.
@Suite struct FreshnessTests {
  private let laboratory = Laboratory()
  private let kitchen: Kitchen
  private let firstContext: NSManagedObjectContext
  private let soup: NSManagedObjectID

  /// Another context keeps the row in memory.
  init() throws {
    kitchen = try laboratory.kitchen()
    let context = kitchen.container.newBackgroundContext()
    firstContext = context
    context.retainsRegisteredObjects = true
    soup = try context.performAndWait {
      let cook = NSEntityDescription.insertNewObject(forEntityName: "Cook", into: context)
      cook.setValue("Ada", forKey: "name")
      try context.save()
      return cook.objectID
    }
  }

  private func name(in context: NSManagedObjectContext) -> String? {
    context.object(with: soup).value(forKey: "name") as? String
  }

  /// Expects the name Ada and a number of reads.
  private func expectReads(_ expected: Int, _ name: () -> String?) {
    var found: String?
    let count = laboratory.reads { found = name() }
    #expect(found == "Ada" && count == expected, "\(count) reads")
  }

  @Test func `A row of any age is used by default`() {
    laboratory.pass(1e6)
    kitchen.inContext { context in
      expectReads(0) { name(in: context) }
    }
  }

  @Test func `A row younger than the interval is used, an older one is read again`() {
    kitchen.inContext { context in
      context.stalenessInterval = 60
      laboratory.pass(30)
      expectReads(0) { name(in: context) }
      laboratory.pass(40)
      context.refresh(context.object(with: soup), mergeChanges: false)
      expectReads(1) { name(in: context) }
      laboratory.pass(40)
      kitchen.inContext { second in
        second.stalenessInterval = 60
        expectReads(0) { name(in: second) }
      }
    }
  }

  @Test func `A fault from an earlier fetch is read again`() throws {
    try kitchen.inContext { context in
      context.stalenessInterval = 60
      let cook = try #require(
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cook")).first)
      laboratory.pass(100)
      expectReads(1) { cook.value(forKey: "name") as? String }
    }
  }

  @Test func `With an interval of zero, no cached row is used`() {
    kitchen.inContext { context in
      context.stalenessInterval = 0
      expectReads(1) { name(in: context) }
      context.refresh(context.object(with: soup), mergeChanges: false)
      expectReads(1) { name(in: context) }
    }
  }
}
