/// The number of times that a coordinator's stores ran an SQL statement, and the time that it took.
///
/// Parhelion's addition. See `NSPersistentStoreCoordinator.statementStatistics`.
public struct StatementStatistics: Hashable, Sendable {
  /// The SQL, with a `?` for each value.
  public let sql: String

  /// The number of times that the statement ran.
  public private(set) var executionCount = 0

  /// The number of rows that it returned in all.
  public private(set) var rowCount = 0

  /// The time that it took in all, including the time that the reader spends between rows.
  public private(set) var totalTime = Duration.zero

  /// The time of the slowest execution.
  public private(set) var longestTime = Duration.zero

  package init(sql: String) { self.sql = sql }

  /// The text under which statements are counted when there are too many different ones.
  package static let otherStatements = "(other statements)"

  /// Counts an execution.
  package mutating func add(rows: Int, time: Duration) {
    executionCount += 1
    rowCount += rows
    totalTime += time
    longestTime = max(longestTime, time)
  }

  /// Adds the statistics of the same statement in another store.
  package mutating func add(_ other: StatementStatistics) {
    executionCount += other.executionCount
    rowCount += other.rowCount
    totalTime += other.totalTime
    longestTime = max(longestTime, other.longestTime)
  }

  /// Sorts statistics by descending total time, and then by SQL.
  package static func sorted(_ all: [StatementStatistics]) -> [StatementStatistics] {
    all.sorted { ($1.totalTime, $0.sql) < ($0.totalTime, $1.sql) }
  }
}

extension StatementStatistics: CustomStringConvertible {
  /// The counts, the times and the SQL, in one line.
  public var description: String {
    "\(executionCount) times, \(rowCount) rows, \(totalTime) (longest \(longestTime)): \(sql)"
  }
}
