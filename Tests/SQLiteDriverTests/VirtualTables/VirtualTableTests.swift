import SQLiteDriver
import Testing

@Suite struct `Virtual tables` {
  /// Three squares, beginning with the square of `first`, which is a constraint.
  ///
  /// Each step can be made to fail.
  final class Squares: VirtualTable {
    enum Failure: String { case nowhere, declaration, plan, cursor, begin, advance, column }
    struct Refused: Error, CustomStringConvertible { let description: String }

    let failure: Failure
    var openCursors = 0
    init(failing failure: Failure = .nowhere) { self.failure = failure }

    func fail(at point: Failure) throws {
      if failure == point { throw Refused(description: "refused at \(point.rawValue)") }
    }

    var declaration: String {
      failure == .declaration ? "CREATE NONSENSE" : "CREATE TABLE x(square, first HIDDEN)"
    }

    func plan(_ query: inout VirtualTableQuery) throws {
      try fail(at: .plan)
      query.estimatedCost = 10
      query.estimatedRows = 10
      guard
        let index = query.constraints.firstIndex(where: {
          $0.column == 1 && $0.isUsable && $0.comparison == .equal
        })
      else { return }
      query.constraints[index].argument = 1
      query.strategy = 1
    }

    func makeCursor() throws -> any VirtualTableCursor {
      try fail(at: .cursor)
      return Cursor(self)
    }

    final class Cursor: VirtualTableCursor {
      let table: Squares
      var first: Int64 = 0
      var offset: Int64 = 0
      init(_ table: Squares) {
        self.table = table
        table.openCursors += 1
      }
      deinit { table.openCursors -= 1 }
      func begin(strategy: Int32, _ arguments: borrowing FunctionArguments) throws {
        try table.fail(at: .begin)
        first = strategy == 1 ? arguments.int64(at: 0) : 0
        offset = 0
      }
      var isAtEnd: Bool { offset == 3 }
      func advance() throws {
        try table.fail(at: .advance)
        offset += 1
      }
      func column(_ index: Int) throws -> Value {
        try table.fail(at: .column)
        return .integer(index == 0 ? (first + offset) * (first + offset) : first)
      }
      var rowID: Int64 { offset }
    }
  }

  @Test func `Rows come from Swift, constraints go to Swift`() throws {
    let connection = try Connection(.memory)
    let table = Squares()
    try connection.register(table: table, named: "squares")
    #expect(try connection.rows("SELECT * FROM squares") == [[0], [1], [4]])
    #expect(try connection.rows("SELECT * FROM squares(5)") == [[25], [36], [49]])
    #expect(
      try connection.rows("SELECT square FROM squares WHERE first = ?", [2]) == [[4], [9], [16]])
    connection.clearStatementCache()
    #expect(table.openCursors == 0)
  }

  @Test(arguments: [Squares.Failure.plan, .cursor, .begin, .advance, .column])
  func `An error thrown by a table is the statement's error`(failure: Squares.Failure) throws {
    let connection = try Connection(.memory)
    let table = Squares(failing: failure)
    try connection.register(table: table, named: "squares")
    let error = try sqliteError(.error) { _ = try connection.rows("SELECT * FROM squares") }
    #expect(error.message == "refused at \(failure.rawValue)")
    connection.clearStatementCache()
    #expect(table.openCursors == 0)
  }

  @Test func `An invalid declaration is an error`() throws {
    let connection = try Connection(.memory)
    try connection.register(table: Squares(failing: .declaration), named: "squares")
    try sqliteError(.error) { _ = try connection.rows("SELECT * FROM squares") }
  }

  @Test func `A table is released with the connection`() throws {
    weak var witness: Squares?
    do {
      let connection = try Connection(.memory)
      let table = Squares()
      witness = table
      try connection.register(table: table, named: "squares")
      _ = try connection.rows("SELECT * FROM squares")
    }
    #expect(witness == nil)
  }
}
