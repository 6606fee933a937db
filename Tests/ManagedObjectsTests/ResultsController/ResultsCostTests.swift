import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

/// A table of people with a controller, and the statements of its store.
private final class LongTable {
  let office: Office
  let controller: NSFetchedResultsController<Person>
  let delegate = Reports()
  var context: NSManagedObjectContext { office.context }

  /// A delegate that records the kinds of changes.
  final class Reports: NSObject, NSFetchedResultsControllerDelegate {
    var log: [String] = []

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { log.append("\(type)") }
  }

  private final class Observer: Sendable {
    let statements = Mutex<[String]>([])
  }

  private let observer = Observer()

  init(_ count: Int, batchSize: Int) throws {
    var logging = StatementLogging()
    logging.observe = { [observer] statement in
      observer.statements.withLock { $0.append(statement.sql) }
    }
    office = try StatementLogging.$current.withValue(logging) {
      try Office(at: URL(fileURLWithPath: "/dev/null"))
    }
    for number in 0..<count {
      let person = office.context.person("P\(number)")
      person.age = number % 100
    }
    try office.context.save()
    office.context.reset()
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.fetchBatchSize = batchSize
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: office.context, sectionNameKeyPath: nil,
      cacheName: nil)
    controller.delegate = delegate
    try controller.performFetch()
    // The first change shows which methods the delegate has.
    _ = office.context.person("A")
    office.context.processPendingChanges()
    delegate.log = []
  }

  /// The number of statements of a body.
  func statements(_ body: () throws -> Void) rethrows -> Int {
    observer.statements.withLock { $0 = [] }
    try body()
    return observer.statements.withLock { $0.count }
  }

  /// The number of objects that are loaded.
  var loadedCount: Int {
    (controller.fetchedObjects ?? []).count { !$0.isFault }
  }

  func person(_ number: Int) -> Person { controller.object(at: [0, number]) }
}

@Suite struct ResultsCostTests {
  /// The cost of changes of a table: statements, and objects that are loaded.
  private func costs(_ count: Int, batchSize: Int) throws -> [[Int]] {
    let table = try LongTable(count, batchSize: batchSize)
    let middle = table.person(count / 2)
    middle.age = 101
    var costs: [[Int]] = []
    func measure(_ body: () throws -> Void) rethrows {
      let loaded = table.loadedCount
      let statements = try table.statements(body)
      costs.append([statements, table.loadedCount - loaded])
    }
    measure { table.context.processPendingChanges() }
    middle.name = "\(middle.name ?? "")0"
    measure { table.context.processPendingChanges() }
    try table.context.save()
    let merged = table.person(count / 3)
    let other = table.office.newContext()
    (other.object(with: merged.objectID) as? Person)?.age = 102
    try other.save()
    measure {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectIDsKey: [merged.objectID]], into: [table.context])
    }
    #expect(table.delegate.log == ["update", "update", "update"])
    return costs
  }

  @Test(arguments: [0, 20])
  func `A change costs as much in a long table as in a short one`(_ batchSize: Int) throws {
    let short = try costs(1000, batchSize: batchSize)
    let long = try costs(20_000, batchSize: batchSize)
    for (one, other) in zip(short, long) {
      #expect(one[0] == other[0] && other[0] <= 3, "\(short) \(long)")
      #expect(abs(one[1] - other[1]) <= 40, "\(short) \(long)")
    }
    if batchSize == 0 { #expect(long[0][0] == 0, "\(long)") }
  }

  @Test func `Refreshing everything reads the rows together`() throws {
    let table = try LongTable(2000, batchSize: 0)
    for number in 0..<2000 { _ = table.person(number).name }
    let statements = table.statements {
      table.context.refreshAllObjects()
      table.context.processPendingChanges()
    }
    #expect(statements <= 40)
    // The first person is unsaved, so it is not refreshed.
    #expect(table.delegate.log.count == 1999)
  }
}
