import Foundation
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
      (["app", "-com.apple.CoreData.SQLDebug", "3", "file"], [:], .rows),
      (["app", "-com.apple.CoreData.SQLDebug", "9"], [:], .plans),
      (["app", "-com.apple.CoreData.SQLDebug", "-1"], [:], .none),
      (["app", "-com.apple.CoreData.SQLDebug"], [:], .none),
      (["app", "-com.apple.CoreData.SQLDebug", "much"], [:], .none),
      (["app", "com.apple.CoreData.SQLDebug", "1"], [:], .none),
      ([], ["com.apple.CoreData.SQLDebug": "4"], .plans),
      ([], ["com_apple_CoreData_SQLDebug": "2"], .values),
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
    try connection.connection.run("INSERT INTO T VALUES (7)")
    connection.explainStatements()
    _ = lines.take()
    _ = try connection.connection.rows("SELECT a FROM T WHERE a = ?", [7])
    connection.explainStatements()
    connection.explainStatements()
    return lines.take().flatMap { $0.components(separatedBy: "\n") }
      .map { $0.replacing(/time: [0-9.]+s/, with: "time: #s") }
  }

  @Test func `The levels log statements, then values, then rows, then plans`() throws {
    let time = "CoreData: annotation: total fetch execution time: #s for 1 rows."
    let values = ["CoreData: sql: SELECT a FROM T WHERE a = 7", time]
    let rows = values + ["CoreData: details: row: (7)"]
    #expect(try lines(.none) == [])
    #expect(try lines(.statements) == ["CoreData: sql: SELECT a FROM T WHERE a = ?", time])
    #expect(try lines(.values) == values)
    #expect(try lines(.rows) == rows)
    let plans = try lines(.plans)
    #expect(plans.prefix(3) == rows[...])
    #expect(plans[3] == "CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT a FROM T WHERE a = ?")
    #expect(plans[4].hasPrefix("CoreData: details:   SEARCH T"))
    #expect(plans.count == 5)
  }

  /// The log of one statement at the level of rows.
  private func shown(_ sql: String, _ values: [Value]) throws -> [String] {
    let lines = LineRecorder()
    var settings = ConnectionSettings(location: .memory)
    settings.logging.level = .rows
    settings.logging.write = { lines.add($0) }
    let connection = try StoreConnection(Connection(.memory), settings)
    _ = try connection.connection.rows(sql, values)
    let calls = lines.take()
    #expect(calls.count == 1, "The lines of a statement come together.")
    return calls.flatMap { $0.components(separatedBy: "\n") }
  }

  @Test func `A value with line breaks stays on its line`() throws {
    let lines = try shown("SELECT ?", ["a\nb\r\nc\rd"])
    #expect(lines.count == 3)
    #expect(lines[0] == #"CoreData: sql: SELECT 'a\nb\r\nc\rd'"#)
    #expect(lines[2] == #"CoreData: details: row: ('a\nb\r\nc\rd')"#)
  }

  @Test func `Long values are shortened, and the values after them are not`() throws {
    let long = String(repeating: "x''", count: 300)
    let lines = try shown(
      "SELECT length(?), ?, ?", [.text(long), "it's", .blob(.init(repeating: 1, count: 300))])
    #expect(lines[0].hasPrefix("CoreData: sql: SELECT length('x''''x"))
    #expect(lines[0].contains("…'(1500)), 'it''s', x'0101"))
    #expect(lines[0].hasSuffix("01…'(600)"))
    #expect(lines[0].count < 600)
  }

  @Test func `Statements without result have their time`() throws {
    let lines = try shown("CREATE TABLE T(a)", [])
    #expect(lines.count == 2 && lines[1].hasPrefix("CoreData: annotation: sql execution time: 0."))
  }

  @Test func `The steps of a plan are indented below their parents`() throws {
    let lines = LineRecorder()
    var settings = ConnectionSettings(location: .memory)
    settings.logging.level = .plans
    settings.logging.write = { lines.add($0) }
    let connection = try StoreConnection(Connection(.memory), settings)
    _ = try connection.connection.rows("SELECT 1 UNION SELECT 2")
    _ = lines.take()
    connection.explainStatements()
    let plan = lines.take().flatMap { $0.components(separatedBy: "\n") }.dropFirst()
    #expect(plan.contains { $0.hasPrefix("CoreData: details:   COMPOUND QUERY") })
    #expect(plan.contains { $0.hasPrefix("CoreData: details:     LEFT-MOST SUBQUERY") })
  }

  // MARK: Statistics

  @Test func `Statements are counted by their SQL, and plans are not`() throws {
    let counts = StatementCounts()
    var settings = ConnectionSettings(location: .memory)
    settings.logging.statistics = counts
    settings.logging.level = .plans
    settings.logging.write = { _ in }
    let connection = try StoreConnection(Connection(.memory), settings)
    counts.reset()
    try connection.connection.run("CREATE TABLE T(a)")
    for value in 0..<3 {
      try connection.connection.run("INSERT INTO T VALUES (?)", [.integer(Int64(value))])
    }
    _ = try connection.connection.rows("SELECT a FROM T")
    connection.explainStatements()
    let found = counts.statistics.sorted { $0.sql < $1.sql }
    #expect(
      found.map(\.sql) == ["CREATE TABLE T(a)", "INSERT INTO T VALUES (?)", "SELECT a FROM T"])
    #expect(found.map(\.executionCount) == [1, 3, 1])
    #expect(found.map(\.rowCount) == [0, 0, 3])
    #expect(found.allSatisfy { $0.totalTime >= $0.longestTime && $0.longestTime > .zero })
    counts.reset()
    #expect(counts.statistics == [])
  }

  @Test func `Statistics are ordered by total time, and their number is limited`() {
    let counts = StatementCounts()
    for number in 0..<Limits.countedStatements + 3 {
      counts.add(
        LoggedStatement(
          sql: "SELECT \(number)", duration: .milliseconds(number % 1000), rowCount: 1))
    }
    counts.add(LoggedStatement(sql: "SELECT 7", duration: .seconds(20)))
    let found = counts.statistics
    #expect(found.count == Limits.countedStatements + 1)
    #expect(found.first?.sql == "SELECT 7" && found.first?.longestTime == .seconds(20))
    #expect(zip(found, found.dropFirst()).allSatisfy { $0.totalTime >= $1.totalTime })
    #expect(found.first { $0.sql == "(other statements)" }?.executionCount == 3)
  }

  @Test(
    arguments: [
      ([], nil, false), (["-com.apple.CoreData.SQLiteDebugSynchronous", "0"], .off, false),
      (["-com.apple.CoreData.SQLiteDebugSynchronous", "2"], .full, false),
      (["-com.apple.CoreData.SQLiteDebugSynchronous", "7"], nil, false),
      (["-com.apple.CoreData.SQLiteIntegrityCheck", "1"], nil, true),
      (["-com.apple.CoreData.SQLiteIntegrityCheck", "NO"], nil, false),
    ] as [([String], Synchronous?, Bool)])
  func `Arguments set how stores sync and whether they are checked`(
    arguments: [String], synchronous: Synchronous?, checksIntegrity: Bool
  ) {
    let debugging = StoreDebugging(LaunchArguments(arguments: arguments, environment: [:]))
    #expect(debugging.synchronous == synchronous)
    #expect(debugging.checksIntegrity == checksIntegrity)
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
