internal import RecordStorage
internal import SQLiteDriver

/// Runs write transactions and commits as many as possible at once, since a commit waits for the
/// disk and a transaction does not.
///
/// - The transactions of a group run one after the other in one transaction of SQLite. Where one
///   throws before it has written, there is nothing to roll back. Where one throws in the middle of
///   its writes, which hardly ever happens, everything is rolled back and the group is run again,
///   each in a savepoint of its own: savepoints for all, always, would cost more.
/// - Nobody is answered before the commit, not even with an error of a body: it may come from what
///   an earlier transaction of the group wrote.
/// - Where the commit fails, or SQLite ends the transaction by itself (a full disk, a failing one),
///   everything of the group fails, with that error.
final class GroupWriter {
  /// When a group ends.
  struct Bounds: Sendable {
    let count: Int
    let duration: Duration
    /// The time since some moment in the past.
    let now: @Sendable () -> Duration
  }

  private let connection: Connection
  private let bounds: Bounds
  private let checkpointer: Checkpointer

  init(on connection: Connection, bounds: Bounds, checkpointer: Checkpointer) {
    self.connection = connection
    self.bounds = bounds
    self.checkpointer = checkpointer
  }

  /// Runs and answers all of the jobs, in as many groups as it takes.
  func run(_ jobs: [any PendingTransaction]) {
    var rest = jobs[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(runGroup(rest))
      carryLogOver()
    }
  }

  /// Closes the connection; the store's last connection carries the log over.
  func close() throws(SQLiteError) { try connection.close() }

  /// - Returns: How many jobs were dealt with.
  private func runGroup(_ jobs: ArraySlice<any PendingTransaction>) -> Int {
    var group = WriteGroup()
    do {
      do {
        try connection.transaction(.immediate) {
          try fill(&group, from: jobs)
          group.tell()
        }
      } catch is WriteGroup.PartialWriteError {
        try repeatInSavepoints(&group)
      }
      group.finish()
    } catch {
      // Where the transaction could not even begin, those who were to be in it are told.
      if group.takenCount == 0 { group.take(all: jobs) }
      group.fail((error as? SQLiteError).map { StorageError($0) } ?? error)
    }
    return group.takenCount
  }

  private func fill(_ group: inout WriteGroup, from jobs: ArraySlice<any PendingTransaction>) throws
  {
    let end = bounds.now() + bounds.duration
    for job in jobs {
      if group.takenCount > 0, bounds.now() >= end { return }
      guard group.take(job) else { continue }
      let transaction = SQLiteTransaction(on: connection)
      do {
        try transaction.run(job)
      } catch {
        group.lastRefused(error)
        try checkIsOpen(after: transaction, error)
        if transaction.hasWritten { throw WriteGroup.PartialWriteError() }
      }
    }
  }

  /// Runs the members of a group again, so that each can be rolled back alone.
  private func repeatInSavepoints(_ group: inout WriteGroup) throws {
    // Where there is one member, it is the one that threw, and all is done.
    guard group.members.count > 1 else { return }
    try connection.transaction(.immediate) {
      for place in group.members.indices {
        let transaction = SQLiteTransaction(on: connection)
        do {
          try connection.savepoint { try transaction.run(group.members[place].job) }
          group.members[place].error = nil
        } catch {
          group.members[place].error = error
          try checkIsOpen(after: transaction, error)
        }
      }
      group.tell()
    }
  }

  /// Where SQLite has ended the transaction by itself, there is nothing left to keep for the others
  /// either.
  private func checkIsOpen(after transaction: SQLiteTransaction, _ error: any Error) throws {
    guard connection.isInTransaction else { throw transaction.failure ?? error }
  }

  private func carryLogOver() {
    guard checkpointer.logHas(connection.logFrames) else { return }
    // What cannot be carried over now is safe in the log, and is tried again.
    do { try connection.checkpoint(.passive) } catch {}
  }
}
