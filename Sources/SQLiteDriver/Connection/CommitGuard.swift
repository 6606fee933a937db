internal import CSQLite

/// Rejects every commit while a `transaction` closure runs.
///
/// SQLite may roll a transaction back in the middle of the closure. The connection is then in
/// autocommit mode, and each further statement would commit by itself, so half of a transaction
/// would persist. SQLite's commit hook runs before each of these commits and turns it into a
/// rollback. It costs one call per commit and nothing per statement.
final class CommitGuard {
  private var isRefusing = false
  private var hasRefused = false

  /// Runs `body` while every commit is rejected.
  func refusingCommits<Result>(_ body: () throws -> Result) rethrows -> Result {
    isRefusing = true
    hasRefused = false
    defer { isRefusing = false }
    return try body()
  }

  /// SQLite's callback before a commit.
  ///
  /// - Returns: Whether to roll back instead.
  func refuses() -> Bool {
    if isRefusing { hasRefused = true }
    return isRefusing
  }

  /// Replaces the error of a rejected commit by one that explains it.
  func explained(_ error: SQLiteError) -> SQLiteError {
    guard hasRefused, error.code == .constraintCommitHook else { return error }
    return Self.endedEarly(path: error.context.path, sql: error.context.sql)
  }

  static func endedEarly(path: String?, sql: String? = nil) -> SQLiteError {
    SQLiteError(
      code: .abortedByRollback,
      message:
        "the transaction ended before its closure did: an error rolled it back, or a statement in it ended it",
      context: .init(path: path, sql: sql))
  }
}

extension Connection {
  /// Installs the guard.
  ///
  /// The connection owns the guard, which outlives the handle's use of it.
  func installCommitGuard(on handle: OpaquePointer) {
    _ = unsafe sqlite3_commit_hook(
      handle,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<CommitGuard>.fromOpaque(context).takeUnretainedValue().refuses()
          ? 1 : 0
      }, Unmanaged.passUnretained(commitGuard).toOpaque())
  }
}
