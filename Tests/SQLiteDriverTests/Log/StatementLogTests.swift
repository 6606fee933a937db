import SQLiteDriver
import Testing

@Suite struct `The statement log` {
  private final class Lines { var lines: [LoggedStatement] = [] }

  @Test func `Each statement is reported once, at its end`() throws {
    let connection = try makeDatabase(rows: 3)
    let log = Lines()
    try connection.setStatementLog { log.lines.append($0) }
    try connection.transaction {
      try connection.run("INSERT INTO t(id, name) VALUES (?, ?)", [10, "secret"])
      #expect(try connection.rows("SELECT id FROM t").count == 4)
    }
    #expect(
      log.lines.map(\.sql) == [
        "BEGIN IMMEDIATE", "INSERT INTO t(id, name) VALUES (?, ?)", "SELECT id FROM t", "COMMIT",
      ])
  }

  @Test(arguments: [LoggedStatement.Detail.statements, .rowCounts, .values, .rows])
  func `On request, the SQL is also reported with values`(detail: LoggedStatement.Detail)
    throws
  {
    let connection = try makeDatabase()
    let log = Lines()
    try connection.setStatementLog(detail: detail) { log.lines.append($0) }
    try connection.run("INSERT INTO t VALUES (?, ?, ?, ?)", [1, "it's", nil, .blob([255])])
    #expect(log.lines.map(\.sql) == ["INSERT INTO t VALUES (?, ?, ?, ?)"])
    #expect(
      log.lines.map(\.expandedSQL)
        == [detail >= .values ? "INSERT INTO t VALUES (1, 'it''s', NULL, x'ff')" : nil])
    #expect(log.lines.map(\.returnsRows) == [false])
  }

  /// The logged statement of a query.
  private func read(
    _ query: RowQuery, _ connection: Connection, _ detail: LoggedStatement.Detail
  ) throws -> LoggedStatement {
    let log = Lines()
    try connection.setStatementLog(detail: detail) { log.lines.append($0) }
    do {
      var statement = try connection.prepare(query)
      try statement.readRows { _ in }
    }
    try connection.setStatementLog(nil)
    return try #require(log.lines.last)
  }

  @Test(arguments: [
    RowQuery(stepping: "SELECT id, name FROM t"),
    RowQuery(collecting: "SELECT id, name FROM t", columns: 2),
  ])
  func `Rows are counted and shown on request, however they are read`(query: RowQuery) throws {
    let connection = try makeDatabase(rows: 2)
    let silent = try read(query, connection, .statements)
    #expect(silent.rowCount == 0 && silent.rows == [])
    let counted = try read(query, connection, .values)
    #expect(counted.rowCount == 2 && counted.rows == [] && counted.returnsRows)
    let shown = try read(query, connection, .rows)
    #expect(shown.rowCount == 2)
    #expect(shown.rows.sorted() == ["(1, 'name 1')", "(2, 'name 2')"])
  }

  @Test func `A log shows the first rows and counts all`() throws {
    let connection = try makeDatabase(rows: Limits.loggedRows + 5)
    let shown = try read(RowQuery(stepping: "SELECT id FROM t"), connection, .rows)
    #expect(shown.rows.count == Limits.loggedRows && shown.rowCount == Limits.loggedRows + 5)
  }

  @Test(
    arguments: [
      ("NULL", "NULL"), ("-3", "-3"), ("0.5", "0.5"), ("'it''s'", "'it''s'"),
      ("x'00ff'", "x'00ff'"),
      ("zeroblob(0)", "x''"), ("''", "''"),
      ("printf('%.*c', 200, 'ä')", "'" + String(repeating: "ä", count: 60) + "…'(400 bytes)"),
      (
        "'a' || printf('%.*c', 200, 'ä')",
        "'a" + String(repeating: "ä", count: 59) + "…'(401 bytes)"
      ),
      ("zeroblob(40)", "x'" + String(repeating: "00", count: 30) + "…'(40 bytes)"),
    ])
  func `Values are shown as literals, and long ones end after a character`(
    expression: String, literal: String
  ) throws {
    let connection = try makeDatabase()
    let shown = try read(RowQuery(stepping: "SELECT \(expression)"), connection, .rows)
    #expect(shown.rows == ["(\(literal))"])
  }

  @Test func `Rows of nested statements are counted separately`() throws {
    let connection = try makeDatabase(rows: 3)
    let log = Lines()
    try connection.setStatementLog(detail: .rowCounts) { log.lines.append($0) }
    do {
      var outer = try connection.prepare(
        RowQuery(collecting: "SELECT id FROM t", columns: 1))
      try outer.readRows { _ in _ = try connection.rows("SELECT id FROM t LIMIT 2") }
    }
    #expect(log.lines.map(\.rowCount) == [2, 2, 2, 3])
  }

  @Test func `Failed and abandoned statements are reported`() throws {
    let connection = try makeDatabase(rows: 3)
    let log = Lines()
    try connection.setStatementLog { log.lines.append($0) }
    try sqliteError(.constraintPrimaryKey) { try connection.run("INSERT INTO t(id) VALUES (1)") }
    #expect(try connection.value("SELECT name FROM t") == "name 1")
    #expect(log.lines.map(\.sql) == ["INSERT INTO t(id) VALUES (1)", "SELECT name FROM t"])
  }

  @Test func `Trigger actions belong to the statement that fired them`() throws {
    let connection = try makeDatabase(rows: 1)
    try connection.execute(
      "CREATE TRIGGER g AFTER DELETE ON t BEGIN INSERT INTO t(id) VALUES (old.id + 1); END")
    let log = Lines()
    try connection.setStatementLog { log.lines.append($0) }
    try connection.run("DELETE FROM t WHERE id = 1")
    #expect(log.lines.map(\.sql) == ["DELETE FROM t WHERE id = 1"])
  }

  @Test func `A trigger does not restart the list of result rows`() throws {
    let connection = try makeDatabase(rows: 3)
    try connection.execute(
      "CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT old.id + 1; SELECT old.id + 2; END")
    let log = Lines()
    try connection.setStatementLog(detail: .rows) { log.lines.append($0) }
    #expect(try connection.rows("DELETE FROM t RETURNING id").count == 3)
    #expect(log.lines.map(\.rows) == [["(1)", "(2)", "(3)"]])
  }

  @Test func `Durations are measured, also for nested statements`() throws {
    let connection = try makeDatabase(rows: 1)
    let log = Lines()
    try connection.setStatementLog { log.lines.append($0) }
    do {
      var outer = try connection.prepare("SELECT id FROM t")
      while try outer.step() { _ = try connection.value("SELECT count(*) FROM t") }
    }
    #expect(log.lines.map(\.sql) == ["SELECT count(*) FROM t", "SELECT id FROM t"])
    let durations = log.lines.map(\.duration)
    #expect(durations.allSatisfy { $0 > .zero })
    #expect(durations[1] >= durations[0])
  }

  @Test func `A disabled log reports nothing`() throws {
    let connection = try makeDatabase()
    let log = Lines()
    try connection.setStatementLog { log.lines.append($0) }
    try connection.run("SELECT 1")
    try connection.setStatementLog(nil)
    try connection.run("SELECT 2")
    #expect(log.lines.map(\.sql) == ["SELECT 1"])
  }
}
