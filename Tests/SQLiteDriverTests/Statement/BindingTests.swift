import SQLiteDriver
import TestSupport
import Testing

@Suite struct `Binding values` {
  static let values: [Value] = [
    nil, 0, .integer(.max), .integer(.min), 0.1, .real(-.infinity), .real(.leastNonzeroMagnitude),
    "", "a",
    "with\0null", "ünïcödé 👩‍👩‍👧", .text(String(repeating: "long ", count: 5_000)), .blob([]),
    .blob([0]),
    .blob(Array(repeating: 7, count: 100_000)),
  ]

  @Test(arguments: values)
  func `Every value is read back as it was bound`(value: Value) throws {
    #expect(try Connection(.memory).rows("SELECT ?, ?1", [value]) == [[value, value]])
  }

  @Test func `NaN is bound as NULL`() throws {
    #expect(try Connection(.memory).value("SELECT ?", [.real(.nan)]) == Value.null)
  }

  @Test func `A parameter's buffer is reused for values of any length`() throws {
    var generator = SeededGenerator.forTest()
    var statement = try Connection(.memory).prepare("SELECT ?, ?")
    for _ in 0..<500 {
      let text = String(
        repeating: "x",
        count: Int.random(in: 0...Limits.parameterBufferBytes + 10, using: &generator))
      let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      try statement.bind([.text(text), .blob(bytes)])
      #expect(try statement.step())
      #expect(statement.row.values == [.text(text), .blob(bytes)], "\(generator)")
      statement.reset()
    }
  }

  @Test(arguments: [0, -1, 2, Int.max, Int.min])
  func `An unknown parameter is an error`(parameter: Int) throws {
    var statement = try Connection(.memory).prepare("SELECT ?")
    try sqliteError(.outOfRange) { try statement.bind(1, at: parameter) }
    try sqliteError(.outOfRange) { try statement.bind("x", at: parameter) }
    try sqliteError(.outOfRange) { try statement.bind([UInt8](), at: parameter) }
    try sqliteError(.outOfRange) { try statement.bindNull(at: parameter) }
  }

  @Test(arguments: [[], [1, 2]] as [[Value]])
  func `The count of values must equal that of parameters`(values: [Value]) throws {
    var statement = try Connection(.memory).prepare("SELECT ?")
    let error = try sqliteError(.outOfRange) { try statement.bind(values) }
    #expect(error.message == "the statement has 1 parameters, not \(values.count)")
  }

  @Test func `A running statement refuses new bindings and keeps the old ones`() throws {
    var statement = try makeDatabase(rows: 2).prepare("SELECT ? FROM t")
    try statement.bind("old", at: 1)
    #expect(try statement.step())
    try sqliteError(.misuse) { try statement.bind("new", at: 1) }
    #expect(try statement.step())
    #expect(statement.row.text(at: 0) == "old")
  }

  @Test func `Clearing makes every parameter NULL`() throws {
    var statement = try Connection(.memory).prepare("SELECT ?, ?")
    try statement.bind([1, "a"])
    statement.clearBindings()
    #expect(try statement.step())
    #expect(statement.row.values == [nil, nil])
  }

  @Test func `Parameters have names`() throws {
    let statement = try Connection(.memory).prepare("SELECT :a, @b, $c, ?9")
    #expect(statement.parameterCount == 9)
    #expect(statement.parameter(named: ":a") == 1)
    #expect(statement.parameter(named: "$c") == 3)
    #expect(statement.parameter(named: "a") == nil)
  }

  @Test func `Spans are bound as a text and as a blob`() throws {
    var statement = try Connection(.memory).prepare("SELECT ?, ?")
    let bytes: [UInt8] = Array("abc".utf8)
    try statement.bind(utf8: bytes.span, at: 1)
    try statement.bind(blob: bytes.span.bytes, at: 2)
    #expect(try statement.step())
    #expect(statement.row.values == ["abc", .blob(bytes)])
  }
}

@Suite struct `Borrowed bindings` {
  @Test func `Bytes are read in place and released afterwards`() throws {
    var statement = try Connection(.memory).prepare("SELECT ?, ?")
    let blob = [UInt8](repeating: 9, count: 1 << 16)
    let text = Array("borrowed".utf8)
    let sizes = try statement.withBorrowed(blob: blob.span.bytes, at: 1) { statement in
      try statement.withBorrowed(utf8: text.span, at: 2) { statement in
        let found = try statement.step()
        #expect(found)
        return [statement.row.withBlob(at: 0) { $0.byteCount }, statement.row.text(at: 1)?.count]
      }
    }
    #expect(sizes == [1 << 16, 8])
    #expect(try statement.step())
    #expect(statement.row.values == [nil, nil])
  }

  @Test func `An empty blob is not NULL`() throws {
    var statement = try Connection(.memory).prepare("SELECT typeof(?)")
    let empty: [UInt8] = []
    try statement.withBorrowed(blob: empty.span.bytes, at: 1) { statement in
      let found = try statement.step()
      #expect(found)
      #expect(statement.row.text(at: 0) == "blob")
    }
  }

  @Test func `An error in the closure also releases the bytes`() throws {
    var statement = try Connection(.memory).prepare("SELECT ?")
    let text = Array("x".utf8)
    try sqliteError(.outOfRange) {
      try statement.withBorrowed(utf8: text.span, at: 1) { statement in try statement.bind(1, at: 5)
      }
    }
    #expect(try statement.step())
    #expect(statement.row.isNull(at: 0) == true)
  }
}
