import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Asynchronous fetches whose steps the test runs one by one.
///
/// The steps are: the plan on the context's queue, the read, the report of its progress on the
/// context's queue, and the results.
@Suite struct `Asynchronous fetches` {
  private let scheduler = SeededScheduler(seed: 1)
  private let office: Office
  private let context: NSManagedObjectContext

  init() throws {
    office = try StackDependencies.$current.withValue(Self.dependencies(scheduler)) {
      try Office(at: URL(fileURLWithPath: "/dev/null"))
    }
    context = office.context
    for number in 0..<1_000 { _ = context.person("P\(number)", age: number) }
    try context.save()
    context.reset()
  }

  private static func dependencies(_ scheduler: SeededScheduler) -> StackDependencies {
    var dependencies = StackDependencies.real
    dependencies.scheduler = scheduler
    return dependencies
  }

  private func people(_ format: String? = nil) -> NSFetchRequest<Person> {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    return request
  }

  private final class Calls {
    var count = 0
  }

  private func begin<T>(
    _ request: NSFetchRequest<T>, in context: NSManagedObjectContext? = nil, estimate: Int = 0,
    calls: Calls = Calls()
  ) throws -> NSAsynchronousFetchResult<T> {
    let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { _ in calls.count += 1 }
    asynchronous.estimatedResultCount = estimate
    let context = context ?? self.context
    return try #require(
      context.performAndWait { try context.execute(asynchronous) }
        as? NSAsynchronousFetchResult<T>)
  }

  private func run(steps: Int) { for _ in 0..<steps { scheduler.runOnce() } }

  // MARK: Progress

  @Test func `Units are counted during the read, and change on the context's queue`() throws {
    let result = try begin(people(), estimate: 2_000)
    let progress = try #require(result.progress)
    #expect(result.managedObjectContext === context && result.finalResult == nil)
    run(steps: 2)
    #expect(progress.completedUnitCount == 0 && progress.totalUnitCount == 2_000)
    run(steps: 1)
    #expect((256..<1_000).contains(progress.completedUnitCount) && !progress.isFinished)
    scheduler.runUntilIdle()
    #expect(progress.completedUnitCount == 1_000 && progress.totalUnitCount == 1_000)
    #expect(progress.isFinished && result.finalResult?.count == 1_000)
  }

  @Test(arguments: [0, 100])
  func `Progress is indeterminate without an estimate, and beyond it`(estimate: Int)
    throws
  {
    let result = try begin(people(), estimate: estimate)
    let progress = try #require(result.progress)
    #expect(progress.isIndeterminate == (estimate == 0))
    run(steps: 3)
    #expect(progress.isIndeterminate && progress.completedUnitCount >= 256)
    scheduler.runUntilIdle()
    #expect(progress.isFinished && progress.totalUnitCount == 1_000)
  }

  @Test(arguments: ["age >= 0", "age < 0"])
  func `The progress is a child of the thread's current one`(format: String) throws {
    let parent = Progress(totalUnitCount: 10)
    parent.becomeCurrent(withPendingUnitCount: 4)
    let result = try begin(people(format), estimate: 2_000)
    parent.resignCurrent()
    #expect(parent.completedUnitCount == 0)
    scheduler.runUntilIdle()
    #expect(result.finalResult != nil && parent.completedUnitCount == 4)
  }

  @Test func `A cancelled parent cancels the fetch`() throws {
    let parent = Progress(totalUnitCount: 1)
    parent.becomeCurrent(withPendingUnitCount: 1)
    let result = try begin(people())
    parent.resignCurrent()
    run(steps: 1)
    parent.cancel()
    scheduler.runUntilIdle()
    #expect((result.operationError as NSError?)?.code == NSUserCancelledError)
  }

  // MARK: Cancelling

  @Test(arguments: 0..<4)
  func `A cancelled fetch has no results and a Cocoa error`(step: Int) throws {
    let calls = Calls()
    let result = try begin(people(), calls: calls)
    run(steps: step)
    result.cancel()
    scheduler.runUntilIdle()
    let error = result.operationError as NSError?
    #expect(error?.code == NSUserCancelledError && error?.domain == NSCocoaErrorDomain)
    #expect(result.finalResult == nil && calls.count == 1 && result.progress?.isCancelled == true)
  }

  @Test func `Cancelling a finished fetch has no effect`() throws {
    let result = try begin(people("age < 3"))
    scheduler.runUntilIdle()
    result.cancel()
    #expect(result.finalResult?.count == 3 && result.operationError == nil)
  }

  /// Stops a read at the first results.
  private final class Stopper: ReadMonitor {
    let count = Atomic(0)
    let limit: Int
    init(limit: Int) { self.limit = limit }
    var isReadCancelled: Bool { count.load(ordering: .relaxed) >= limit }
    func add(_ count: Int) { self.count.add(count, ordering: .relaxed) }
  }

  @Test func `A store stops a cancelled read of any kind`() throws {
    for office in [office, try Office()] {
      if office !== self.office {
        for number in 0..<1_000 { _ = office.context.person("P\(number)", age: number) }
        try office.context.save()
      }
      let open = try #require(office.coordinator.openStores.first)
      let layout = try #require(open.rowStore.layouts[named: "Person"])
      var fetch = RowFetch(layout: layout, specification: people("age >= 0").specification)
      let counter = Stopper(limit: .max)
      fetch.monitor = counter
      #expect(try open.fetchRows(fetch).rows.count == 1_000)
      #expect(counter.count.load(ordering: .relaxed) > 500)
      let stopper = Stopper(limit: 0)
      fetch.monitor = stopper
      #expect(throws: (any Error).self) { try open.fetchRows(fetch) }
      #expect(throws: (any Error).self) { try open.fetchKeys(fetch) }
      #expect(throws: (any Error).self) { try open.count(fetch) }
      #expect(throws: (any Error).self) { try open.fetchDictionaries(fetch) }
      #expect(stopper.count.load(ordering: .relaxed) < 1_000)
      fetch.monitor = nil
      #expect(try open.fetchRows(fetch).rows.count == 1_000)
    }
  }

  @Test func `A closure of a predicate runs on the context's queue, and may cancel the fetch`()
    throws
  {
    let office = try StackDependencies.$current.withValue(Self.dependencies(scheduler)) {
      try Office()
    }
    for number in 0..<10 { _ = office.context.person("P\(number)") }
    try office.context.save()
    let request = people()
    let calls = Calls()
    var result: NSAsynchronousFetchResult<Person>?
    request.predicate = NSPredicate { object, _ in
      calls.count += 1
      #expect((object as? Person)?.managedObjectContext === office.context)
      if calls.count == 3 { result?.cancel() }
      return true
    }
    result = try begin(request, in: office.context)
    scheduler.runUntilIdle()
    #expect(calls.count == 3 && result?.finalResult == nil)
    #expect((result?.operationError as NSError?)?.code == NSUserCancelledError)
  }

  // MARK: Results

  @Test func `The results are those of an ordinary fetch`() throws {
    for storeCount in 1...2 {
      if storeCount == 2 {
        let store = try office.coordinator.addPersistentStore(
          ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let other = office.newContext()
        for number in 0..<5 { other.assign(other.person("Q\(number)", age: number), to: store) }
        try other.save()
      }
      for change in 0..<2 {
        if change == 1 {
          _ = context.person("New", age: 2)
          context.delete(try #require(try context.fetch(people("age == 3")).first))
        }
        try expectEqualResults()
        context.rollback()
      }
    }
  }

  private func expectEqualResults() throws {
    for variant in 0..<6 {
      let request = people("age < 9")
      switch variant {
      case 1: (request.fetchOffset, request.fetchLimit) = (1, 4)
      case 2: request.fetchBatchSize = 2
      case 3: request.includesPropertyValues = false
      case 4: request.returnsObjectsAsFaults = false
      case 5: request.includesPendingChanges = false
      default: break
      }
      let result = try begin(request)
      scheduler.runUntilIdle()
      #expect(try result.finalResult == context.fetch(request))
      let counts = NSFetchRequest<NSNumber>(entityName: "Person")
      counts.specification = request.specification
      counts.resultType = .countResultType
      let count = try begin(counts)
      scheduler.runUntilIdle()
      #expect(try count.finalResult == context.fetch(counts))
      let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
      identifiers.specification = request.specification
      identifiers.resultType = .managedObjectIDResultType
      let found = try begin(identifiers)
      scheduler.runUntilIdle()
      #expect(try found.finalResult == context.fetch(identifiers))
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Person")
      dictionaries.specification = request.specification
      dictionaries.resultType = .dictionaryResultType
      let read = try begin(dictionaries)
      scheduler.runUntilIdle()
      #expect(try read.finalResult == context.fetch(dictionaries))
    }
  }

  @Test func `Unsaved changes at the end of the read are included`() throws {
    let result = try begin(people("age < 5"))
    run(steps: 2)
    _ = context.person("New", age: 2)
    scheduler.runUntilIdle()
    #expect(result.finalResult?.map(\.name) == ["P0", "P1", "P2", "New", "P3", "P4"])
  }

  @Test func `A child context reads its parent`() throws {
    let child = office.looseContext()
    child.persistentStoreCoordinator = nil
    child.parent = context
    let result = try begin(people("age < 2"), in: child)
    run(steps: 1)
    _ = context.person("New", age: 0)
    scheduler.runUntilIdle()
    #expect(result.finalResult?.count == 3 && result.finalResult?[0].managedObjectContext === child)
  }

  @Test func `Later fetches return the objects that the parent saved during a read`() throws {
    let child = office.looseContext()
    child.persistentStoreCoordinator = nil
    child.parent = context
    _ = context.person("New", age: 0)
    let result = try begin(people("age < 1"), in: child)
    run(steps: 2)
    try context.save()
    scheduler.runUntilIdle()
    let found = try child.fetch(people("age < 1"))
    #expect(found.count == 2 && Set(result.finalResult ?? []) == Set(found))
  }

  @Test func `A failed fetch reports its error`() throws {
    let calls = Calls()
    let result = try begin(people("nonsense == 1"), calls: calls)
    scheduler.runUntilIdle()
    #expect(result.operationError?.localizedDescription.contains("nonsense") == true)
    #expect(result.finalResult == nil && calls.count == 1)
  }

  // MARK: Changes during the read

  @Test func `A save during the read is in the results`() throws {
    let result = try begin(people("age < 3"))
    run(steps: 2)
    context.delete(try #require(try context.fetch(people("age == 1")).first))
    _ = context.person("New", age: 2)
    try context.save()
    context.reset()
    scheduler.runUntilIdle()
    #expect(Set(result.finalResult?.compactMap(\.name) ?? []) == ["P0", "P2", "New"])
  }

  @Test func `A merge during the read is in the results`() throws {
    let other = office.newContext()
    let result = try begin(people("age < 3"))
    run(steps: 2)
    let deleted = try #require(try other.fetch(people("age == 1")).first)
    other.delete(deleted)
    let saved = Notification(
      name: .NSManagedObjectContextDidSave, object: other,
      userInfo: [NSDeletedObjectsKey: [deleted] as Set<NSManagedObject>])
    try other.save()
    context.mergeChanges(fromContextDidSave: saved)
    scheduler.runUntilIdle()
    #expect(result.finalResult?.map(\.name) == ["P0", "P2"])
  }

  @Test func `A refresh during the read gets the newest values`() throws {
    let person = try #require(try context.fetch(people("age == 1")).first)
    let other = office.newContext()
    let result = try begin(people("name BEGINSWITH 'P'"))
    run(steps: 2)
    try #require(try other.fetch(people("age == 1")).first).age = 2_000
    try other.save()
    context.refresh(person, mergeChanges: false)
    scheduler.runUntilIdle()
    #expect(result.finalResult?.count == 1_000 && person.age == 2_000)
  }

  @Test func `A context that saves all the time gets its results nevertheless`() throws {
    let result = try begin(people("age < 3"))
    for _ in 0..<20 where result.finalResult == nil {
      _ = context.person("New", age: 1)
      try context.save()
      scheduler.runOnce()
    }
    #expect((result.finalResult?.count ?? 0) > 3)
  }

  @Test func `A pinned context reads its generation`() throws {
    try withTemporaryDirectory { folder in
      let office = try StackDependencies.$current.withValue(Self.dependencies(scheduler)) {
        try Office(at: folder.appendingPathComponent("Office.sqlite"))
      }
      _ = office.context.person("P0")
      try office.context.save()
      let other = office.newContext()
      try office.context.setQueryGenerationFrom(.current)
      #expect(try office.context.count(for: people()) == 1)
      _ = other.person("P1")
      try other.save()
      let result = try begin(people(), in: office.context)
      scheduler.runUntilIdle()
      #expect(result.finalResult?.count == 1)
    }
  }
}

@Suite struct `Asynchronous fetches on threads` {
  /// Delays the end of a statement until a context's queue has run a block.
  private final class Gate: Sendable {
    let isArmed = Atomic(false)
    let wasFree = Atomic(false)
    let reached = DispatchSemaphore(value: 0)
    let opened = DispatchSemaphore(value: 0)

    var logging: StatementLogging {
      var logging = StatementLogging()
      logging.observe = { [self] statement in
        guard isArmed.load(ordering: .relaxed), statement.sql.hasPrefix("SELECT") else { return }
        isArmed.store(false, ordering: .relaxed)
        reached.signal()
        wasFree.store(opened.waitPatiently(), ordering: .relaxed)
      }
      return logging
    }
  }

  @Test func `The context's queue is free while the store is read`() async throws {
    let gate = Gate()
    let office = try StatementLogging.$current.withValue(gate.logging) {
      try Office(at: URL(fileURLWithPath: "/dev/null"))
    }
    let context = office.context
    for number in 0..<5 { _ = context.person("P\(number)") }
    try context.save()
    gate.isArmed.store(true, ordering: .relaxed)
    let count = await withCheckedContinuation { continuation in
      let request = NSAsynchronousFetchRequest(
        fetchRequest: NSFetchRequest<Person>(entityName: "Person")
      ) { continuation.resume(returning: $0.finalResult?.count) }
      _ = try? context.performAndWait { try context.execute(request) }
      _ = gate.reached.waitPatiently()
      context.performAndWait { _ = gate.opened.signal() }
    }
    #expect(count == 5 && gate.wasFree.load(ordering: .relaxed))
  }
}
