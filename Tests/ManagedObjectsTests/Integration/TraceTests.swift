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

/// A seed gives the same trace in every process, whatever the seeds of its hash tables are.
@Suite struct `Traces of seeds` {
  @Test(arguments: [1, 2] as [UInt64])
  func `A trace is the same in two processes`(seed: UInt64) async throws {
    let first = try await Self.traceOfAnotherProcess(seed)
    let second = try await Self.traceOfAnotherProcess(seed)
    #expect(first == second)
    // Everything occurred: both kinds of identifiers, external values, history, and a full disk.
    let parts = [
      " inserted x-coredata:///Company/t", " saved x-coredata://", "INTO ACHANGE", "file move ",
      "file remove ",
    ]
    for part in parts {
      #expect(first.contains(part), "\(part)")
    }
    #expect(first.components(separatedBy: " failed: 640").count == 2)
  }

  @Test func `Traces of two seeds differ`() throws {
    #expect(try Simulation.run(seed: 1) != Simulation.run(seed: 2))
  }

  @Test func `A trace does not depend on identifiers that the process made before`() throws {
    let first = try Simulation.run(seed: 3)
    let office = try Office()
    for number in 0..<5 { _ = office.context.person("\(number)").objectID.uriRepresentation() }
    #expect(try Simulation.run(seed: 3) == first)
  }

  private static func traceOfAnotherProcess(_ seed: UInt64) async throws -> String {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      [seed = seed as UInt64] in
      print(try Simulation.run(seed: seed))
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    return output.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.joined(
      separator: "\n")
  }
}

/// Three contexts on one store in a folder.
///
/// The seed decides their actions, times, names and dates.
///
/// The store has a history and external values. The disk is full once.
private final class Simulation: Sendable {
  private let scheduler: SeededScheduler
  private let lines = Mutex<[String]>([])
  private let generator: Mutex<SeededGenerator>
  private let writes = Mutex(0)
  private let url: URL

  /// The number of the external write that fails.
  private static let fullAtWrite = 6

  /// The trace, with a line for each event.
  static func run(seed: UInt64) throws -> String {
    try withTemporaryDirectory { folder in
      try Simulation(seed: seed, at: folder.appendingPathComponent("Company.sqlite")).run()
    }
  }

  private init(seed: UInt64, at url: URL) {
    self.url = url
    scheduler = SeededScheduler(seed: seed)
    generator = Mutex(SeededGenerator(seed: seed))
  }

  private func run() throws -> String {
    var dependencies = StackDependencies.real
    dependencies.scheduler = scheduler
    dependencies.now = { Date(timeIntervalSinceReferenceDate: 1_000) }
    dependencies.randomBits = { [self] in generator.withLock { $0.next() } }
    dependencies.makeUUID = { [self] in
      let bits = generator.withLock { $0.next() }
      return UUID(uuidString: String(format: "00000000-0000-4000-8000-%012llX", bits >> 16))
        ?? UUID()
    }
    dependencies.processName = "simulation"
    dependencies.files = WatchedFiles { [self] step, url in try noteFile(step, url) }
    var logging = StatementLogging()
    logging.observe = { [self] statement in note(statement.sql) }
    return try StackDependencies.$current.withValue(dependencies) {
      try StatementLogging.$current.withValue(logging) { try play() }
    }
  }

  private func note(_ line: String) { lines.withLock { $0.append("| \(line)") } }

  private func noteFile(_ step: WatchedFiles.Step, _ url: URL) throws {
    // The temporary folder's name is random.
    let name = url.lastPathComponent
    note("file \(step) \(name.hasPrefix("parhelion-") ? "folder" : name)")
    guard step == .write else { return }
    let number = writes.withLock { count in
      count += 1
      return count
    }
    if number == Self.fullAtWrite { throw CocoaError(.fileWriteOutOfSpace) }
  }

  private func play() throws -> String {
    let office = try Office(
      model: Self.model(), at: url, options: [NSPersistentHistoryTrackingKey: true as NSNumber],
      checksQueues: true)
    for number in 0..<3 {
      let context = office.newContext()
      context.name = "context \(number)"
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      for round in 0..<4 { context.perform { [self] in step(context, round) } }
    }
    scheduler.runUntilIdle()
    return lines.withLock { $0 }.joined(separator: "\n")
  }

  /// One block on a context's queue.
  private func step(_ context: NSManagedObjectContext, _ round: Int) {
    do {
      let request = NSFetchRequest<Person>(entityName: "Person")
      request.predicate = NSPredicate(format: "age >= 2")
      let people = try context.fetch(request)
      for person in people.prefix(2) { person.age += 1 }
      let company = context.company("\(context.name ?? "") \(round)")
      company.setValue(Self.photo(round), forKey: "photo")
      company.employees = Set((0..<4).map { context.person("\(round).\($0)", age: $0) })
      note("\(context.name ?? "") inserted \(company.objectID.uriRepresentation())")
      if let last = people.last, people.count > 3 { context.delete(last) }
      if round == 3, let first = try context.companies().first {
        first.setValue(Self.photo(9), forKey: "photo")
      }
      try context.save()
      note(
        "\(context.name ?? "") saved \(company.objectID.uriRepresentation()), knew \(people.count)")
    } catch {
      note("\(context.name ?? "") failed: \((error as NSError).code)")
      context.rollback()
    }
  }

  /// A value large enough to be external.
  private static func photo(_ round: Int) -> Data {
    Data(repeating: UInt8(round), count: SQLiteStore.Limits.externalDataBytes)
  }

  /// Companies with external photos.
  private static func model() -> NSManagedObjectModel {
    let model = CompanyModel().model
    let photo = NSAttributeDescription()
    photo.name = "photo"
    photo.attributeType = .binaryDataAttributeType
    photo.isOptional = true
    photo.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Company"]?.properties.append(photo)
    return model
  }
}
