import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

@Suite struct `The log of statements` {
  @Test(
    arguments: [
      ([], [:], .none),
      (["app", "-com.apple.CoreData.SQLDebug", "1"], [:], .statements),
      (["app", "-com.apple.CoreData.SQLDebug", "3", "file"], [:], .bindings),
      (["app", "-com.apple.CoreData.SQLDebug", "9"], [:], .plans),
      (["app", "-com.apple.CoreData.SQLDebug", "-1"], [:], .none),
      (["app", "-com.apple.CoreData.SQLDebug"], [:], .none),
      (["app", "-com.apple.CoreData.SQLDebug", "much"], [:], .none),
      (["app", "com.apple.CoreData.SQLDebug", "1"], [:], .none),
      ([], ["com.apple.CoreData.SQLDebug": "4"], .plans),
      ([], ["com_apple_CoreData_SQLDebug": "2"], .details),
      (["-com.apple.CoreData.SQLDebug", "1"], ["com.apple.CoreData.SQLDebug": "4"], .statements),
    ] as [([String], [String: String], StatementLogging.Level)])
  func `An argument or a variable enables the log`(
    arguments: [String], environment: [String: String], level: StatementLogging.Level
  ) {
    #expect(
      StatementLogging(LaunchArguments(arguments: arguments, environment: environment)).level
        == level)
  }

  @Test(
    arguments: [
      ([], .none, false),
      (["-com.apple.CoreData.MigrationDebug", "1"], .none, true),
      (["-com.apple.CoreData.MigrationDebug", "0"], .none, false),
      (
        ["-com.apple.CoreData.MigrationDebug", "YES", "-com.apple.CoreData.SQLDebug", "1"],
        .statements, true
      ),
      (
        ["-com.apple.CoreData.SQLDebug", "1", "-com.apple.CoreData.Logging.stderr", "1"],
        .statements, false
      ),
      (
        [
          "-com.apple.CoreData.SQLDebug", "3", "-com.apple.CoreData.MigrationDebug", "1",
          "-com.apple.CoreData.Logging.stderr", "0",
        ], .none, false
      ),
    ] as [([String], StatementLogging.Level, Bool)])
  func
    `Migrations are logged on request, and never to standard error if that is disabled`(
      arguments: [String], level: StatementLogging.Level, logsMigrations: Bool
    )
  {
    let logging = StatementLogging(LaunchArguments(arguments: arguments, environment: [:]))
    #expect(logging.level == level && logging.logsMigrations == logsMigrations)
  }

  /// The log lines of one statement without times.
  private func lines(_ level: StatementLogging.Level) throws -> [String] {
    let lines = LineRecorder()
    var settings = ConnectionSettings(location: .memory)
    settings.logging.level = level
    settings.logging.write = { lines.add($0) }
    let connection = try StoreConnection(Connection(.memory), settings)
    try connection.connection.run("CREATE TABLE T(a INTEGER PRIMARY KEY)")
    connection.explainStatements()
    _ = lines.take()
    _ = try connection.connection.rows("SELECT a FROM T WHERE a = ?", [7])
    connection.explainStatements()
    connection.explainStatements()
    return lines.take().filter { !$0.contains("total execution time") }
  }

  @Test func `The levels log statements, then values, then plans`() throws {
    #expect(try lines(.none) == [])
    #expect(try lines(.statements) == ["CoreData: sql: SELECT a FROM T WHERE a = ?"])
    #expect(try lines(.bindings) == ["CoreData: sql: SELECT a FROM T WHERE a = 7"])
    let plans = try lines(.plans)
    #expect(
      plans.prefix(2) == [
        "CoreData: sql: SELECT a FROM T WHERE a = 7",
        "CoreData: sql: EXPLAIN QUERY PLAN SELECT a FROM T WHERE a = 7",
      ])
    #expect(plans.last?.contains("SEARCH T") == true)
    #expect(plans.count == 4)
  }
}

final class LineRecorder: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
