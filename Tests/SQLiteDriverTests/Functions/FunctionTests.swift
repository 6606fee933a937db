import SQLiteDriver
import Testing

@Suite struct `Functions in SQL` {
  struct FunctionRefusal: Error, CustomStringConvertible { let description = "no, thank you" }

  @Test(arguments: [nil, 7, 0.5, "", "a\0ü", .blob([]), .blob([1, 2])] as [Value])
  func `A function returns any value it receives`(value: Value) throws {
    let connection = try Connection(.memory)
    try connection.register(function: "same", arity: .exactly(1)) { arguments in
      arguments.value(at: 0)
    }
    #expect(try connection.value("SELECT same(?)", [value]) == value)
  }

  @Test func `Arguments are borrowed without copies`() throws {
    let connection = try Connection(.memory)
    try connection.register(function: "sizes", arity: .exactly(3)) { arguments in
      let sizes = [
        arguments.withText(at: 0) { $0.count }, arguments.withBlob(at: 1) { $0.byteCount },
        arguments.withText(at: 2) { $0.count }, arguments.withBlob(at: 2) { $0.byteCount },
      ]
      return .text("\(sizes.map { $0 ?? -1 })")
    }
    #expect(try connection.value("SELECT sizes('ab', x'', NULL)") == "[2, 0, -1, -1]")
  }

  @Test func `A missing argument is NULL`() throws {
    let connection = try Connection(.memory)
    try connection.register(function: "far", arity: .any) { arguments in
      .integer(
        Int64(arguments.count) * 10
          + (arguments.isNull(at: 5) && arguments.value(at: -1) == .null ? 1 : 0))
    }
    #expect(try connection.value("SELECT far(1, 2)") == 21)
    #expect(try connection.value("SELECT far()") == 1)
  }

  @Test func `One name can have several argument counts`() throws {
    let connection = try Connection(.memory)
    try connection.register(function: "f", arity: .exactly(1)) { _ in "one" }
    try connection.register(function: "f", arity: .exactly(2)) { _ in "two" }
    #expect(try connection.rows("SELECT f(0), f(0, 0)") == [["one", "two"]])
    try sqliteError(.error) { _ = try connection.value("SELECT f(0, 0, 0)") }
  }

  @Test(arguments: [-1, 128, Int.max])
  func `An impossible argument count is refused`(count: Int) throws {
    let connection = try Connection(.memory)
    try sqliteError(.misuse) {
      try connection.register(function: "f", arity: .exactly(count)) { _ in nil }
    }
  }

  @Test func `An error thrown by a function is the statement's error`() throws {
    let connection = try Connection(.memory)
    try connection.register(function: "refuse", arity: .exactly(0)) { _ in throw FunctionRefusal() }
    let error = try sqliteError(.error) { _ = try connection.value("SELECT refuse()") }
    #expect(error.message == "no, thank you")
    #expect(error.context.sql == "SELECT refuse()")
  }

  @Test func `An SQLite error thrown by a function keeps its code`() throws {
    let connection = try Connection(.memory)
    try connection.register(function: "stop", arity: .exactly(0)) { _ in
      throw SQLiteError(code: .constraintFunction, message: "not like this")
    }
    let error = try sqliteError(.constraintFunction) { _ = try connection.value("SELECT stop()") }
    #expect(error.message == "not like this")
  }

  @Test func `Only a deterministic function may be indexed`() throws {
    let connection = try makeDatabase(rows: 2)
    try connection.register(function: "changing", arity: .exactly(1)) { _ in 1 }
    try connection.register(
      function: "fixed", arity: .exactly(1), traits: [.deterministic, .innocuous]
    ) {
      $0.value(at: 0)
    }
    try connection.execute("CREATE INDEX good ON t(fixed(name))")
    try sqliteError(.error) { try connection.execute("CREATE INDEX bad ON t(changing(name))") }
  }

  @Test func `A schema calls innocuous functions only`() throws {
    let connection = try Connection(.memory)
    try connection.register(function: "plain", arity: .exactly(0)) { _ in 1 }
    try connection.register(function: "harmless", arity: .exactly(0), traits: .innocuous) { _ in 2 }
    try connection.execute("CREATE VIEW a AS SELECT plain(); CREATE VIEW b AS SELECT harmless()")
    let error = try sqliteError(.error) { _ = try connection.value("SELECT * FROM a") }
    #expect(error.message == "unsafe use of plain()")
    #expect(try connection.value("SELECT * FROM b") == 2)
  }

  @Test func `A trusted schema calls functions that are not direct-only`() throws {
    var options = Connection.Options()
    options.trustsSchema = true
    let connection = try Connection(.memory, options: options)
    try connection.register(function: "plain", arity: .exactly(0)) { _ in 1 }
    try connection.register(function: "direct", arity: .exactly(0), traits: .directOnly) { _ in 2 }
    try connection.execute("CREATE VIEW a AS SELECT plain(); CREATE VIEW b AS SELECT direct()")
    #expect(try connection.value("SELECT * FROM a") == 1)
    #expect(try connection.value("SELECT direct()") == 2)
    try sqliteError(.error) { _ = try connection.value("SELECT * FROM b") }
  }

  @Test func `A function's closure is released with the connection`() throws {
    final class Witness {}
    weak var witness: Witness?
    do {
      let connection = try Connection(.memory)
      let object = Witness()
      witness = object
      try connection.register(function: "f", arity: .exactly(0)) { _ in
        withExtendedLifetime(object) { 1 }
      }
      #expect(try connection.value("SELECT f()") == 1)
    }
    #expect(witness == nil)
  }

  @Test func `A function can use its connection`() throws {
    let connection = try makeDatabase(rows: 3)
    try connection.register(function: "rows_now", arity: .exactly(0)) { [unowned connection] _ in
      try count(connection) ?? .null
    }
    #expect(try connection.value("SELECT rows_now() FROM t") == 3)
  }
}

@Suite struct `Auxiliary data` {
  private final class Kept {
    let pattern: String
    init(_ pattern: String) { self.pattern = pattern }
  }

  private func connection(_ created: Counter) throws -> Connection {
    let connection = try makeDatabase(rows: 10)
    try connection.register(function: "keep", arity: .exactly(2), traits: .deterministic) {
      arguments in
      let kept = arguments.auxiliary(at: 1) {
        created.value += 1
        return Kept(arguments.text(at: 1) ?? "")
      }
      return .text(kept.pattern)
    }
    return connection
  }

  private final class Counter { var value = 0 }

  @Test func `The value for a constant is created once per execution`() throws {
    let created = Counter()
    let connection = try connection(created)
    var statement = try connection.prepare("SELECT keep(name, ?) FROM t")
    for pattern in ["a", "b"] {
      try statement.bind(pattern, at: 1)
      while try statement.step() { #expect(statement.row.text(at: 0) == pattern) }
    }
    #expect(created.value == 2)
  }

  @Test func `The value for a column is created for every row`() throws {
    let created = Counter()
    let connection = try connection(created)
    #expect(
      try connection.rows("SELECT keep(1, name) FROM t WHERE id < 3") == [["name 1"], ["name 2"]])
    #expect(created.value == 2)
  }
}

@Suite struct `Aggregates in SQL` {
  struct Join: AggregateFunction {
    private var parts: [String] = []
    mutating func add(_ arguments: borrowing FunctionArguments) throws {
      guard !arguments.isNull(at: 0) else { throw Unjoinable() }
      parts.append(arguments.text(at: 0) ?? "")
    }
    func result() throws -> Value {
      guard parts.count < 4 else { throw Unjoinable() }
      return .text(parts.joined(separator: "+"))
    }
  }

  struct Unjoinable: Error, CustomStringConvertible { let description = "cannot be joined" }

  private func connection(rows: Int) throws -> Connection {
    let connection = try makeDatabase(rows: rows)
    try connection.register(
      aggregate: "join_texts", arity: .exactly(1), traits: .deterministic, Join.self)
    return connection
  }

  @Test func `Each group has its own state`() throws {
    let rows = try connection(rows: 5).rows(
      "SELECT join_texts(id) FROM (SELECT * FROM t ORDER BY id) GROUP BY id % 2")
    #expect(rows == [["2+4"], ["1+3+5"]])
  }

  @Test func `A group without rows has the result of an initial state`() throws {
    #expect(try connection(rows: 0).value("SELECT join_texts(name) FROM t") == "")
  }

  @Test(arguments: ["SELECT join_texts(NULL) FROM t", "SELECT join_texts(id) FROM t"])
  func `Errors of a row and of the result are the statement's`(sql: String) throws {
    let connection = try connection(rows: 5)
    let error = try sqliteError(.error) { _ = try connection.value(sql) }
    #expect(error.message == "cannot be joined")
    #expect(try connection.value("SELECT join_texts(id) FROM t WHERE id = 1") == "1")
  }
}
