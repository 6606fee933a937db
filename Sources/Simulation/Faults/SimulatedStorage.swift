import RecordStorage
import Synchronization

/// The server's storage, which outlives the server: that crashes just before a write is kept, or
/// just behind.
///
/// It is in memory, or in a file: then what the next server finds is what the file was at the
/// moment of the crash, with a log that nobody has emptied.
final class SimulatedStorage: StorageEngine {
  private struct State {
    /// How many moments of writes pass before the server crashes at one; nil where it does not.
    var momentsUntilCrash: Int?
    var hasCrashed = false
    var isSpared = false
  }

  private let disk: Mutex<any StorageEngine>
  /// The files of the storage; nil where it is in memory.
  private let files: StorageFiles?
  private let state = Mutex(State())
  private let crashes = Mutex(0)

  /// - Parameter files: Where records are kept; nil for memory.
  init(in files: StorageFiles? = nil) throws {
    self.files = files
    disk = Mutex(try files?.open() ?? MemoryStorageEngine())
  }

  /// Lets the server crash at a moment of its next writes: each has one before it is kept, and one
  /// behind.
  func crash(atMoment number: Int?) { state.withLock { $0.momentsUntilCrash = number } }

  /// Whether the server has crashed, and nobody has started it again.
  var hasCrashed: Bool { state.withLock(\.hasCrashed) }

  /// How often the server has crashed, and another one has begun.
  var crashCount: Int { crashes.withLock(\.self) }

  /// Another server may begin.
  func revive() async throws {
    if let files {
      let (former, next) = (engine, try files.open())
      disk.withLock { $0 = next }
      await former.close()
    }
    state.withLock { $0 = State() }
    crashes.withLock { $0 += 1 }
  }

  private var engine: any StorageEngine { disk.withLock(\.self) }

  /// Whether moments count, or pass while the world looks at the server.
  func spare(_ isSpared: Bool) { state.withLock { $0.isSpared = isSpared } }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    if hasCrashed { throw Self.crashed }
    return try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try passMoment()
    let result = try await engine.write(in: partition, body)
    try passMoment()
    return result
  }

  func close() async { await engine.close() }

  private func passMoment() throws(StorageError) {
    let hasCrashed = state.withLock { state in
      if let left = state.momentsUntilCrash, !state.isSpared {
        state.momentsUntilCrash = left == 0 ? nil : left - 1
        // What is in the files now is kept before anybody hears of the crash.
        if left == 0, !state.hasCrashed { files?.keep() }
        state.hasCrashed = state.hasCrashed || left == 0
      }
      return state.hasCrashed
    }
    if hasCrashed { throw Self.crashed }
  }

  static let crashed = StorageError(.closed, "The simulated server has crashed.")
}
