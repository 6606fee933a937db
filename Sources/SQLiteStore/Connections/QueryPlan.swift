import SQLiteDriver

/// SQLite's plan of a statement.
struct QueryPlan {
  /// A step, with its distance from the top.
  struct Step {
    let text: String
    let depth: Int
  }

  let sql: String
  let steps: [Step]

  private static let prefix = "EXPLAIN QUERY PLAN "

  /// Whether a statement only asks for a plan.
  static func explains(_ sql: String) -> Bool { sql.hasPrefix(prefix) }

  /// Asks for the plan of a statement, whose parameters stay unbound.
  init(of sql: String, on connection: Connection) throws(SQLiteError) {
    var statement = try connection.prepare(Self.prefix + sql)
    var depths: [Int64: Int] = [:]
    var steps: [Step] = []
    while try statement.step() {
      // The columns are the step's number, its parent's number, an unused number, and the text.
      let depth = depths[statement.row.int64(at: 1)].map { $0 + 1 } ?? 0
      depths[statement.row.int64(at: 0)] = depth
      steps.append(Step(text: statement.row.text(at: 3) ?? "", depth: depth))
    }
    self.sql = sql
    self.steps = steps
  }
}
