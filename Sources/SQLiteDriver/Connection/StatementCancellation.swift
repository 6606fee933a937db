internal import CSQLite

/// Interrupts statements as soon as a closure returns true.
///
/// SQLite calls the closure after every `Limits.stepsPerQuestion` instructions of its virtual
/// machine. An interrupted statement fails with `SQLITE_INTERRUPT`.
package final class StatementCancellation {
  private let isCancelled: () -> Bool

  package init(if isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }

  /// Runs `body`, whose statements on the connection can be interrupted.
  package func watch<Result>(_ connection: Connection, while body: () throws -> Result) throws
    -> Result
  {
    let handle = try unsafe connection.handle()
    unsafe sqlite3_progress_handler(
      handle, Limits.stepsPerQuestion,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<StatementCancellation>.fromOpaque(context)
          ._withUnsafeGuaranteedRef { $0.isCancelled() ? 1 : 0 }
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { unsafe sqlite3_progress_handler(handle, 0, nil, nil) }
    return try withExtendedLifetime(self, body)
  }
}
