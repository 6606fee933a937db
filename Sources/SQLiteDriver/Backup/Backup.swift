internal import CSQLite

/// A copy of one database into another, made step by step while the source stays usable.
///
/// The target's connection must not be used until the backup ends. The target changes in one
/// transaction: it keeps its content until the last step, and also if the backup is abandoned. If
/// another connection writes to the source between two steps, the copy restarts by itself. Changes
/// by the source's own connection are copied too.
@safe package struct Backup: ~Copyable {
  /// The progress of a backup.
  package struct Progress: Hashable, Sendable {
    package let remainingPages: Int
    package let totalPages: Int
    package let isFinished: Bool
  }

  private let handle: OpaquePointer
  private let source: Connection
  private let target: Connection

  /// Starts to copy the main database of `source` over that of `target`.
  package init(from source: Connection, to target: Connection) throws(SQLiteError) {
    let (sourceHandle, targetHandle) = (try unsafe source.handle(), try unsafe target.handle())
    guard let handle = unsafe sqlite3_backup_init(targetHandle, "main", sourceHandle, "main") else {
      throw target.failure(unsafe sqlite3_extended_errcode(targetHandle))
    }
    unsafe self.handle = unsafe handle
    self.source = source
    self.target = target
  }

  deinit { unsafe sqlite3_backup_finish(handle) }

  /// Copies some pages.
  ///
  /// Fails with `SQLITE_BUSY` or `SQLITE_LOCKED` if a database is in use elsewhere; the step can be
  /// retried.
  package mutating func step(pages: Int = Limits.backupPagesPerStep) throws(SQLiteError) -> Progress
  {
    let code = unsafe sqlite3_backup_step(handle, Int32(clamping: pages))
    guard code == SQLITE_OK || code == SQLITE_DONE else { throw failure(code) }
    return Progress(
      remainingPages: Int(unsafe sqlite3_backup_remaining(handle)),
      totalPages: Int(unsafe sqlite3_backup_pagecount(handle)), isFinished: code == SQLITE_DONE)
  }

  private func failure(_ code: Int32) -> SQLiteError {
    let error = target.failure(code)
    var context = error.context
    context.path = "\(source.location) (backup to \(target.location))"
    return SQLiteError(code: error.code, message: error.message, context: context)
  }
}

extension Connection {
  /// Copies the whole main database into `target`.
  ///
  /// - Parameter progress: Called after each step. If it returns false before the last step, the
  ///   backup is abandoned, and the target stays unchanged.
  /// - Returns: Whether the backup finished.
  @discardableResult
  package func backUp(
    to target: Connection, pagesPerStep: Int = Limits.backupPagesPerStep,
    progress: (Backup.Progress) throws -> Bool = { _ in true }
  ) throws -> Bool {
    var backup = try Backup(from: self, to: target)
    while true {
      let state = try backup.step(pages: pagesPerStep)
      if state.isFinished {
        _ = try progress(state)
        return true
      }
      guard try progress(state) else { return false }
    }
  }
}
