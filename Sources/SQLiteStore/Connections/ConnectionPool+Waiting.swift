package import SQLiteDriver
internal import Synchronization

/// What waits for the disk, and what does not.
extension ConnectionPool {
  /// Who waits for the disk, and what was written without waiting.
  struct SyncWaiters {
    var turns = SyncScheduler()
    var waiting: [(count: Int, continuation: CheckedContinuation<SyncScheduler.Action, Never>)] = []

    /// Takes out those who need not wait any longer.
    mutating func takeReady() -> [(
      continuation: CheckedContinuation<SyncScheduler.Action, Never>, action: SyncScheduler.Action
    )] {
      let answers = waiting.map { ($0.continuation, turns.action(for: $0.count)) }.filter {
        $0.1 != .wait
      }
      waiting.removeAll { turns.action(for: $0.count) != .wait }
      return answers
    }
  }

  /// Writes what may be lost with the machine's power, or what somebody waits for later: whoever
  /// commits next and waits covers it, and so does `settle()`.
  ///
  /// A crash of the program alone loses nothing. Where the file has no log this waits as every
  /// commit does: without one, files may be damaged otherwise.
  package func writeUnawaited<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try write { connection in
      guard readsBesideWriter,
        try connection.get(.synchronous).rawValue > Synchronous.normal.rawValue
      else { return try body(connection) }
      let before = connection.totalChanges
      defer {
        if connection.totalChanges > before { diskWaits.withLock { $0.turns.noteWritten() } }
      }
      return try connection.withSynchronous(atMost: .normal) { try body(connection) }
    }
  }

  /// Does a save, whose commit waits for the disk: who waits for something that was written before
  /// may count on that.
  ///
  /// - Parameter body: Gives the result, and whether something was committed.
  func save<Result>(_ body: (Connection) throws -> (result: Result, hasCommitted: Bool)) throws
    -> Result
  {
    diskWaits.withLock { $0.turns.beginSave() }
    defer {
      let ready = diskWaits.withLock { waits in
        waits.turns.endSave()
        return waits.takeReady()
      }
      for (continuation, action) in ready { continuation.resume(returning: action) }
    }
    return try write { connection in
      let before = connection.totalChanges
      let (result, hasCommitted) = try body(connection)
      // What others have written has come before this commit, since one writes at a time. A commit
      // that changed no row has not synced.
      if hasCommitted, connection.totalChanges > before {
        diskWaits.withLock { $0.turns.noteSynced($0.turns.written) }
      }
      return result
    }
  }

  /// Returns when everything that was written before is on the disk.
  ///
  /// Where somebody saves meanwhile it waits for that save's sync, else it syncs by itself, while
  /// others may write.
  package func settle() async throws {
    let count = diskWaits.withLock { $0.turns.written }
    let action = await withCheckedContinuation { continuation in
      let action = diskWaits.withLock { waits in
        let action = waits.turns.action(for: count)
        if action == .wait { waits.waiting.append((count, continuation)) }
        return action
      }
      if action != .wait { continuation.resume(returning: action) }
    }
    guard action == .sync else { return }
    try read { connection in _ = try connection.syncLog() }
    diskWaits.withLock { $0.turns.noteSynced(count) }
  }
}
