internal import CSQLite

extension Connection {
  /// Whether a transaction is open.
  ///
  /// SQLite ends one by itself after some errors, such as a full disk.
  package var isInTransaction: Bool {
    guard let handle = unsafe handleIfOpen else { return false }
    return unsafe sqlite3_get_autocommit(handle) == 0
  }

  /// Begins a transaction.
  ///
  /// Prefer `transaction(_:_:)`, which always ends it.
  package func begin(_ kind: TransactionKind = .immediate) throws(SQLiteError) {
    try run(kind.rawValue)
  }

  /// Commits.
  ///
  /// After `SQLITE_BUSY` the transaction is still open and the commit can be retried.
  package func commit() throws(SQLiteError) { try run("COMMIT") }

  /// Rolls back.
  ///
  /// Does nothing if SQLite has already done so.
  package func rollback() throws(SQLiteError) {
    guard isInTransaction else { return }
    try run("ROLLBACK")
  }

  /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
  ///
  /// - A commit that fails, with `SQLITE_BUSY` or on a deferred constraint, rolls back and throws.
  /// - If SQLite rolls back by itself while `body` runs (full disk, I/O error, no memory), later
  ///   statements of `body` cannot commit on their own. Each fails with `SQLITE_ABORT_ROLLBACK`,
  ///   and so does this call, whether or not `body` caught the first error. The same applies to a
  ///   `COMMIT` or `ROLLBACK` that `body` runs itself.
  @discardableResult
  package func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    try begin(kind)
    do {
      let result = try commitGuard.refusingCommits { try body() }
      guard isInTransaction else { throw CommitGuard.endedEarly(path: location.description) }
      try commit()
      return result
    } catch {
      rollBackAfterFailure()
      throw error
    }
  }

  /// Rolls back, and ignores errors: the first error is the one to report.
  ///
  /// A transaction that cannot be rolled back now is rolled back when the file is next opened.
  private func rollBackAfterFailure() {
    do { try rollback() } catch {}
  }
}
