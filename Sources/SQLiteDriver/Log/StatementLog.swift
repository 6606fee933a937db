internal import CSQLite

/// Observes every statement of a connection, for SQL debugging and for tests that count statements.
///
/// It is off by default, and then costs nothing.
final class StatementLog {
  let detail: LoggedStatement.Detail
  let report: (LoggedStatement) -> Void

  /// A running statement.
  private struct Run {
    let start = ContinuousClock.now
    /// Whether the aggregate function receives the rows, so that its reader calls `collected`.
    let collectsRows: Bool
    var rowCount = 0
    var rows: [String] = []
  }

  /// The running statements, by the address of their handle; they can be nested.
  private var runs: [UInt: Run] = [:]

  init(detail: LoggedStatement.Detail, report: @escaping (LoggedStatement) -> Void) {
    self.detail = detail
    self.report = report
  }

  /// Whether result rows are reported, or counted.
  var countsRows: Bool { detail >= .rowCounts }

  /// The events of SQLite that the log needs.
  var events: UInt32 {
    let ends = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)
    return countsRows ? ends | UInt32(SQLITE_TRACE_ROW) : ends
  }

  /// Notes the first step of a statement.
  ///
  /// SQLite also reports the start of each trigger, as a start of the statement that fired it. Such
  /// a report has no effect.
  func started(_ address: UInt, collectsRows: @autoclosure () -> Bool) {
    guard runs[address] == nil else { return }
    runs[address] = Run(collectsRows: countsRows && collectsRows())
  }

  /// Notes a row that a step returned.
  func stepped(_ row: borrowing Row, of address: UInt) {
    guard let run = runs[address], !run.collectsRows else { return }
    note(row, count: row.count, of: address)
  }

  /// Notes a row that the aggregate function received.
  func collected(_ row: borrowing FunctionArguments, of address: UInt) {
    note(row, count: row.count, of: address)
  }

  private func note(
    _ row: borrowing some BorrowedValues & ~Copyable, count: Int, of address: UInt
  ) {
    runs[address]?.rowCount += 1
    guard detail >= .rows, runs[address]?.rows.count ?? 0 < Limits.loggedRows else { return }
    runs[address]?.rows.append(row.literals(count: count))
  }

  /// Reports a statement that ended.
  func finished(_ address: UInt, _ statement: LoggedStatement) {
    var statement = statement
    if let run = runs.removeValue(forKey: address) {
      statement.duration = run.start.duration(to: .now)
      statement.rowCount = run.rowCount
      statement.rows = run.rows
    }
    report(statement)
  }
}
