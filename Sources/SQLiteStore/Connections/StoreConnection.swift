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
    try connection.setStatementLog(expandsBindings: logging.level.showsBindings) { statement in
      logging.report(statement)
      if logging.level.explainsPlans { unexplained.add(statement.sql) }
    }
  }

  /// Logs the plans of the statements that ran since the last call, if the log asks for plans.
  package func explainStatements() {
    guard logging.level.explainsPlans else { return }
    for sql in unexplained.takeAll() {
      guard let plan = try? plan(of: sql) else { continue }
      logging.report(plan: plan, of: sql)
    }
    // The EXPLAIN statements themselves need no plan.
    _ = unexplained.takeAll()
  }

  /// The query plan of a statement, with its parameters unbound.
  private func plan(of sql: String) throws(SQLiteError) -> [String] {
    var statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var steps: [String] = []
    while try statement.step() {
      steps.append(statement.row.text(at: statement.row.count - 1) ?? "")
    }
    return steps
  }
}

/// Statements whose plans are not logged yet.
///
/// Their texts can contain values, so the set of known statements has a limit.
private final class UnexplainedStatements {
  private var waiting: [String] = []
  private var known: Set<String> = []

  func add(_ sql: String) {
    if known.count >= Limits.explainedStatements { known = [] }
    guard !sql.hasPrefix("EXPLAIN"), known.insert(sql).inserted else { return }
    waiting.append(sql)
  }

  func takeAll() -> [String] {
    defer { waiting = [] }
    return waiting
  }
}
