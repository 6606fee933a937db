import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// The SQL log of a whole program.
@Suite struct `Statement logs of a program` {
  private static func work() throws {
    let entity = NSEntityDescription()
    entity.name = "Note"
    let text = NSAttributeDescription()
    (text.name, text.attributeType) = ("text", .stringAttributeType)
    entity.properties = [text]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws in
      NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue(
        "hello", forKey: "text")
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(format: "text == 'hello'")
      _ = try context.fetch(request)
    }
  }

  private func log(_ content: [UInt8]?) -> [Substring] {
    String(decoding: content ?? [], as: UTF8.self).split(separator: "\n").filter {
      $0.hasPrefix("CoreData: ")
    }
  }

  @Test func `Without a level the log is empty`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      unsetenv("com_apple_CoreData_SQLDebug")
      try Self.work()
    }
    #expect(log(result?.standardErrorContent) == [])
  }

  @Test func `Level 1 logs statements and times`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("com_apple_CoreData_SQLDebug", "1", 1)
      try Self.work()
    }
    let log = log(result?.standardErrorContent)
    #expect(log.contains { $0.hasPrefix("CoreData: sql: INSERT INTO ZNOTE") })
    #expect(
      log.contains {
        $0.hasPrefix("CoreData: sql: SELECT t0.Z_ENT") && $0.hasSuffix("WHERE t0.ZTEXT = ?")
      })
    #expect(log.contains { $0.hasPrefix("CoreData: annotation: total fetch execution time: ") })
    #expect(!log.contains { $0.contains("hello") || $0.contains("QUERY PLAN") })
  }

  @Test func `Level 2 logs values, level 3 rows, and level 4 query plans`() async throws {
    let values = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("com_apple_CoreData_SQLDebug", "2", 1)
      try Self.work()
    }
    let rows = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("com_apple_CoreData_SQLDebug", "3", 1)
      try Self.work()
    }
    let plans = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("com_apple_CoreData_SQLDebug", "4", 1)
      try Self.work()
    }
    #expect(log(values?.standardErrorContent).contains { $0.hasSuffix("WHERE t0.ZTEXT = 'hello'") })
    #expect(!log(values?.standardErrorContent).contains { $0.contains("details: row:") })
    #expect(
      log(rows?.standardErrorContent).contains {
        $0.hasPrefix("CoreData: details: row: (") && $0.contains("'hello'")
      })
    #expect(!log(rows?.standardErrorContent).contains { $0.contains("QUERY PLAN") })
    #expect(
      log(plans?.standardErrorContent).contains {
        $0.hasPrefix("CoreData: details: SQLite: EXPLAIN QUERY PLAN")
      })
    #expect(log(plans?.standardErrorContent).contains { $0.contains("SCAN t0") })
  }

  // MARK: Statistics and other arguments

  private func stack(
    at url: URL, counting: Bool = true, _ body: (NSPersistentStoreCoordinator) throws -> Void
  ) throws {
    let description = NSPersistentStoreDescription(url: url)
    description.collectsStatementStatistics = counting
    #expect(description.collectsStatementStatistics == counting)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: description.options)
    try body(coordinator)
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  private func fetchTags(_ coordinator: NSPersistentStoreCoordinator) throws {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    _ = try context.performAndWait { () throws in
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).count
    }
  }

  @Test func `A coordinator counts the statements of stores that ask for it`() throws {
    let memory = URL(fileURLWithPath: "/dev/null")
    try stack(at: memory) { (coordinator) throws in
      coordinator.resetStatementStatistics()
      for _ in 0..<3 { try fetchTags(coordinator) }
      let tags = coordinator.statementStatistics.filter { $0.sql.contains("FROM ZTAG") }
      #expect(tags.map(\.executionCount) == [3] && tags.map(\.rowCount) == [0])
      coordinator.resetStatementStatistics()
      #expect(coordinator.statementStatistics == [])
    }
    try stack(at: memory, counting: false) { (coordinator) throws in
      try fetchTags(coordinator)
      #expect(coordinator.statementStatistics == [])
    }
  }

  @Test func `Statistics of a coordinator with a pinned context include its reads`() throws {
    try withTemporaryDirectory { (folder) throws in
      try stack(at: folder.appendingPathComponent("a.sqlite")) { (coordinator) throws in
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.setQueryGenerationFrom(.current)
        coordinator.resetStatementStatistics()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        _ = try context.performAndWait { () throws in try context.fetch(request).count }
        #expect(coordinator.statementStatistics.contains { $0.sql.contains("FROM ZTAG") })
      }
    }
  }

  /// Opens a store under launch arguments.
  private func open(
    _ url: URL, _ debugging: StoreDebugging,
    _ body: (NSPersistentStoreCoordinator) throws -> Void = { _ in }
  ) throws {
    try StoreDebugging.$current.withValue(debugging) { () throws in try stack(at: url, body) }
  }

  private var checking: StoreDebugging {
    StoreDebugging(
      LaunchArguments(
        arguments: ["-com.apple.CoreData.SQLiteIntegrityCheck", "1"], environment: [:]))
  }

  @Test func `A damaged store is refused if the argument asks for the check`() throws {
    try withTemporaryDirectory { (folder) throws in
      let url = folder.appendingPathComponent("a.sqlite")
      try stack(at: url) { _ in }
      try damage(url)
      try open(url, StoreDebugging())
      let error = #expect(throws: CocoaError.self) { try open(url, checking) }
      #expect(error?.localizedDescription.contains("mineIndex") == true)
    }
  }

  /// Makes an index disagree with its table, in a way that opening the store does not detect.
  private func damage(_ url: URL) throws {
    let outsider = try Connection(.file(url.path), options: .lax)
    try outsider.execute("CREATE TABLE mine(x); INSERT INTO mine VALUES (1), (2)")
    try outsider.execute("CREATE INDEX mineIndex ON mine(x); PRAGMA writable_schema = ON")
    try outsider.execute(
      "UPDATE sqlite_schema SET sql = 'CREATE INDEX mineIndex ON mine(-x)' WHERE name = 'mineIndex'"
    )
    try outsider.close()
  }

  @Test func `An intact store passes the check, and syncs as the argument says`() throws {
    try withTemporaryDirectory { (folder) throws in
      let url = folder.appendingPathComponent("a.sqlite")
      try stack(at: url) { _ in }
      try open(url, checking)
      let unsynced = StoreDebugging(
        LaunchArguments(
          arguments: ["-com.apple.CoreData.SQLiteDebugSynchronous", "0"], environment: [:]))
      try open(url, unsynced) { (coordinator) throws in
        let store = try #require(coordinator.openStores.first?.rowStore as? SQLiteRowStore)
        let synchronous = try store.pool.write { try $0.get(.synchronous) }
        #expect(synchronous == .off)
      }
    }
  }
}

extension Connection.Options {
  /// A connection that may damage its file.
  fileprivate static var lax: Self {
    var options = Self(mode: .readWrite)
    options.isDefensive = false
    options.trustsSchema = true
    return options
  }
}
