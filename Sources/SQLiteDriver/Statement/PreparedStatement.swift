internal import CSQLite

/// A compiled statement with its parameter buffers, which the cache keeps and a `Statement`
/// borrows.
@safe final class PreparedStatement {
  let handle: OpaquePointer
  let sql: String
  let buffers: ParameterBuffers
  /// Whether the rows go to the connection's sink.
  let collectsRows: Bool

  init(handle: OpaquePointer, sql: String) {
    unsafe self.handle = unsafe handle
    self.sql = sql
    collectsRows = RowQuery.collects(sql)
    buffers = ParameterBuffers(count: Int(unsafe sqlite3_bind_parameter_count(handle)))
  }

  deinit {
    // Finalized before the buffers are freed, because SQLite may still point into them.
    unsafe sqlite3_finalize(handle)
    buffers.deallocate()
  }

  /// Prepares the statement for its next use.
  func clear() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }
}
