public import ObjectRows
import SQLiteStore

extension NSPersistentStoreCoordinator {
  /// The SQL statements that the coordinator's stores ran, the longest total time first.
  ///
  /// Parhelion's addition. Only stores with `collectsStatementStatistics` in their description are
  /// counted.
  ///
  /// ```swift
  /// description.collectsStatementStatistics = true
  /// // … later
  /// for statement in coordinator.statementStatistics.prefix(10) { print(statement) }
  /// ```
  public var statementStatistics: [StatementStatistics] {
    var bySQL: [String: StatementStatistics] = [:]
    for statement in countingStores.flatMap(\.statistics) {
      bySQL[statement.sql, default: StatementStatistics(sql: statement.sql)].add(statement)
    }
    return StatementStatistics.sorted(Array(bySQL.values))
  }

  /// Starts the statistics again at zero.
  ///
  /// Parhelion's addition.
  public func resetStatementStatistics() { for counts in countingStores { counts.reset() } }

  private var countingStores: [StatementCounts] {
    openStores.compactMap { ($0.rowStore as? SQLiteRowStore)?.statementCounts }
  }
}
