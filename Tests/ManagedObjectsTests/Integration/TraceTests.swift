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

/// One seed is one story: in every process, whatever the seeds of its hash tables are.
@Suite struct `The trace of a seed` {
  @Test(arguments: [1, 2] as [UInt64])
  func `is the same in two processes`(seed: UInt64) async throws {
    let first = try await Self.traceOfAnotherProcess(seed)
    let second = try await Self.traceOfAnotherProcess(seed)
    #expect(first.contains("saved"))
    #expect(first == second)
  }

  @Test func `differs from that of another seed`() throws {
    #expect(try Simulation(seed: 1).run() != Simulation(seed: 2).run())
  }

  private static func traceOfAnotherProcess(_ seed: UInt64) async throws -> String {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      [seed = seed as UInt64] in
      print(try Simulation(seed: seed).run())
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    return output.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.joined(separator: "\n")
  }
}

/// Three contexts over one store, driven by a seed: who does what, when, under which names and dates.
private final class Simulation: Sendable {
  private let scheduler: SeededScheduler
  private let lines = Mutex<[String]>([])
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) {
    scheduler = SeededScheduler(seed: seed)
    generator = Mutex(SeededGenerator(seed: seed))
  }

  /// Everything that happened, a line for each thing.
  func run() throws -> String {
    var surroundings = Surroundings.real
    surroundings.scheduler = scheduler
    surroundings.now = { Date(timeIntervalSinceReferenceDate: 1_000) }
    surroundings.randomBits = { [self] in generator.withLock { $0.next() } }
    surroundings.makeUUID = { [self] in
      let bits = generator.withLock { $0.next() }
      return UUID(uuidString: String(format: "00000000-0000-4000-8000-%012llX", bits >> 16)) ?? UUID()
    }
    surroundings.processName = "simulation"
    var logging = StatementLogging()
    logging.observe = { [self] statement in note(statement.sql) }
    return try Surroundings.$current.withValue(surroundings) {
      try StatementLogging.$current.withValue(logging) { try play() }
    }
  }

  private func note(_ line: String) { lines.withLock { $0.append("| \(line)") } }

  private func play() throws -> String {
    let office = try Office(
      at: URL(fileURLWithPath: "/dev/null"), options: [NSPersistentHistoryTrackingKey: true as NSNumber],
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
      company.employees = Set((0..<4).map { context.person("\(round).\($0)", age: $0) })
      if let last = people.last, people.count > 3 { context.delete(last) }
      try context.save()
      note(
        "\(context.name ?? "") saved \(company.objectID.uriRepresentation().lastPathComponent), knew \(people.count)")
    } catch {
      note("\(context.name ?? "") failed: \((error as NSError).code)")
    }
  }
}
