import SQLiteDriver
import Testing

@Suite struct `Pragmas` {
  @Test func `Settings have types`() throws {
    try withDatabaseFile { (connection, _) throws in
      #expect(try connection.set(.userVersion, to: 42) == 42)
      #expect(try connection.get(.userVersion) == 42)
      #expect(try connection.set(.foreignKeys, to: true))
      #expect(try connection.get(.journalMode) == .wal)
      #expect(try connection.set(.synchronous, to: .normal) == .normal)
      #expect(try connection.set(.cacheSize, to: -2000) == -2000)
      #expect(try connection.get(.autoVacuum) == AutoVacuum.none)
      #expect(try connection.set(.lockingMode, to: .exclusive) == .exclusive)
      #expect(try connection.get(.encoding) == "UTF-8")
    }
  }

  @Test func `Auto-vacuum is set while the database is empty`() throws {
    let connection = try Connection(.memory)
    #expect(try connection.set(.autoVacuum, to: .incremental) == .incremental)
  }

  @Test func `A setting that was not applied is reported`() throws {
    #expect(try makeDatabase().set(.journalMode, to: .wal) == .memory)
  }

  @Test func `A setting applies to statements prepared before it`() throws {
    let connection = try makeDatabase(rows: 1)
    try connection.run("DELETE FROM t WHERE id = 9")
    try connection.set(.queryOnly, to: true)
    try sqliteError(.readOnly) { try connection.run("DELETE FROM t WHERE id = 9") }
  }

  @Test func `An application's pragmas are set by name`() throws {
    let connection = try makeDatabase()
    try connection.setPragma(named: "cache_size", to: "-123")
    try connection.setPragma(named: "secure_delete", to: "FAST")
    #expect(try connection.get(.cacheSize) == -123)
    #expect(try connection.get(Pragma<Int64>("secure_delete")) == 2)
  }

  @Test(arguments: [
    ("", "1"), ("a b", "1"), ("user_version=1; DROP TABLE t; --", "1"), ("main.user_version", "1"),
  ])
  func `An invalid name is refused`(name: String, text: String) throws {
    try sqliteError(.misuse) { try makeDatabase().setPragma(named: name, to: text) }
  }

  @Test(arguments: ["1; DROP TABLE t", "'; DROP TABLE t; --", "-", "", "a'b", "-'"])
  func `A value cannot inject SQL`(text: String) throws {
    let connection = try makeDatabase()
    try connection.setPragma(named: "user_version", to: text)
    #expect(try count(connection) == 0)
  }

  @Test func `A response of another type is an error`() throws {
    let error = try sqliteError(.typeMismatch) {
      _ = try makeDatabase().get(Pragma<Int64>("encoding"))
    }
    #expect(error.message.contains("which is not a valid Int64"))
    try sqliteError(.typeMismatch) { _ = try makeDatabase().get(Pragma<Int64>("no_such_pragma")) }
  }

  @Test func `The schema version follows the schema, the data version follows commits of others`()
    throws
  {
    try withDatabaseFile { connection, path in
      let schema = try connection.get(.schemaVersion)
      let data = try connection.get(.dataVersion)
      try connection.execute("CREATE TABLE more(x)")
      #expect(try connection.get(.schemaVersion) != schema)
      #expect(try connection.get(.dataVersion) == data)
      try Connection(.file(path)).execute("INSERT INTO more VALUES (1)")
      #expect(try connection.get(.dataVersion) != data)
    }
  }
}
