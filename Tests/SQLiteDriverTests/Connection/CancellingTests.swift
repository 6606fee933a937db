import SQLiteDriver
import Testing

@Suite("Cancelling statements") struct CancellingTests {
  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

  @Test func `A cancelled statement is interrupted, and the connection stays usable`() throws {
    let connection = try Connection(.memory)
    var questions = 0
    let cancellation = StatementCancellation {
      questions += 1
      return questions == 3
    }
    let error = #expect(throws: SQLiteError.self) {
      try cancellation.watch(connection) { _ = try connection.value(Self.endless) }
    }
    #expect(error?.code == .interrupted && questions == 3)
    #expect(try connection.value("SELECT 1") == .integer(1))
  }

  @Test func `Statements after the closure are not cancelled`() throws {
    let connection = try Connection(.memory)
    try StatementCancellation(if: { true }).watch(connection) {}
    let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) "
    #expect(try connection.value(count + "SELECT count(*) FROM n") == .integer(5000))
  }
}
