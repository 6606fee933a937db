package import ObjectRows
package import SQLiteDriver
import Synchronization

/// Counts the statements of a store by their SQL.
package final class StatementCounts: Sendable {
  private let counts = Mutex<[String: StatementStatistics]>([:])

  package init() {}

  /// Counts a statement that ended.
  ///
  /// Some programs create ever new SQL texts, so those beyond the limit are counted together.
  package func add(_ statement: LoggedStatement) {
    counts.withLock { counts in
      let isKnown = counts[statement.sql] != nil || counts.count < Limits.countedStatements
      let sql = isKnown ? statement.sql : StatementStatistics.otherStatements
      counts[sql, default: StatementStatistics(sql: sql)]
        .add(rows: statement.rowCount, time: statement.duration)
    }
  }

  /// The counts, the longest total time first.
  package var statistics: [StatementStatistics] {
    StatementStatistics.sorted(counts.withLock { Array($0.values) })
  }

  /// Starts again at zero.
  package func reset() { counts.withLock { $0 = [:] } }
}
