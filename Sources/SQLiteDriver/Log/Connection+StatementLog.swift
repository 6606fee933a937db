internal import CSQLite

extension Connection {
  /// Sets a closure that is called after each statement, on the connection's thread; nil turns the
  /// log off.
  ///
  /// Statements of triggers are part of the statement that fired them. `report` must not use the
  /// connection.
  ///
  /// - Parameter expandsBindings: Whether the SQL contains the bound values. They may be private,
  ///   so the default is false.
  package func setStatementLog(
    expandsBindings: Bool = false, _ report: ((LoggedStatement) -> Void)?
  ) throws(SQLiteError) {
    let handle = try unsafe handle()
    let log = report.map { StatementLog(expandsBindings: expandsBindings, report: $0) }
    let events = log == nil ? 0 : UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)
    let context = unsafe log.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    try check(unsafe sqlite3_trace_v2(handle, events, log == nil ? nil : traced, context))
    // Released only here, when SQLite no longer has the address of the previous log.
    statementLog = log
  }
}

/// SQLite's callback at the start and the end of each statement.
///
/// SQLite measures the duration in milliseconds only, so this measures it again.
private let traced:
  @convention(c) (
    UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
  ) -> Int32 = {
    event, context, statement, _ in
    guard let context = unsafe context, let statement = unsafe statement else { return 0 }
    let log = unsafe Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue()
    let address = UInt(bitPattern: statement)
    if event == UInt32(SQLITE_TRACE_STMT) {
      log.started(address)
    } else {
      let sql = RowQuery.shown(
        unsafe text(of: OpaquePointer(statement), expanded: log.expandsBindings)
      ).sql
      log.report(LoggedStatement(sql: sql, duration: log.finished(address)))
    }
    return 0
  }

private func text(of statement: OpaquePointer, expanded: Bool) -> String {
  // Expanding fails if memory is exhausted or the text would be too long; then the text without
  // values is used.
  if expanded, let copy = unsafe sqlite3_expanded_sql(statement) {
    defer { unsafe sqlite3_free(copy) }
    return unsafe String(cString: copy)
  }
  return unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) } ?? ""
}
