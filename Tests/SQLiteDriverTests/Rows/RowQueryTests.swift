import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// Both ways to read rows give the same results.
@Suite struct `Reading all rows` {
  enum Way: CaseIterable {
    case stepping, collecting

    func query(_ sql: String, columns: Int) -> RowQuery {
      self == .stepping ? RowQuery(stepping: sql) : RowQuery(collecting: sql, columns: columns)
    }
  }

  private struct EnoughRows: Error {}

  private func rows(
    _ way: Way, _ connection: Connection, _ sql: String, columns: Int, _ bindings: [Value] = []
  ) throws -> [[Value]] {
    var statement = try connection.prepare(way.query(sql, columns: columns))
    try statement.bind(bindings)
    var rows: [[Value]] = []
    try statement.readRows { row in rows.append((0..<row.count).map { row.value(at: $0) }) }
    return rows
  }

  @Test(arguments: Way.allCases)
  func `Rows are read in order, with values of every storage class`(way: Way) throws {
    let connection = try makeDatabase(rows: 3)
    try connection.run(
      "INSERT INTO t VALUES (7, NULL, -0.5, zeroblob(0)), (8, '', 0, x'00ff'), (9, 'é', NULL, NULL)"
    )
    let read = try rows(
      way, connection, "SELECT id, name, score, data FROM t WHERE id > ?", columns: 4, [1])
    #expect(
      read == [
        [2, "name 2", 1.0, .blob([2])], [3, "name 3", 1.5, .blob([3])], [7, nil, -0.5, .blob([])],
        [8, "", 0.0, .blob([0, 255])], [9, "é", nil, nil],
      ])
    #expect(try rows(way, connection, "SELECT id FROM t WHERE id > ?", columns: 1, [9]) == [])
  }

  @Test(arguments: Way.allCases)
  func `Zeros, NULLs and missing columns are distinguished`(
    way: Way
  ) throws {
    let connection = try makeDatabase()
    try connection.run("INSERT INTO t VALUES (1, NULL, 0, NULL), (2, '12', 2.5, x'41')")
    var statement = try connection.prepare(
      way.query("SELECT id, name, score, data FROM t", columns: 4))
    var numbers: [[Int64?]] = []
    var decimals: [[Double?]] = []
    var missing: [Bool] = []
    try statement.readRows { row in
      numbers.append([row.optionalInt64(at: 1), row.optionalInt64(at: 2)])
      decimals.append([row.optionalDouble(at: 1), row.optionalDouble(at: 2)])
      missing.append(
        row.isNull(at: 4) && row.isNull(at: -1) && row.text(at: 4) == nil
          && row.blob(at: .max) == nil)
    }
    #expect(numbers == [[nil, 0], [12, 2]])
    #expect(decimals == [[nil, 0], [12, 2.5]])
    #expect(missing == [true, true])
  }

  @Test(arguments: Way.allCases)
  func `A query can run again with other values`(way: Way) throws {
    var statement = try makeDatabase(rows: 4).prepare(
      way.query("SELECT id FROM t WHERE id > ?", columns: 1))
    for least in 0...4 {
      try statement.bind(Int64(least), at: 1)
      var seen: [Int64] = []
      try statement.readRows { seen.append($0.int64(at: 0)) }
      #expect(seen == (1...4).filter { $0 > least })
    }
  }

  @Test(arguments: Way.allCases)
  func `A query ends with the reader's error and can run again`(way: Way) throws {
    var statement = try makeDatabase(rows: 5).prepare(way.query("SELECT id FROM t", columns: 1))
    for _ in 1...2 {
      var seen: [Int64] = []
      #expect(throws: EnoughRows.self) {
        try statement.readRows { row in
          seen.append(row.int64(at: 0))
          if seen.count == 2 { throw EnoughRows() }
        }
      }
      #expect(seen == [1, 2])
    }
    var count = 0
    try statement.readRows { _ in count += 1 }
    #expect(count == 5)
  }

  @Test(arguments: Way.allCases, Way.allCases)
  func `A reader can run the query again and continue with its own rows`(outer: Way, inner: Way)
    throws
  {
    let connection = try makeDatabase(rows: 3)
    var statement = try connection.prepare(outer.query("SELECT id FROM t", columns: 1))
    var seen: [[Value]] = []
    var failures = 0
    try statement.readRows { row in
      let id = row.value(at: 0)
      let others = try rows(inner, connection, "SELECT id FROM t WHERE id > ?", columns: 1, [id])
      seen.append([id] + others.joined())
      var failing = try connection.prepare(inner.query("SELECT id FROM t", columns: 1))
      do { try failing.readRows { _ in throw EnoughRows() } } catch is EnoughRows { failures += 1 }
    }
    #expect(seen == [[1, 2, 3], [2, 3], [3]])
    #expect(failures == 3)
  }

  @Test(arguments: Way.allCases)
  func `An interrupt ends the query`(way: Way) throws {
    let connection = try makeDatabase(rows: 100)
    var seen = 0
    try sqliteError(.interrupted) {
      var statement = try connection.prepare(way.query("SELECT id FROM t", columns: 1))
      try statement.readRows { _ in
        seen += 1
        if seen == 3 { connection.interrupter.interrupt() }
      }
    }
    #expect(seen == 3)
    #expect(try rows(way, connection, "SELECT id FROM t", columns: 1).count == 100)
  }

  @Test(arguments: Way.allCases)
  func `A damaged page is reported after the rows before it`(way: Way) throws {
    try withDatabaseFile(rows: 3_000, journal: .delete) { connection, path in
      try connection.close()
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      try file.seek(toOffset: 4096 * 9)
      try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
      try file.close()
      let damaged = try Connection(.file(path))
      var seen = 0
      let error = try sqliteError(.corrupt) {
        var statement = try damaged.prepare(way.query("SELECT id, name FROM t", columns: 2))
        try statement.readRows { _ in seen += 1 }
      }
      #expect((1..<3_000).contains(seen))
      #expect(error.context.sql == "SELECT id, name FROM t")
    }
  }

  @Test(arguments: Way.allCases)
  func `A locked file fails at once without a wait`(way: Way) throws {
    try withDatabaseFile(rows: 3, journal: .delete) { connection, path in
      var options = Connection.Options()
      options.busyPolicy = .fail
      let reader = try Connection(.file(path), options: options)
      #expect(try rows(way, reader, "SELECT id FROM t", columns: 1).count == 3)
      try connection.begin(.exclusive)
      try sqliteError(.busy) { _ = try rows(way, reader, "SELECT id FROM t", columns: 1) }
      try connection.rollback()
      #expect(try rows(way, reader, "SELECT id FROM t", columns: 1).count == 3)
    }
  }

  @Test(arguments: Way.allCases)
  func `The query is one statement in the log, which shows its SQL`(way: Way) throws {
    let connection = try makeDatabase(rows: 3)
    var lines: [String] = []
    for detail in [LoggedStatement.Detail.statements, .values] {
      try connection.setStatementLog(detail: detail) { lines.append($0.expandedSQL ?? $0.sql) }
      let name: Value = ") SELECT ParhelionRows(c0) FROM t) AS ("
      _ = try rows(
        way, connection, "SELECT id FROM t WHERE name <> ? AND id > 1", columns: 1, [name])
    }
    try connection.setStatementLog(nil)
    #expect(
      lines == [
        "SELECT id FROM t WHERE name <> ? AND id > 1",
        "SELECT id FROM t WHERE name <> ') SELECT ParhelionRows(c0) FROM t) AS (' AND id > 1",
      ])
  }

  @Test(arguments: Way.allCases)
  func `An SQL error has its position`(way: Way) throws {
    let connection = try makeDatabase()
    let error = try sqliteError(.error) {
      _ = try connection.prepare(way.query("SELECT id, nam FROM t", columns: 2))
    }
    #expect(error.message == "no such column: nam")
    #expect(error.context.sql == "SELECT id, nam FROM t")
    #expect(error.context.sqlOffset == 11)
  }
}

@Suite struct `Collecting queries` {
  @Test func `A query names all of its columns`() {
    let query = RowQuery(collecting: "SELECT a, b FROM t", columns: 2)
    #expect(query.sql == "SELECT a, b FROM t")
    #expect(
      query.statement
        == "WITH ParhelionRows(c0, c1) AS (SELECT a, b FROM t) SELECT ParhelionRows(c0, c1) FROM ParhelionRows"
    )
  }

  @Test func `A query with more columns than function arguments is stepped`() throws {
    let connection = try makeDatabase(rows: 2)
    for count in [Limits.collectedColumns, Limits.collectedColumns + 1, 1000] {
      let columns = Array(repeating: "id", count: count).joined(separator: ", ")
      let query = RowQuery(collecting: "SELECT \(columns) FROM t", columns: count)
      #expect((query.statement == query.sql) == (count > Limits.collectedColumns))
      var statement = try connection.prepare(query)
      var last: [Int64] = []
      try statement.readRows { last.append($0.int64(at: count - 1)) }
      #expect(last == [1, 2])
    }
  }

  @Test(arguments: [
    "SELECT id, name FROM t", "SELECT id, name FROM t WHERE id = ?",
    "SELECT id, name FROM t WHERE name > ?",
    "SELECT t.id, u.name FROM t JOIN t u ON u.id = t.score WHERE t.name = ?",
    "SELECT id, name FROM t WHERE id IN (SELECT score FROM t)",
  ])
  func `The plan equals that of the SELECT alone`(sql: String) throws {
    let connection = try makeDatabase(rows: 3)
    try connection.execute("CREATE INDEX n ON t(name)")
    let query = RowQuery(collecting: sql, columns: 2)
    _ = try connection.prepare(query)
    func plan(_ statement: String) throws -> [Value?] {
      try connection.rows("EXPLAIN QUERY PLAN " + statement, sql.contains("?") ? [1] : []).map(
        \.last)
    }
    let alone = try plan(sql)
    #expect(!alone.isEmpty)
    #expect(try plan(query.statement) == alone)
  }

  @Test func `Views and other SQL cannot use the aggregate function`() throws {
    let connection = try makeDatabase(rows: 2)
    var statement = try connection.prepare(RowQuery(collecting: "SELECT id FROM t", columns: 1))
    let error = try sqliteError(.error) {
      _ = try connection.rows("SELECT ParhelionRows(id) FROM t")
    }
    #expect(error.message == "no reader takes the rows")
    try connection.execute("CREATE VIEW v AS SELECT ParhelionRows(id) AS r FROM t")
    let refusal = try sqliteError(.error) { _ = try connection.rows("SELECT r FROM v") }
    #expect(refusal.message == "unsafe use of ParhelionRows()")
    var count = 0
    try statement.readRows { _ in count += 1 }
    #expect(count == 2)
    try sqliteError(.error) { _ = try statement.step() }
  }
}
