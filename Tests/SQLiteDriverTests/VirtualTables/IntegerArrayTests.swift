import SQLiteDriver
import TestSupport
import Testing

@Suite struct `Integer arrays` {
  static let sql = "SELECT id FROM t WHERE id IN (SELECT * FROM _Z_intarray0) ORDER BY id"

  @Test func `Values select rows without being part of the SQL`() throws {
    let connection = try makeDatabase(rows: 10)
    let keys = try connection.integerArray(0)
    keys.values = [7, 3, 3, 99]
    #expect(try connection.rows(Self.sql) == [[3], [7]])
    keys.values = []
    #expect(try connection.rows(Self.sql) == [])
    keys.values = [.max, .min, 1]
    #expect(try connection.rows(Self.sql) == [[1]])
  }

  @Test func `A prepared statement reads the array's new values`() throws {
    let connection = try makeDatabase(rows: 10)
    let keys = try connection.integerArray(0)
    var statement = try connection.prepare(Self.sql)
    for key in 1...3 {
      keys.values = [Int64(key)]
      let found = try statement.step()
      #expect(found)
      #expect(statement.row.int64(at: 0) == Int64(key))
      #expect(try statement.step() == false)
    }
  }

  @Test func `Several arrays coexist`() throws {
    let connection = try makeDatabase(rows: 5)
    try connection.integerArray(0).values = [1, 2, 3]
    try connection.integerArray(1).values = [2, 3, 4]
    try connection.integerArray(Limits.integerArrays - 1).values = [3]
    let rows = try connection.rows(
      """
      SELECT id FROM t WHERE id IN (SELECT * FROM _Z_intarray0) AND id IN (SELECT * FROM _Z_intarray1)
        AND id NOT IN (SELECT * FROM _Z_intarray\(Limits.integerArrays - 1))
      """)
    #expect(rows == [[2]])
  }

  @Test func `Equal numbers name the same array`() throws {
    let connection = try Connection(.memory)
    #expect(try connection.integerArray(2) === connection.integerArray(2))
    #expect(try connection.integerArray(2).name == "_Z_intarray2")
  }

  @Test(arguments: [-1, Limits.integerArrays, Int.max])
  func `A number out of range is an error`(number: Int) throws {
    let connection = try Connection(.memory)
    try sqliteError(.outOfRange) { _ = try connection.integerArray(number) }
  }

  @Test func `An array that was not requested is not a table`() throws {
    try sqliteError(.error) { _ = try makeDatabase().rows(Self.sql) }
  }

  @Test func `A running statement keeps its initial values`() throws {
    let connection = try Connection(.memory)
    let keys = try connection.integerArray(0)
    keys.values = [1, 2, 3]
    var statement = try connection.prepare("SELECT value FROM _Z_intarray0")
    var seen: [Int64] = []
    while try statement.step() {
      seen.append(statement.row.int64(at: 0))
      keys.values = []
    }
    #expect(seen == [1, 2, 3])
  }

  @Test func `Order, duplicates and positions follow the array`() throws {
    let connection = try Connection(.memory)
    try connection.integerArray(0).values = [5, -1, 5]
    #expect(
      try connection.rows("SELECT rowid, value FROM _Z_intarray0") == [[0, 5], [1, -1], [2, 5]])
    #expect(try connection.rows("SELECT rowid FROM _Z_intarray0 WHERE value = 5") == [[0], [2]])
    #expect(
      try connection.rows("SELECT rowid FROM _Z_intarray0 WHERE value IN (5, 6)") == [[0], [2]])
    #expect(
      try connection.rows("SELECT rowid FROM _Z_intarray0 WHERE value = NULL OR value = 4") == [])
    #expect(
      try connection.rows("SELECT count(*) FROM _Z_intarray0 WHERE value = 5.5 OR value = 'x'") == [
        [0]
      ])
  }

  @Test func `A look-up finds the same as a scan`() throws {
    var generator = SeededGenerator.forTest()
    let connection = try Connection(.memory)
    let keys = try connection.integerArray(0)
    keys.values = (0..<200).map { _ in Int64.random(in: -50...50, using: &generator) }
    for wanted in Int64(-55)...55 {
      let found = try connection.value(
        "SELECT count(*) FROM _Z_intarray0 WHERE value = ?", [.integer(wanted)])
      #expect(found == .integer(Int64(keys.values.count { $0 == wanted })), "\(generator)")
    }
  }

  @Test func `An array's values are searched by primary key`() throws {
    let connection = try makeDatabase(rows: 100)
    try connection.integerArray(0).values = [1, 2]
    let plan = try connection.rows("EXPLAIN QUERY PLAN " + Self.sql).compactMap { row -> String? in
      guard case .text(let detail)? = row.last else { return nil }
      return detail
    }
    #expect(plan.first == "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)")
    let join = try connection.rows(
      "EXPLAIN QUERY PLAN SELECT * FROM t JOIN _Z_intarray0 a ON t.id = a.value")
    #expect("\(join)".contains("SEARCH t USING INTEGER PRIMARY KEY"))
  }

  @Test func `Arrays work on a read-only file`() throws {
    try withDatabaseFile(rows: 3) { _, path in
      let reader = try Connection(.file(path), options: .readOnly)
      try reader.integerArray(0).values = [2]
      #expect(try reader.rows(Self.sql) == [[2]])
    }
  }

  @Test func `Arrays cannot be written`() throws {
    let connection = try Connection(.memory)
    _ = try connection.integerArray(0)
    try sqliteError(.error) { try connection.run("DELETE FROM _Z_intarray0") }
  }
}
