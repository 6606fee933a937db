internal import CSQLite

extension Connection {
  /// The error for `code`, with SQLite's message for the call that just failed.
  func failure(_ code: Int32, sql: String? = nil) -> SQLiteError {
    let error = unsafe SQLiteError(
      handle: handleIfOpen, code: code, path: location.description, sql: sql)
    return commitGuard.explained(error)
  }

  /// Throws unless `code` is a success.
  func check(_ code: Int32, sql: String? = nil) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw failure(code, sql: sql) }
  }
}

extension SQLiteError {
  /// Reads SQLite's details of the last failed call on `handle`.
  ///
  /// Call it before any other call on the handle.
  init(handle: OpaquePointer?, code: Int32, path: String, sql: String? = nil) {
    let shown = sql.map(RowQuery.shown)
    var context = Context(path: path, sql: shown?.sql)
    if let handle = unsafe handle {
      let offset = unsafe sqlite3_error_offset(handle)
      if let shown, offset >= shown.offset { context.sqlOffset = Int(offset) - shown.offset }
      let systemError = unsafe sqlite3_system_errno(handle)
      if systemError != 0, Code(rawValue: code).isFileFailure {
        context.systemError = Int(systemError)
      }
    }
    self.init(
      code: Code(rawValue: code), message: unsafe Self.message(of: handle, code: code),
      context: context)
  }

  private static func message(of handle: OpaquePointer?, code: Int32) -> String {
    // The handle's message belongs to its last failed call; another code has only its general text.
    if let handle = unsafe handle,
      unsafe sqlite3_extended_errcode(handle) == code || sqlite3_errcode(handle) == code,
      let message = unsafe sqlite3_errmsg(handle)
    {
      return unsafe String(cString: message)
    }
    return unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "unknown error"
  }
}

extension SQLiteError.Code {
  /// Whether an operation of the file system failed, so that `errno` is meaningful.
  fileprivate var isFileFailure: Bool {
    [.inputOutput, .cannotOpen, .permission, .full].contains(primary)
  }
}
