import SQLiteDriver
import Testing

@Suite struct `The statement cache` {
  private func connection(capacity: Int) throws -> Connection {
    var options = Connection.Options()
    options.statementCacheCapacity = capacity
    return try Connection(.memory, options: options)
  }

  @Test func `A cached statement is reset and has no bindings`() throws {
    let connection = try makeDatabase(rows: 2)
    do {
      var statement = try connection.prepare("SELECT ?, id FROM t")
      try statement.bind("left over", at: 1)
      #expect(try statement.step())
    }
    let idle = connection.cachedStatementCount
    var again = try connection.prepare("SELECT ?, id FROM t")
    #expect(connection.cachedStatementCount == idle - 1)
    #expect(try again.step())
    #expect(again.row.values == [nil, 1])
  }

  @Test func `Nested use of the same SQL gets a second statement, and one is kept`() throws {
    let connection = try makeDatabase(rows: 3)
    connection.clearStatementCache()
    var pairs: [[Int64]] = []
    do {
      var outer = try connection.prepare("SELECT id FROM t")
      while try outer.step() {
        var inner = try connection.prepare("SELECT id FROM t")
        while try inner.step() { pairs.append([outer.row.int64(at: 0), inner.row.int64(at: 0)]) }
      }
    }
    #expect(pairs.count == 9)
    #expect(pairs.last == [3, 3])
    #expect(connection.cachedStatementCount == 1)
  }

  // A larger cache also finds statements by their hash.
  @Test(arguments: [2, Limits.latestStatements + 2])
  func `The least recently used statement is evicted first`(capacity: Int) throws {
    let connection = try connection(capacity: capacity)
    for number in Array(1...capacity) + [1, capacity + 1] {
      try connection.run("SELECT \(number)")
    }
    #expect(connection.cachedStatementCount == capacity)
    #expect(try isCached("SELECT \(capacity + 1)", connection))
    #expect(try isCached("SELECT 1", connection))
    #expect(try isCached("SELECT 2", connection) == false)
  }

  /// Whether the cache has a statement.
  ///
  /// While a cached statement is in use, the cache does not count it.
  private func isCached(_ sql: String, _ connection: Connection) throws -> Bool {
    let before = connection.cachedStatementCount
    let statement = try connection.prepare(sql)
    let during = connection.cachedStatementCount
    return during < before && statement.isReadOnly
  }

  @Test func `Without capacity, nothing is kept`() throws {
    let connection = try connection(capacity: 0)
    try connection.run("SELECT 1")
    #expect(connection.cachedStatementCount == 0)
  }

  @Test func `An idle statement holds no lock`() throws {
    try withDatabaseFile(rows: 2, journal: .delete) { reader, path in
      do {
        var statement = try reader.prepare("SELECT id FROM t")
        #expect(try statement.step())
      }
      try Connection(.file(path)).execute("DROP TABLE t")
    }
  }
}
