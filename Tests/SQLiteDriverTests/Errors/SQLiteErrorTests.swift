import SQLiteDriver
import Testing

@Suite struct `Errors` {
  private func connection() throws -> Connection {
    let connection = try Connection(.memory)
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent, u UNIQUE, n NOT NULL DEFAULT 0,
        c CHECK (c < 10));
      CREATE TABLE exact(x INTEGER) STRICT;
      CREATE TRIGGER refuse BEFORE DELETE ON child BEGIN SELECT RAISE(ABORT, 'children stay'); END;
      INSERT INTO parent VALUES (1);
      INSERT INTO child(id, parent, u) VALUES (1, 1, 'a');
      """)
    return connection
  }

  @Test(
    arguments: [
      (
        "INSERT INTO child(id) VALUES (1)", .constraintPrimaryKey,
        "Another row already has this primary key."
      ),
      ("INSERT INTO child(u) VALUES ('a')", .constraintUnique, "unique column"),
      ("INSERT INTO child(n) VALUES (NULL)", .constraintNotNull, "no value"),
      ("INSERT INTO child(c) VALUES (11)", .constraintCheck, "CHECK"),
      ("INSERT INTO child(parent) VALUES (2)", .constraintForeignKey, "does not exist"),
      ("DELETE FROM child", .constraintTrigger, "trigger"),
      ("INSERT INTO exact VALUES ('x')", .constraintDataType, "STRICT"),
      ("INSERT INTO child(id) VALUES ('x')", .typeMismatch, "integer"),
      ("SELECT * FROM nowhere", .error, "Correct the SQL"),
      (
        "SELECT * FROM child ORDER BY u COLLATE unknown", .missingCollation,
        "Register the collation"
      ),
    ] as [(String, SQLiteError.Code, String)])
  func `Each cause has its extended code and a remedy`(
    sql: String, code: SQLiteError.Code, remedy: String
  ) throws {
    let connection = try connection()
    let error = try sqliteError(code) { try connection.run(sql) }
    #expect(error.remedy.contains(remedy))
    #expect(error.context.sql == sql)
    #expect(error.context.path == ":memory:")
  }

  @Test func `A syntax error has its byte offset`() throws {
    let error = try sqliteError(.error) {
      _ = try Connection(.memory).prepare("SELECT 'ü', WHERE 1")
    }
    #expect(error.context.sqlOffset == 13)
    #expect(
      error.description == """
        near "WHERE": syntax error (SQLITE_ERROR, 1), in :memory:, while running “SELECT 'ü', WHERE 1”, \
        at byte 13 of the SQL. Correct the SQL, or the schema it was written for.
        """)
  }

  @Test func `Errors truncate long SQL`() throws {
    let sql = "SELECT " + String(repeating: "x", count: 10_000)
    let error = try sqliteError(.error) { try Connection(.memory).run(sql) }
    #expect(error.context.sql?.utf8.count == Limits.errorSQLBytes + "…".utf8.count)
  }

  @Test func `Codes are open and know their family`() {
    let future = SQLiteError.Code(rawValue: 19 | 200 << 8)
    #expect(future.primary == .constraint)
    #expect(future.description == "SQLITE_CONSTRAINT, extended 51219")
    #expect(SQLiteError.Code(rawValue: 99).description == "code 99")
    #expect(SQLiteError.Code.busySnapshot.rawValue == 517)
    #expect(SQLiteError(code: future, message: "m").remedy == "The row breaks a rule of its table.")
    #expect(SQLiteError(code: .init(rawValue: 99), message: "m").remedy.contains("documentation"))
  }

  @Test func `A value over SQLite's limit is refused`() throws {
    try sqliteError(.tooBig) {
      _ = try Connection(.memory).value("SELECT length(zeroblob(2000000000))")
    }
  }
}
