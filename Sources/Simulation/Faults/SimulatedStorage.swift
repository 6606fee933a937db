import RecordStorage
import Synchronization

/// The server's storage, which outlives the server: a crash happens just before or after a write.
///
/// It is in memory or in a file. In a file, the next server finds the state at the crash, with a
/// log that was not checkpointed.
final class SimulatedStorage: StorageEngine {
  private struct State {
    /// The number of crash points to pass before the server crashes; nil for no crash.
    var crashPointsUntilCrash: Int?
    var hasCrashed = false
    var ignoresCrashPoints = false
  }

  private let disk: Mutex<any StorageEngine>
  /// The files of the storage; nil in memory.
  private let files: StorageFiles?
  private let state = Mutex(State())
  private let crashes = Mutex(0)

  /// Opens a storage.
  ///
  /// - Parameter files: The files of the storage; nil for memory.
  init(in files: StorageFiles? = nil) throws {
    self.files = files
    disk = Mutex(try files?.open() ?? MemoryStorageEngine())
  }

  /// Plans a crash of the server at a crash point of its next writes; nil cancels it.
  ///
  /// Each write has one crash point before it and one after it.
  func crash(atCrashPoint number: Int?) {
    state.withLock { $0.crashPointsUntilCrash = number }
  }

  /// Whether the server has crashed and not restarted.
  var hasCrashed: Bool { state.withLock(\.hasCrashed) }

  /// The number of crashes after which the server restarted.
  var crashCount: Int { crashes.withLock(\.self) }

  /// Reopens the storage for another server.
  func reopen() async throws {
    if let files {
      let (former, next) = (engine, try files.open())
      disk.withLock { $0 = next }
      await former.close()
    }
    state.withLock { $0 = State() }
    crashes.withLock { $0 += 1 }
  }

  private var engine: any StorageEngine { disk.withLock(\.self) }

  /// Sets whether crash points are ignored, while the world inspects the server.
  func ignoreCrashPoints(_ ignoresCrashPoints: Bool) {
    state.withLock { $0.ignoresCrashPoints = ignoresCrashPoints }
  }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    if hasCrashed { throw Self.crashed }
    return try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try passCrashPoint()
    let result = try await engine.write(in: partition, body)
    try passCrashPoint()
    return result
  }

  func close() async { await engine.close() }

  private func passCrashPoint() throws(StorageError) {
    let hasCrashed = state.withLock { state in
      if let left = state.crashPointsUntilCrash, !state.ignoresCrashPoints {
        state.crashPointsUntilCrash = left == 0 ? nil : left - 1
        // The present state is saved before the crash becomes visible.
        if left == 0, !state.hasCrashed { files?.keep() }
        state.hasCrashed = state.hasCrashed || left == 0
      }
      return state.hasCrashed
    }
    if hasCrashed { throw Self.crashed }
  }

  static let crashed = StorageError(.closed, "The simulated server has crashed.")
}
