package import SQLiteDriver

/// A connection that is set up for a store: functions, collations, settings, and log.
// Sendable: only one thread at a time takes it from the pool.
package final class StoreConnection: @unchecked Sendable {
  package let connection: Connection
  private let logging: StatementLogging
  /// Statements whose plans are logged when the connection is idle, because the log's hook must not
  /// use the connection.
  private let unexplained = UnexplainedStatements()

  /// Sets up a store's open connection for fetches.
  package init(_ connection: Connection, _ settings: ConnectionSettings) throws(SQLiteError) {
    self.connection = connection
    logging = settings.logging
    try connection.registerFetchFunctions()
    try startLog()
  }

  private func startLog() throws(SQLiteError) {
    guard logging.isOn else { return }
    let (logging, unexplained) = (logging, unexplained)
    try connection.setStatementLog(detail: logging.detail) { statement in
      logging.report(statement)
      if logging.level >= .plans { unexplained.add(statement.sql) }
    }
  }

  /// Logs the plans of the statements that ran since the last call, if the log asks for plans.
  package func explainStatements() {
    guard logging.level >= .plans else { return }
    for sql in unexplained.takeAll() {
      // SQLite has no plan for some statements, and the log can do without it.
      guard let plan = try? QueryPlan(of: sql, on: connection), !plan.steps.isEmpty else {
        continue
      }
      logging.report(plan)
    }
    // The EXPLAIN statements themselves need no plan.
    _ = unexplained.takeAll()
  }
}

/// Statements whose plans are not logged yet.
///
/// A program may run many different SQL texts, so the set of known statements has a limit.
private final class UnexplainedStatements {
  private var waiting: [String] = []
  private var known: Set<String> = []

  func add(_ sql: String) {
    if known.count >= Limits.explainedStatements { known = [] }
    guard !QueryPlan.explains(sql), known.insert(sql).inserted else { return }
    waiting.append(sql)
  }

  func takeAll() -> [String] {
    defer { waiting = [] }
    return waiting
  }
}
