package import SQLiteDriver

/// A connection that is set up for a store: functions, collations, settings and log.
// Sendable: whoever took it from the pool has it alone.
package final class StoreConnection: @unchecked Sendable {
  package let connection: Connection
  private let logging: StatementLogging
  /// Statements whose plans are to be logged when the connection is idle: the log's own hook may
  /// not use it.
  private let unexplained = UnexplainedStatements()

  /// Adds what fetches need to a connection that was opened for a store.
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

  /// Logs the plans of the statements that ran since the last call, where the log asks for plans.
  package func explainStatements() {
    guard logging.level.explainsPlans else { return }
    for sql in unexplained.takeAll() {
      guard let plan = try? plan(of: sql) else { continue }
      logging.report(plan: plan, of: sql)
    }
    // The explanations themselves need none.
    _ = unexplained.takeAll()
  }

  /// The steps of a statement, whose parameters stay without values.
  private func plan(of sql: String) throws(SQLiteError) -> [String] {
    var statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var steps: [String] = []
    while try statement.step() {
      steps.append(statement.row.text(at: statement.row.count - 1) ?? "")
    }
    return steps
  }
}

/// The statements that wait for their explanation.
///
/// Their texts have values in them, so that what is known must have a bound.
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
