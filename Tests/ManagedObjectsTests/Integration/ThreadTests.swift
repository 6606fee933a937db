import Dispatch
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

/// Contexts on several queues that share one coordinator.
///
/// `make test` also runs these tests under the thread sanitizer.
@Suite(.tags(.threads)) struct `Threads sharing one coordinator` {
  private static let threads = 4
  private static let rounds = 12

  @Test func `Many contexts write, read and delete without losing or inventing anything`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Company.sqlite")
      let office = try Office(at: url, checksQueues: true)
      let company = try office.context.performAndWait {
        let company = office.context.company("Acme")
        try office.context.save()
        return company.objectID
      }
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
        do {
          try Self.work(in: office, company, thread)
        } catch {
          failures.withLock { $0.append("\(thread): \(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
      let reader = office.looseContext()
      try reader.performAndWait {
        let people = try reader.fetch(NSFetchRequest<Person>(entityName: "Person"))
        #expect(people.count == Self.threads * Self.rounds / 2)
        #expect(people.allSatisfy { $0.company?.objectID == company })
        #expect(Set(people.compactMap(\.name)).count == people.count)
      }
      #expect(try Connection(.file(url.path), options: .readOnly).issues(.full) == [])
    }
  }

  /// Inserts a person in every round, deletes every second one, and changes the company's rank.
  private static func work(in office: Office, _ company: NSManagedObjectID, _ thread: Int) throws {
    let context = office.looseContext()
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    for round in 0..<rounds {
      try context.performAndWait {
        guard let company = try context.existingObject(with: company) as? Company else { return }
        let person = context.person("\(thread)-\(round)", age: round, in: company)
        company.rank = thread * rounds + round
        try context.save()
        if round.isMultiple(of: 2) {
          context.delete(person)
          try context.save()
        }
        context.refreshAllObjects()
        _ = try context.count(for: NSFetchRequest<Person>(entityName: "Person"))
      }
    }
  }

  @Test func `A reader does not wait for a writer's transaction`() throws {
    try withTemporaryDirectory { folder in
      let (inside, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isHeld = Atomic<Bool>(false)
      var logging = StatementLogging()
      logging.observe = { statement in
        guard statement.sql.hasPrefix("INSERT INTO ZPERSON"),
          isHeld.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent)
            .exchanged
        else { return }
        inside.signal()
        _ = release.waitPatiently()
      }
      let office = try StatementLogging.$current.withValue(logging) {
        try Office(at: folder.appendingPathComponent("Company.sqlite"))
      }
      try office.context.performAndWait {
        _ = office.context.company("Acme")
        try office.context.save()
      }
      let writer = office.looseContext()
      let saved = DispatchSemaphore(value: 0)
      writer.perform {
        _ = writer.person("Ada")
        try? writer.save()
        saved.signal()
      }
      #expect(inside.waitPatiently())
      // The writer is in the middle of its transaction until the reader is done.
      let names = try office.looseContext().names(of: "Company")
      #expect(names == ["Acme"])
      #expect(try office.looseContext().names(of: "Person") == [])
      release.signal()
      #expect(saved.waitPatiently())
      #expect(try office.looseContext().names(of: "Person") == ["Ada"])
    }
  }
}

extension NSManagedObjectContext {
  /// The names of all objects of an entity, in order.
  fileprivate func names(of entity: String) throws -> [String] {
    try performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      return try fetch(request).compactMap { $0.value(forKey: "name") as? String }
    }
  }
}
