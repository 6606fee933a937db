internal import CSQLite

/// Refuses every commit that is not the one at the end of a `transaction` closure.
///
/// SQLite may roll a transaction back in the middle of the closure. The connection is then in
/// autocommit mode, and each further statement would commit by itself: half of a transaction would
/// be kept. SQLite's commit hook is called before each of these commits and turns it into a
/// rollback. It costs one call per commit and nothing per statement.
final class CommitGuard {
  private var isRefusing = false
  private var hasRefused = false

  /// Runs `body` while no commit goes through.
  func refusingCommits<Result>(_ body: () throws -> Result) rethrows -> Result {
    isRefusing = true
    hasRefused = false
    defer { isRefusing = false }
    return try body()
  }

  /// SQLite's question before a commit.
  ///
  /// - Returns: Whether the commit must become a rollback.
  func refuses() -> Bool {
    if isRefusing { hasRefused = true }
    return isRefusing
  }

  /// Gives an error that comes from a refusal its true name.
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
  /// Puts the guard in place.
  ///
  /// The connection owns the guard and outlives the handle's use of it.
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
