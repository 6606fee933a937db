import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.threads)) struct PerformingTests {
  @Test func `Blocks return results and throw errors`() async throws {
    let office = try Office(checksQueues: true)
    let context = office.context
    let count = try await context.perform {
      _ = context.person("Ada")
      try context.save()
      return try context.count(for: NSFetchRequest<Person>(entityName: "Person"))
    }
    #expect(count == 1)
    #expect(context.performAndWait { context.performAndWait { 3 } } == 3)
    await #expect(throws: CocoaError.self) {
      try await context.perform { throw CocoaError(.featureUnsupported) }
    }
    #expect(throws: CocoaError.self) {
      try context.performAndWait { throw CocoaError(.featureUnsupported) }
    }
    let later = await context.perform(schedule: .enqueued) { 4 }
    #expect(later == 4)
  }

  /// A program's wrapper with a block that is not Sendable.
  private func inContext<T>(
    _ context: NSManagedObjectContext, _ body: @escaping (NSManagedObjectContext) throws -> T
  ) async throws -> T {
    try await context.perform { try body(context) }
  }

  @Test func `Blocks need not be Sendable`() async throws {
    let office = try Office(checksQueues: true)
    final class Box {
      var names: [String] = []
    }
    let box = Box()
    try await inContext(office.context) { box.names.append($0.person("Ada").name ?? "") }
    try await inContext(office.context) { box.names.append($0.person("Bob").name ?? "") }
    #expect(box.names == ["Ada", "Bob"])
  }

  @MainActor @Test func `A block that the main actor awaits runs on the context's queue`()
    async throws
  {
    let office = try Office(checksQueues: true)
    let context = office.context
    let isOnMainThread = await context.perform {
      _ = context.person("Ada")
      return Thread.isMainThread
    }
    #expect(!isOnMainThread)
  }

  @Test func `A main-queue context works on the main queue`() async throws {
    let office = try Office(checksQueues: true)
    let context = NSManagedObjectContext(.mainQueueConcurrencyType)
    context.persistentStoreCoordinator = office.coordinator
    #expect(context.concurrencyType == .mainQueueConcurrencyType)
    let name = try await context.perform {
      let person = context.person("Ada")
      try context.save()
      return person.name
    }
    #expect(name == "Ada")
  }

  @Test func `Contexts on several queues share one store`() async throws {
    let office = try Office(checksQueues: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        let context = office.newContext()
        group.addTask {
          for number in 0..<25 {
            try await context.perform {
              _ = context.person("W\(worker)-\(number)")
              try context.save()
              _ = try context.people("name BEGINSWITH 'W\(worker)'").map(\.name)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let reader = office.newContext()
    let count = try reader.performAndWait { try reader.people().count }
    #expect(count == 100)
  }

  @Test func `An actor may do its work on a context's queue`() async throws {
    actor Importer {
      let context: NSManagedObjectContext
      init(_ context: NSManagedObjectContext) { self.context = context }
      nonisolated var unownedExecutor: UnownedSerialExecutor {
        context.executor.asUnownedSerialExecutor()
      }
      func run() throws -> Int {
        _ = context.person("Ada")
        return try context.performAndWait { try context.people().count }
      }
    }
    let office = try Office(checksQueues: true)
    #expect(try await Importer(office.context).run() == 1)
  }

  @Test func `Observers of a block's changes may execute requests`() async throws {
    let context = try Office(checksQueues: true).context
    let counts = Mutex<[Int]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { _ in
      let found = try? NSFetchRequest<Person>(entityName: "Person").execute().count
      counts.withLock { $0.append(found ?? -1) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    await context.perform { _ = context.person("Ada") }
    func enqueue() { context.perform { _ = context.person("Bob") } }
    enqueue()
    context.performAndWait {}
    #expect(counts.withLock { $0 } == [1, 2])
  }
}
