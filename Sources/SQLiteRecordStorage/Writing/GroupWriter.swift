internal import RecordStorage
internal import SQLiteDriver

/// Runs write transactions and commits as many as possible together, since a commit waits for the
/// disk and a transaction does not.
///
/// - The transactions of a group run one after another in one SQLite transaction. If one throws
///   before it has written, nothing needs to be rolled back. If one throws after a write, which is
///   rare, everything is rolled back and the group runs again with a savepoint for each: savepoints
///   in every group would cost more.
/// - No caller is resumed before the commit, not even with an error of a body: the error may depend
///   on what an earlier transaction of the group wrote.
/// - If the commit fails, or SQLite ends the transaction itself (a full or failing disk), the whole
///   group fails with that error.
final class GroupWriter {
  /// The limits of a group.
  struct Bounds: Sendable {
    let duration: Duration
    /// A monotonic clock.
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

  /// Runs all jobs, in as many groups as needed, and resumes their callers.
  func run(_ jobs: [any PendingTransaction]) {
    var rest = jobs[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(runGroup(rest))
      carryLogOver()
    }
  }

  /// Closes the checkpointer's connection, and then its own.
  ///
  /// The store's last connection empties the log.
  func close() throws(SQLiteError) {
    checkpointer.close()
    try connection.close()
  }

  /// Runs jobs as one group, with one commit.
  ///
  /// - Returns: The number of jobs that were handled.
  private func runGroup(_ jobs: ArraySlice<any PendingTransaction>) -> Int {
    var group = WriteGroup()
    do {
      do {
        try connection.transaction(.immediate) {
          try fill(&group, from: jobs)
          group.deliver()
        }
      } catch is WriteGroup.PartialWriteError {
        try repeatInSavepoints(&group)
      }
      group.finish()
    } catch {
      // The transaction could not begin: all its jobs fail.
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
        group.recordFailure(error)
        try checkIsOpen(after: transaction, error)
        if transaction.hasWritten { throw WriteGroup.PartialWriteError() }
      }
    }
  }

  /// Runs the members of a group again, so that each can be rolled back alone.
  private func repeatInSavepoints(_ group: inout WriteGroup) throws {
    // A single member is the one that threw, so there is nothing to repeat.
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
      group.deliver()
    }
  }

  /// Throws if SQLite has ended the transaction itself: then nothing can be kept for the other
  /// members.
  private func checkIsOpen(after transaction: SQLiteTransaction, _ error: any Error) throws {
    guard connection.isInTransaction else { throw transaction.failure ?? error }
  }

  private func carryLogOver() {
    guard checkpointer.recordLogLength(connection.logFrames) else { return }
    // Pages that cannot be copied now are safe in the log, and the next checkpoint tries again.
    do { try connection.checkpoint(.passive) } catch {}
  }
}
