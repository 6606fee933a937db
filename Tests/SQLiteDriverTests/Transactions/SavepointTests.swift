import SQLiteDriver
import Testing

@Suite struct `Savepoints` {
  struct Refused: Error, Equatable {}

  @Test func `A savepoint undoes only its own changes`() throws {
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

  @Test func `Savepoints nest`() throws {
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

  @Test func `An outer savepoint undoes inner ones`() throws {
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
