internal import CSQLite

extension Connection {
  /// Sets a closure that is called after each statement, on the connection's thread; nil turns the
  /// log off.
  ///
  /// Statements of triggers are part of the statement that fired them. `report` must not use the
  /// connection.
  package func setStatementLog(
    detail: LoggedStatement.Detail = .statements, _ report: ((LoggedStatement) -> Void)?
  ) throws(SQLiteError) {
    let handle = try unsafe handle()
    let log = report.map { StatementLog(detail: detail, report: $0) }
    let context = unsafe log.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    let hook = unsafe log == nil ? nil : traced
    try check(unsafe sqlite3_trace_v2(handle, log?.events ?? 0, hook, context))
    // Released only here, when SQLite no longer has the address of the previous log.
    statementLog = log
  }
}

/// SQLite's callback at the start and the end of each statement, and for each of its rows.
///
/// SQLite measures the duration in milliseconds only, so the log measures it again.
private let traced:
  @convention(c) (
    UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
  ) -> Int32 = {
    event, context, statement, _ in
    guard let context = unsafe context, let statement = unsafe statement else { return 0 }
    let log = unsafe Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue()
    let address = UInt(bitPattern: statement)
    let handle = OpaquePointer(statement)
    switch event {
    case UInt32(SQLITE_TRACE_STMT):
      log.started(address, collectsRows: RowQuery.collects(unsafe text(of: handle)))
    case UInt32(SQLITE_TRACE_ROW): log.stepped(unsafe Row(handle: handle), of: address)
    default: log.finished(address, unsafe logged(handle, log.detail))
    }
    return 0
  }

private func logged(_ statement: OpaquePointer, _ detail: LoggedStatement.Detail)
  -> LoggedStatement
{
  var logged = LoggedStatement(
    sql: RowQuery.shown(unsafe text(of: statement)).sql, duration: .zero)
  if detail >= .values { logged.expandedSQL = unsafe expandedText(of: statement) }
  logged.returnsRows = unsafe sqlite3_column_count(statement) > 0
  return logged
}

private func text(of statement: OpaquePointer) -> String {
  unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) } ?? ""
}

/// The SQL with values; without them if memory is exhausted or the text would be too long.
private func expandedText(of statement: OpaquePointer) -> String {
  guard let copy = unsafe sqlite3_expanded_sql(statement) else {
    return RowQuery.shown(unsafe text(of: statement)).sql
  }
  defer { unsafe sqlite3_free(copy) }
  return RowQuery.shown(unsafe String(cString: copy)).sql
}
