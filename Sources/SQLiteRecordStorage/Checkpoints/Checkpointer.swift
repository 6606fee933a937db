internal import Dispatch
internal import SQLiteDriver
internal import Synchronization

/// Decides when the log is carried over into the database file, and does most of it beside the
/// writer.
///
/// SQLite begins the log anew only when all of it was carried over, which never happens beside a
/// busy writer. So a connection of its own carries over what there is, again while much is new, and
/// the writer carries over the few frames that are left, between two commits.
///
/// ```
///          the log is long             few frames are left
///   resting ─────────────▶ copying ─────────────────────▶ almostDone
///      ▲                     (beside the writer)              │
///      └────────── the writer carried over the rest ──────────┘
/// ```
///
/// Readers of old states keep the log from beginning anew; it then grows until they end.
final class Checkpointer: Sendable {
  fileprivate enum Phase { case resting, copying, almostDone }

  fileprivate struct State {
    var phase = Phase.resting
    /// The length of the log that starts the next checkpoint.
    var startFrames: Int
    var lastFrames = 0
    /// How much the log grows from one checkpoint to the next.
    let interval: Int

    init(interval: Int) {
      self.interval = interval
      startFrames = interval
    }
  }

  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "parhelion.storage.checkpoints")
  /// Used on `queue` alone; the mutex says so to the compiler.
  private let connection = Mutex<Connection?>(nil)
  private let path: String

  init(path: String, interval: Int) {
    self.path = path
    state = Mutex(State(interval: interval))
  }

  /// Tells how long the log is after a commit.
  ///
  /// - Returns: Whether the writer shall carry over what is left of it, now.
  func logHas(_ frames: Int) -> Bool {
    let (isWritersTurn, mustStart) = state.withLock { $0.next(frames) }
    if mustStart { queue.async { self.copy() } }
    return isWritersTurn
  }

  func close() async {
    await withCheckedContinuation { waiter in
      queue.async {
        self.connection.withLock { connection in connection = nil }
        waiter.resume()
      }
    }
  }

  private func copy() {
    let isAlmostDone = connection.withLock { connection in
      do {
        let opened = try connection ?? StoreConnection.openCheckpointer(path)
        connection = opened
        return try Self.copyMost(opened)
      } catch {
        // Everything is safe in the log; the next long log is another occasion.
        return false
      }
    }
    state.withLock { state in
      state.phase = isAlmostDone ? .almostDone : .resting
      if !isAlmostDone { state.startFrames = state.lastFrames + state.interval }
    }
  }

  /// Carries frames over until few are left, and waits for the disk.
  ///
  /// Who carries the last frame over waits until the disk has all of the file: the writer would
  /// wait for what was carried over here, too.
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
      // The log grows meanwhile: one more round.
      try connection.syncFile()
      isSynced = true
    }
    return false
  }
}

extension Checkpointer.State {
  /// The event of a commit.
  fileprivate mutating func next(_ frames: Int) -> (isWritersTurn: Bool, mustStart: Bool) {
    // A log that became shorter has begun anew.
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
