package import SQLiteDriver
internal import Synchronization

/// Writes that wait for the disk, and writes that do not.
extension ConnectionPool {
  /// The callers that wait for a sync, and the count of unsynced commits.
  struct SyncWaiters {
    var turns = SyncScheduler()
    var waiting: [(count: Int, continuation: CheckedContinuation<SyncScheduler.Action, Never>)] = []

    /// Removes and returns the callers that need not wait any longer.
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

  /// Commits without waiting for the disk.
  ///
  /// A power failure can lose the commit until a later save, or `settle()`, syncs the file. A crash
  /// of the program loses nothing. If the file has no write-ahead log, this syncs as every commit
  /// does, because the file could be damaged otherwise.
  package func writeUnawaited<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try write { connection in
      guard readsBesideWriter,
        try connection.get(.synchronous).rawValue > Synchronous.normal.rawValue
      else { return try body(connection) }
      let before = connection.totalChanges
      defer {
        if connection.totalChanges > before { diskWaits.withLock { $0.turns.recordCommit() } }
      }
      return try connection.withSynchronous(atMost: .normal) { try body(connection) }
    }
  }

  /// Performs a save.
  ///
  /// A commit that waits for the disk covers every commit before it.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether the commit waits for the disk.
  ///   - body: Returns the result, and whether a transaction was committed.
  func save<Result>(
    isAwaited: Bool = true, _ body: (Connection) throws -> (result: Result, hasCommitted: Bool)
  ) throws -> Result {
    guard isAwaited else { return try writeUnawaited { try body($0).result } }
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
      // Only one connection writes at a time, so every earlier commit precedes this one. A commit
      // that changed no row has not synced.
      if hasCommitted, connection.totalChanges > before {
        diskWaits.withLock { $0.turns.recordSync($0.turns.written) }
      }
      return result
    }
  }

  /// Returns when every earlier commit is on the disk.
  ///
  /// If a save is running, this waits for the save's sync. Otherwise it syncs by itself, while
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
    diskWaits.withLock { $0.turns.recordSync(count) }
  }
}
