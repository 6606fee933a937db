import SQLiteDriver
import Testing

@Suite struct `The statement log` {
  private final class Lines { var lines: [LoggedStatement] = [] }

  @Test func `Each statement is reported once after it ran`() throws {
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

  @Test func `Bindings are expanded on request`() throws {
    let connection = try makeDatabase()
    let log = Lines()
    try connection.setStatementLog(expandsBindings: true) { log.lines.append($0) }
    try connection.run("INSERT INTO t VALUES (?, ?, ?, ?)", [1, "it's", nil, .blob([255])])
    #expect(log.lines.map(\.sql) == ["INSERT INTO t VALUES (1, 'it''s', NULL, x'ff')"])
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
