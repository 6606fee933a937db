import SQLiteDriver
import Testing

@Suite struct `Running SQL` {
  @Test func `A script runs all its statements, with comments and blanks`() throws {
    let connection = try Connection(.memory)
    try connection.execute(
      """
      -- first
      CREATE TABLE a(x); INSERT INTO a VALUES (1);;
      /* between */ INSERT INTO a SELECT x + 1 FROM a;
      -- last
      """)
    #expect(try connection.rows("SELECT x FROM a ORDER BY x") == [[1], [2]])
  }

  @Test func `A script stops at its first error and reports the position`() throws {
    let connection = try Connection(.memory)
    let error = try sqliteError(.error) {
      try connection.execute("CREATE TABLE a(x); SELEKT 1; CREATE TABLE b(x)")
    }
    #expect(error.context.sqlOffset == 19)
    #expect(error.message == "near \"SELEKT\": syntax error")
    #expect(try connection.rows("SELECT name FROM sqlite_schema") == [["a"]])
  }

  @Test(arguments: ["", "  \n", "-- nothing", "/* nothing */ ;"])
  func `An empty script is allowed, an empty statement is not`(sql: String) throws {
    let connection = try Connection(.memory)
    try connection.execute(sql)
    try sqliteError(.misuse) { _ = try connection.prepare(sql) }
  }

  @Test func `A statement holds one statement only`() throws {
    let connection = try Connection(.memory)
    let error = try sqliteError(.misuse) { _ = try connection.prepare("SELECT 1; SELECT 2") }
    #expect(error.message.contains("more than one"))
    #expect(error.context.sqlOffset == 9)
    _ = try connection.prepare("SELECT 1; -- only a comment")
  }

  @Test func `Rows are values of their storage classes`() throws {
    let rows = try Connection(.memory).rows("SELECT NULL, -1, 0.5, 'text', x'00FF', x'', ''")
    #expect(rows == [[nil, -1, 0.5, "text", .blob([0, 255]), .blob([]), ""]])
  }

  @Test func `A value is nil without a row and null for NULL`() throws {
    let connection = try Connection(.memory)
    #expect(try connection.value("SELECT 1 WHERE 0") == nil)
    #expect(try connection.value("SELECT NULL") == Value.null)
  }
}
