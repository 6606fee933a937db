import SQLiteDriver
import TestSupport
import Testing

@Suite struct `Stepping a statement` {
  @Test func `Rows come in order until the end`() throws {
    var statement = try makeDatabase(rows: 3).prepare("SELECT id FROM t ORDER BY id DESC")
    var seen: [Int64] = []
    while try statement.step() { seen.append(statement.row.int64(at: 0)) }
    #expect(seen == [3, 2, 1])
  }

  @Test func `A finished statement can be bound and run again at once`() throws {
    var statement = try makeDatabase(rows: 3).prepare("SELECT name FROM t WHERE id = ?")
    for id in 1...3 {
      try statement.bind(Int64(id), at: 1)
      #expect(try statement.step())
      #expect(statement.row.text(at: 0) == "name \(id)")
      #expect(try statement.step() == false)
    }
  }

  @Test func `A closure borrows each row, and its error ends the run`() throws {
    struct EnoughRows: Error {}
    var statement = try makeDatabase(rows: 5).prepare("SELECT id FROM t")
    var seen: [Int64] = []
    #expect(throws: EnoughRows.self) {
      try statement.forEachRow { row in
        seen.append(row.int64(at: 0))
        if seen.count == 2 { throw EnoughRows() }
      }
    }
    #expect(seen == [1, 2])
  }

  @Test func `A reset returns to the start and keeps bindings`() throws {
    var statement = try makeDatabase(rows: 3).prepare("SELECT id FROM t WHERE id >= ?")
    try statement.bind(2, at: 1)
    #expect(try statement.step())
    #expect(try statement.step())
    statement.reset()
    #expect(try statement.step())
    #expect(statement.row.int64(at: 0) == 2)
  }

  @Test func `An error includes the statement, which works again afterwards`()
    throws
  {
    let connection = try makeDatabase(rows: 1)
    var statement = try connection.prepare("INSERT INTO t(id) VALUES (?)")
    try statement.bind(1, at: 1)
    let error = try sqliteError(.constraintPrimaryKey) { try statement.run() }
    #expect(error.message == "UNIQUE constraint failed: t.id")
    #expect(error.context.sql == "INSERT INTO t(id) VALUES (?)")
    try statement.bind(2, at: 1)
    try statement.run()
    #expect(try count(connection) == 2)
  }

  @Test func `A statement knows whether it only reads`() throws {
    let connection = try makeDatabase()
    #expect(try connection.prepare("SELECT * FROM t").isReadOnly == true)
    #expect(try connection.prepare("DELETE FROM t").isReadOnly == false)
  }

  @Test func `A schema change recompiles a prepared statement`() throws {
    let connection = try makeDatabase(rows: 1)
    var statement = try connection.prepare("SELECT * FROM t")
    try connection.execute("ALTER TABLE t ADD COLUMN extra DEFAULT 7")
    #expect(try statement.step())
    #expect(statement.row.count == 5)
    #expect(statement.row.value(at: 4) == 7)
  }
}
