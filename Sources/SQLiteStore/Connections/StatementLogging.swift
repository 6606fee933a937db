import Foundation
package import ObjectRows
package import SQLiteDriver

/// Where the statements that a store runs are reported: the SQL debug log, and a hook for tests.
package struct StatementLogging: Sendable {
  /// The level of Core Data's SQL log, as its launch argument numbers it.
  package enum Level: Int, Comparable, Sendable {
    case none = 0
    /// Statements and their duration.
    case statements = 1
    /// The same as `statements`; Core Data's numbering has this level.
    case details = 2
    /// Also the bound values.
    case bindings = 3
    /// Also the query plans.
    case plans = 4

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

    package var showsBindings: Bool { self >= .bindings }
    package var explainsPlans: Bool { self >= .plans }
  }

  package var level = Level.none
  /// Whether migrations are logged.
  package var logsMigrations = false
  /// Writes a line of the log.
  package var write: @Sendable (String) -> Void = { line in
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }
  /// Called for every statement, whatever the level.
  package var observe: (@Sendable (LoggedStatement) -> Void)?

  package init() {}

  /// Whether a connection must report each statement.
  package var isOn: Bool { level > .none || observe != nil }

  func report(_ statement: LoggedStatement) {
    observe?(statement)
    guard level > .none else { return }
    write("CoreData: sql: \(statement.sql)")
    write("CoreData: annotation: total execution time: \(Self.seconds(statement.duration))s")
  }

  /// Logs a line about a migration.
  func reportMigration(_ line: @autoclosure () -> String) {
    if logsMigrations { write("CoreData: annotation: migration: \(line())") }
  }

  func report(plan: [String], of sql: String) {
    write("CoreData: details: SQLite: EXPLAIN QUERY PLAN \(sql)")
    for step in plan { write("CoreData: details:   \(step)") }
  }

  /// Seconds with four decimals, as Core Data prints them.
  static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let tenThousandths = attoseconds / 100_000_000_000_000
    return "\(seconds)." + String(String(10_000 + tenThousandths).dropFirst())
  }
}

extension StatementLogging {
  /// The logging that the launch arguments of this process ask for.
  package static let ofProcess = StatementLogging(.ofProcess)

  /// The logging of stores that are opened now; a test may replace it.
  @TaskLocal package static var current = StatementLogging.ofProcess

  /// The logging that launch arguments ask for.
  ///
  /// | argument | effect |
  /// |---|---|
  /// | `-com.apple.CoreData.SQLDebug 1` to `4` | logs statements, with more detail at each level |
  /// | `-com.apple.CoreData.MigrationDebug 1` | logs the mapping and the duration of migrations |
  /// | `-com.apple.CoreData.Logging.stderr 0` | logs nothing: standard error is the only destination here |
  package init(_ launch: LaunchArguments) {
    guard launch.flag("Logging.stderr") ?? true else { return }
    let number = launch.number("SQLDebug") ?? 0
    level = Level(rawValue: min(max(number, 0), Level.plans.rawValue)) ?? .none
    logsMigrations = launch.flag("MigrationDebug") ?? false
  }
}
