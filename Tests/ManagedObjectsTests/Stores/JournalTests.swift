import Dispatch
import Foundation
import ManagedObjectModel
import ManagedObjects
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

/// Stores without write-ahead logging, in which readers and writers wait for each other.
@Suite struct `A store with a rollback journal` {
  private static let people = 20
  private static let saves = 40

  private static func office(_ url: URL) throws -> Office {
    try Office(
      at: url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]], checksQueues: true)
  }

  @Test func `Readers see whole saves next to a writer, without errors`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Company.sqlite")
      let writer = try Self.office(url)
      try Self.save(0, by: writer.context)
      let isDone = Atomic(false)
      let readings = Atomic(0)
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        do {
          if thread == 0 {
            defer { isDone.store(true, ordering: .relaxed) }
            for number in 1...Self.saves { try Self.save(number, by: writer.context) }
          } else {
            let reader = try Self.office(url)
            repeat {
              let ages = try Self.ages(reader.looseContext())
              if ages.count != 1 { failures.withLock { $0.append("\(ages)") } }
              readings.add(1, ordering: .relaxed)
            } while !isDone.load(ordering: .relaxed)
          }
        } catch {
          failures.withLock { $0.append("\(thread): \(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(readings.load(ordering: .relaxed) >= 2)
      #expect(try Self.ages(Self.office(url).context) == [Self.saves])
      let connection = try Connection(.file(url.path))
      #expect(try connection.get(.journalMode) == .delete)
      #expect(try connection.issues(.full) == [])
    }
  }

  @Test func `A reader fails after its timeout and then reads the rows`()
    throws
  {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Company.sqlite")
      try Self.save(1, by: Self.office(url).context)
      let reader = try Office(
        at: url,
        options: [
          NSSQLitePragmasOption: ["journal_mode": "DELETE"],
          NSPersistentStoreTimeoutOption: 0.05 as NSNumber,
        ],
        checksQueues: true)
      let writer = try Connection(.file(url.path))
      try writer.transaction(.exclusive) {
        try writer.execute("UPDATE ZPERSON SET ZAGE = 2")
        let error = try #require(throws: CocoaError.self) { try Self.ages(reader.context) }
        #expect(error.code == .persistentStoreTimeout)
      }
      #expect(try Self.ages(reader.looseContext()) == [2])
    }
  }

  /// Gives every person an age in one save.
  private static func save(_ age: Int, by context: NSManagedObjectContext) throws {
    try context.performAndWait {
      var people = try context.people()
      if people.isEmpty { people = (0..<Self.people).map { context.person("\($0)") } }
      for person in people { person.age = age }
      try context.save()
    }
  }

  /// The distinct ages.
  private static func ages(_ context: NSManagedObjectContext) throws -> Set<Int> {
    try context.performAndWait { Set(try context.people().map(\.age)) }
  }
}
