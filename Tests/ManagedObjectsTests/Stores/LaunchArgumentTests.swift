import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import TestSupport
import Testing

/// The SQL log of a program that is started with Apple's launch arguments.
@Suite struct `Launch arguments of a program` {
  /// Runs in the program that the other test starts, and passes with any arguments.
  @Test func `Work for the test of launch arguments`() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShelfModel().model)
    try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.predicate = NSPredicate(format: "word == 'launched'")
    #expect(try context.performAndWait { () throws in try context.count(for: request) } == 0)
  }

  /// The lines that this program logs if it is started for that work with more arguments.
  private func log(_ arguments: [String]) throws -> [String] {
    try withTemporaryDirectory { (folder) throws in
      let file = folder.appendingPathComponent("log")
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments =
        ["--testing-library", "swift-testing", "--filter", "Work for the test of launch arguments"]
        + arguments
      process.standardOutput = FileHandle.nullDevice
      let handle = try FileHandle(forWritingTo: file)
      process.standardError = handle
      try process.run()
      process.waitUntilExit()
      try handle.close()
      #expect(process.terminationStatus == 0)
      return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        .filter { $0.hasPrefix("CoreData: ") }
    }
  }

  @Test func `The arguments switch the log on and off`() throws {
    let lines = try log(["-com.apple.CoreData.SQLDebug", "4"])
    #expect(lines.contains { $0.hasPrefix("CoreData: sql: ") && $0.contains("'launched'") })
    #expect(lines.contains { $0.hasPrefix("CoreData: details: SQLite: EXPLAIN QUERY PLAN") })
    let statements = try log(["-com.apple.CoreData.SQLDebug", "1"])
    #expect(!statements.isEmpty)
    #expect(statements.allSatisfy { !$0.contains("'launched'") })
    #expect(
      try log([
        "-com.apple.CoreData.SQLDebug", "4", "-com.apple.CoreData.Logging.stderr", "0",
      ]) == [])
  }
}
