import SQLiteDriver
import Testing

@Suite struct `Transactions` {
  struct Refused: Error, Equatable {}

  @Test(arguments: [TransactionKind.deferred, .immediate, .exclusive])
  func `Changes are kept if the closure returns`(kind: TransactionKind) throws {
    let connection = try makeDatabase()
    let result = try connection.transaction(kind) {
      try connection.run("INSERT INTO t(id) VALUES (1)")
      return 42
    }
    #expect(result == 42)
    #expect(!connection.isInTransaction)
    #expect(try count(connection) == 1)
  }

  @Test func `Changes are undone if the closure throws`() throws {
    let connection = try makeDatabase()
    #expect(throws: Refused()) {
      try connection.transaction {
        try connection.run("INSERT INTO t(id) VALUES (1)")
        throw Refused()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try count(connection) == 0)
  }

  @Test func `An error that the closure handles does not end the transaction`() throws {
    let connection = try makeDatabase(rows: 1)
    try connection.transaction {
      try sqliteError(.constraintPrimaryKey) { try connection.run("INSERT INTO t(id) VALUES (1)") }
      try connection.run("INSERT INTO t(id) VALUES (2)")
    }
    #expect(try count(connection) == 2)
  }

  @Test func `A nested transaction is refused and does no harm`() throws {
    let connection = try makeDatabase()
    try connection.transaction {
      try connection.run("INSERT INTO t(id) VALUES (1)")
      try sqliteError(.error) { try connection.transaction {} }
      #expect(connection.isInTransaction)
    }
    #expect(try count(connection) == 1)
  }

  @Test func `An immediate transaction locks at once, a deferred one at its first write`() throws {
    try withDatabaseFile(rows: 1) { connection, path in
      var options = Connection.Options()
      options.busyPolicy = .fail
      let other = try Connection(.file(path), options: options)
      try connection.transaction(.deferred) {
        _ = try count(connection)
        try other.transaction { try other.run("DELETE FROM t") }
      }
      try connection.transaction(.immediate) {
        try sqliteError(.busy) { try other.begin(.immediate) }
      }
    }
  }

  @Test func `A deferred transaction with a stale read cannot write`() throws {
    try withDatabaseFile(rows: 1) { connection, path in
      let other = try Connection(.file(path))
      let error = try sqliteError(.busySnapshot) {
        try connection.transaction(.deferred) {
          _ = try count(connection)
          try other.run("DELETE FROM t")
          try connection.run("INSERT INTO t(id) VALUES (7)")
        }
      }
      #expect(error.remedy.contains("as immediate"))
      #expect(!connection.isInTransaction)
      #expect(try count(connection) == 0)
    }
  }

  @Test func `A rollback without a transaction is allowed`() throws {
    try makeDatabase().rollback()
  }
}

@Suite struct `Commits that fail` {
  private func withOpenReader(_ body: (Connection, Connection) throws -> Void) throws {
    try withDatabaseFile(rows: 1, journal: .delete) { writer, path in
      try writer.setBusyPolicy(.fail)
      let reader = try Connection(.file(path), options: .readOnly)
      try reader.begin(.deferred)
      _ = try count(reader)
      try body(writer, reader)
    }
  }

  @Test func `A commit that failed with busy can be retried`() throws {
    try withOpenReader { writer, reader in
      try writer.begin()
      try writer.run("INSERT INTO t(id) VALUES (2)")
      try sqliteError(.busy) { try writer.commit() }
      #expect(writer.isInTransaction)
      try reader.rollback()
      try writer.commit()
      #expect(try count(reader) == 2)
    }
  }

  @Test func `A failed commit of a closure rolls back and throws`() throws {
    try withOpenReader { writer, reader in
      try sqliteError(.busy) {
        try writer.transaction { try writer.run("INSERT INTO t(id) VALUES (2)") }
      }
      #expect(!writer.isInTransaction)
      try reader.rollback()
      #expect(try count(writer) == 1)
    }
  }

  @Test func `A deferred constraint stops the commit and rolls back`() throws {
    let connection = try makeDatabase(rows: 1)
    try connection.set(.foreignKeys, to: true)
    try connection.execute(
      "CREATE TABLE child(parent REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED)")
    try sqliteError(.constraintForeignKey) {
      try connection.transaction { try connection.run("INSERT INTO child VALUES (99)") }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.value("SELECT count(*) FROM child") == 0)
  }
}

@Suite struct `Transactions that SQLite rolls back itself` {
  /// A database whose table `strict` ends a transaction as a full disk or an I/O error does.
  private func databaseThatRollsBack() throws -> Connection {
    let connection = try makeDatabase(rows: 1)
    try connection.execute(
      "CREATE TABLE strict(x UNIQUE ON CONFLICT ROLLBACK); INSERT INTO strict VALUES (1)")
    return connection
  }

  @Test func `The first error is thrown, and nothing is kept`() throws {
    let connection = try databaseThatRollsBack()
    try sqliteError(.constraintUnique) {
      try connection.transaction {
        try connection.run("INSERT INTO t(id) VALUES (2)")
        try connection.run("INSERT INTO strict VALUES (1)")
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try count(connection) == 1)
  }

  @Test func `A closure that continues cannot commit the rest`() throws {
    let connection = try databaseThatRollsBack()
    let error = try sqliteError(.abortedByRollback) {
      try connection.transaction {
        try connection.run("INSERT INTO t(id) VALUES (2)")
        try sqliteError(.constraintUnique) { try connection.run("INSERT INTO strict VALUES (1)") }
        #expect(!connection.isInTransaction)
        let refused = try sqliteError(.abortedByRollback) {
          try connection.run("INSERT INTO t(id) VALUES (3)")
        }
        #expect(refused.context.sql == "INSERT INTO t(id) VALUES (3)")
      }
    }
    #expect(error.message.contains("ended before its closure did"))
    #expect(try count(connection) == 1)
    try connection.run("INSERT INTO t(id) VALUES (4)")
    #expect(try count(connection) == 2)
  }

  @Test(arguments: ["COMMIT", "ROLLBACK"])
  func `A closure that ends the transaction keeps nothing`(sql: String) throws {
    let connection = try makeDatabase()
    try sqliteError(.abortedByRollback) {
      try connection.transaction {
        try connection.run("INSERT INTO t(id) VALUES (1)")
        do { try connection.run(sql) } catch let error as SQLiteError {
          #expect(error.code == .abortedByRollback)
        }
      }
    }
    #expect(try count(connection) == 0)
  }

  @Test func `Savepoints inside the transaction end too`() throws {
    let connection = try databaseThatRollsBack()
    try sqliteError(.abortedByRollback) {
      try connection.transaction {
        try connection.savepoint {
          try sqliteError(.constraintUnique) { try connection.run("INSERT INTO strict VALUES (1)") }
        }
      }
    }
    #expect(try count(connection) == 1)
    #expect(!connection.isInTransaction)
  }
}
