import SQLiteDriver
import Testing

@Suite struct `Savepoints` {
  struct Refused: Error, Equatable {}

  @Test func `a savepoint undoes its own changes and no others`() throws {
    let connection = try makeDatabase()
    try connection.transaction {
      try connection.run("INSERT INTO t(id) VALUES (1)")
      #expect(throws: Refused()) {
        try connection.savepoint {
          try connection.run("INSERT INTO t(id) VALUES (2)")
          throw Refused()
        }
      }
      try connection.savepoint { try connection.run("INSERT INTO t(id) VALUES (3)") }
    }
    #expect(try connection.rows("SELECT id FROM t") == [[1], [3]])
  }

  @Test func `savepoints nest`() throws {
    let connection = try makeDatabase()
    try connection.savepoint {
      try connection.run("INSERT INTO t(id) VALUES (1)")
      try connection.savepoint {
        try connection.run("INSERT INTO t(id) VALUES (2)")
        #expect(throws: Refused()) {
          try connection.savepoint {
            try connection.run("INSERT INTO t(id) VALUES (3)")
            throw Refused()
          }
        }
      }
    }
    #expect(try connection.rows("SELECT id FROM t") == [[1], [2]])
    #expect(!connection.isInTransaction)
  }

  @Test func `an outer savepoint takes inner ones with it`() throws {
    let connection = try makeDatabase()
    #expect(throws: Refused()) {
      try connection.savepoint {
        try connection.savepoint { try connection.run("INSERT INTO t(id) VALUES (1)") }
        throw Refused()
      }
    }
    #expect(try count(connection) == 0)
    #expect(!connection.isInTransaction)
  }
}
