import Foundation
package import ObjectRows
package import SQLiteDriver

/// The destinations for reports of a store's statements: the SQL debug log, statistics, and a hook
/// for tests.
package struct StatementLogging: Sendable {
  /// The level of Core Data's SQL log, as its launch argument numbers it; each level includes the
  /// ones before it.
  package enum Level: Int, Comparable, Sendable {
    case none = 0
    /// Statements, their duration, and the number of their rows.
    case statements = 1
    /// The bound values.
    case values = 2
    /// The result rows.
    case rows = 3
    /// The query plans.
    case plans = 4

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  package var level = Level.none
  /// Whether migrations are logged.
  package var logsMigrations = false
  /// Writes whole lines of the log, without the last line break.
  ///
  /// The lines of one statement come in one call, so that threads do not mix them.
  package var write: @Sendable (String) -> Void = { lines in
    try? FileHandle.standardError.write(contentsOf: Data((lines + "\n").utf8))
  }
  /// Called for every statement, whatever the level.
  package var observe: (@Sendable (LoggedStatement) -> Void)?
  /// Counts every statement, whatever the level.
  package var statistics: StatementCounts?

  package init() {}

  /// Whether a connection must report each statement.
  package var isOn: Bool { level > .none || observe != nil || statistics != nil }

  /// The parts of each statement that a connection must report.
  var detail: LoggedStatement.Detail {
    switch level {
    case .none: statistics == nil ? .statements : .rowCounts
    case .statements: .rowCounts
    case .values: .values
    case .rows, .plans: .rows
    }
  }

  func report(_ statement: LoggedStatement) {
    observe?(statement)
    // The log's own statements for query plans do not belong to the program.
    guard !QueryPlan.explains(statement.sql) else { return }
    statistics?.add(statement)
    guard level > .none else { return }
    write(LogText.lines(of: statement).joined(separator: "\n"))
  }

  /// Logs a line about a migration.
  func reportMigration(_ line: @autoclosure () -> String) {
    if logsMigrations { write("CoreData: annotation: migration: \(LogText.oneLine(line()))") }
  }

  func report(_ plan: QueryPlan) { write(LogText.lines(of: plan).joined(separator: "\n")) }

  /// Seconds with four decimals, as Core Data prints them.
  static func seconds(_ duration: Duration) -> String { LogText.seconds(duration) }
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
  /// | `-com.apple.CoreData.Logging.stderr 0` | logs nothing: there is no other destination |
  package init(_ launch: LaunchArguments) {
    guard launch.flag("Logging.stderr") ?? true else { return }
    let number = launch.number("SQLDebug") ?? 0
    level = Level(rawValue: min(max(number, 0), Level.plans.rawValue)) ?? .none
    logsMigrations = launch.flag("MigrationDebug") ?? false
  }
}
