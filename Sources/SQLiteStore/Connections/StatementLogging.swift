import Foundation
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
  /// Takes a line of the log.
  package var write: @Sendable (String) -> Void = { line in FileHandle.standardError.write(Data((line + "\n").utf8)) }
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

  func report(plan: [String], of sql: String) {
    write("CoreData: details: SQLite: EXPLAIN QUERY PLAN \(sql)")
    for step in plan { write("CoreData: details:   \(step)") }
  }

  /// Seconds with four decimals, as Core Data prints them.
  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let tenThousandths = attoseconds / 100_000_000_000_000
    return "\(seconds)." + String(String(10_000 + tenThousandths).dropFirst())
  }
}

extension StatementLogging {
  /// The name of Core Data's launch argument; a variable of the environment may have the same name.
  package static let argument = "com.apple.CoreData.SQLDebug"

  /// The log that this process was started with.
  package static let ofProcess = StatementLogging(
    arguments: ProcessInfo.processInfo.arguments, environment: ProcessInfo.processInfo.environment)

  /// The log of stores that are opened: a test may have its own.
  @TaskLocal package static var current = StatementLogging.ofProcess

  /// The log that arguments, or else the environment, ask for.
  ///
  /// A shell cannot set a variable with dots, so that underscores may stand for them.
  package init(arguments: [String], environment: [String: String]) {
    let spelling = Self.argument.replacingOccurrences(of: ".", with: "_")
    let place = arguments.firstIndex(of: "-" + Self.argument).map { arguments.index(after: $0) }
    let text =
      place.flatMap { $0 < arguments.endIndex ? arguments[$0] : nil }
      ?? environment[Self.argument] ?? environment[spelling]
    let number = text.flatMap { Int($0) } ?? 0
    level = Level(rawValue: min(max(number, 0), Level.plans.rawValue)) ?? .none
  }
}
