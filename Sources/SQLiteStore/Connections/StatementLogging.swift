import Foundation
package import ObjectRows
package import SQLiteDriver

/// What becomes of the statements that a store runs: the log for programmers, and a hook for tests.
package struct StatementLogging: Sendable {
  /// How much Core Data's log tells, as its launch argument counts.
  package enum Level: Int, Comparable, Sendable {
    case none = 0
    /// Statements and how long they took.
    case statements = 1
    /// As `statements`: the levels count as Core Data's do.
    case details = 2
    /// Also the values.
    case bindings = 3
    /// Also how SQLite finds the rows.
    case plans = 4

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

    package var showsBindings: Bool { self >= .bindings }
    package var explainsPlans: Bool { self >= .plans }
  }

  package var level = Level.none
  /// Whether migrations are told.
  package var tellsMigrations = false
  /// Takes a line of the log.
  package var write: @Sendable (String) -> Void = { line in
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }
  /// Sees every statement, whatever the level is.
  package var observe: (@Sendable (LoggedStatement) -> Void)?

  package init() {}

  /// Whether a connection must call for each statement.
  package var isOn: Bool { level > .none || observe != nil }

  func report(_ statement: LoggedStatement) {
    observe?(statement)
    guard level > .none else { return }
    write("CoreData: sql: \(statement.sql)")
    write("CoreData: annotation: total execution time: \(Self.seconds(statement.duration))s")
  }

  /// Tells something about a migration.
  func reportMigration(_ line: @autoclosure () -> String) {
    if tellsMigrations { write("CoreData: annotation: migration: \(line())") }
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
  /// The log that this process was started with.
  package static let ofProcess = StatementLogging(.ofProcess)

  /// The log of stores that are opened: a test may have its own.
  @TaskLocal package static var current = StatementLogging.ofProcess

  /// The log that launch arguments ask for.
  ///
  /// | argument | what it asks for |
  /// |---|---|
  /// | `-com.apple.CoreData.SQLDebug 1` to `4` | statements, with more and more about them |
  /// | `-com.apple.CoreData.MigrationDebug 1` | what migrations make of what, and how long they take |
  /// | `-com.apple.CoreData.Logging.stderr 0` | nothing of that: standard error is the only place for it here |
  package init(_ launch: LaunchArguments) {
    guard launch.flag("Logging.stderr") ?? true else { return }
    let number = launch.number("SQLDebug") ?? 0
    level = Level(rawValue: min(max(number, 0), Level.plans.rawValue)) ?? .none
    tellsMigrations = launch.flag("MigrationDebug") ?? false
  }
}
