internal import Dispatch
internal import SQLiteDriver
internal import Synchronization

/// Decides when to checkpoint the log, and does most of it concurrently with the writer.
///
/// SQLite restarts the log only when all of it was copied, which never happens during constant
/// writes. So a separate connection copies what there is, in several rounds, and the writer copies
/// the few remaining frames between two commits.
///
/// ```
///          the log is long             few frames are left
///   resting ─────────────▶ copying ─────────────────────▶ almostDone
///      ▲                     (beside the writer)              │
///      └────────── the writer carried over the rest ──────────┘
/// ```
///
/// Readers of old snapshots keep the log from restarting; it grows until they end.
final class Checkpointer: Sendable {
  fileprivate enum Phase { case resting, copying, almostDone }

  fileprivate struct State {
    var phase = Phase.resting
    /// The length of the log that starts the next checkpoint.
    var startFrames: Int
    var lastFrames = 0
    /// The growth of the log from one checkpoint to the next.
    let interval: Int

    init(interval: Int) {
      self.interval = interval
      startFrames = interval
    }
  }

  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "parhelion.storage.checkpoints")
  /// Used only on `queue`; the mutex satisfies the compiler.
  private let connection = Mutex<Connection?>(nil)
  private let path: String

  init(path: String, interval: Int) {
    self.path = path
    state = Mutex(State(interval: interval))
  }

  /// Records the length of the log after a commit.
  ///
  /// - Returns: Whether the writer must copy the remaining frames now.
  func recordLogLength(_ frames: Int) -> Bool {
    let (isWritersTurn, mustStart) = state.withLock { $0.next(frames) }
    if mustStart { queue.async { self.copy() } }
    return isWritersTurn
  }

  /// Completes a running checkpoint, and closes the connection.
  ///
  /// The writer calls it after its last commit, since each commit may start a checkpoint.
  func close() {
    queue.sync { self.connection.withLock { connection in connection = nil } }
  }

  private func copy() {
    let isAlmostDone = connection.withLock { connection in
      do {
        let opened = try connection ?? StoreConnection.openCheckpointer(path)
        connection = opened
        return try Self.copyMost(opened)
      } catch {
        // Everything is safe in the log. The next time it grows long, a checkpoint is tried again.
        return false
      }
    }
    state.withLock { state in
      state.phase = isAlmostDone ? .almostDone : .resting
      if !isAlmostDone { state.startFrames = state.lastFrames + state.interval }
    }
  }

  /// Copies frames until few are left, and syncs the database file.
  ///
  /// The writer copies the last frames, and then waits until the whole file is on the disk. Because
  /// of the sync here, the writer does not wait for the frames that were copied before.
  ///
  /// - Returns: Whether few frames are left.
  private static func copyMost(_ connection: Connection) throws(SQLiteError) -> Bool {
    var isSynced = false
    for _ in 0..<Limits.checkpointRounds {
      let result = try connection.checkpoint(.passive)
      guard result.logFrames - result.checkpointedFrames <= Limits.framesLeftToWriter else {
        continue
      }
      if isSynced { return true }
      // The log grows during the sync, so one more round follows.
      try connection.syncFile()
      isSynced = true
    }
    return false
  }
}

extension Checkpointer.State {
  /// Advances the state machine after a commit.
  fileprivate mutating func next(_ frames: Int) -> (isWritersTurn: Bool, mustStart: Bool) {
    // A log that became shorter has restarted.
    if frames < lastFrames { startFrames = interval }
    lastFrames = frames
    switch phase {
    case .copying: return (false, false)
    case .almostDone:
      phase = .resting
      startFrames = frames + interval
      return (true, false)
    case .resting:
      guard frames >= startFrames else { return (false, false) }
      phase = .copying
      return (false, true)
    }
  }
}
