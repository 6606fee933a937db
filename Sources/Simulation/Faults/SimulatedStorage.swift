import RecordStorage
import Synchronization

/// The server's storage, which outlives the server: that crashes just before a write is kept, or just behind.
final class SimulatedStorage: StorageEngine {
  private struct State {
    /// How many moments of writes pass before the server crashes at one; nil where it does not.
    var momentsUntilCrash: Int?
    var hasCrashed = false
    var isSpared = false
  }

  private let disk = MemoryStorageEngine()
  private let state = Mutex(State())

  /// Lets the server crash at a moment of its next writes: each has one before it is kept, and one behind.
  func crash(atMoment number: Int?) { state.withLock { $0.momentsUntilCrash = number } }

  /// Whether the server has crashed, and nobody has started it again.
  var hasCrashed: Bool { state.withLock(\.hasCrashed) }

  /// Another server may begin.
  func revive() { state.withLock { $0 = State() } }

  /// Whether moments count, or pass while the world looks at the server.
  func spare(_ isSpared: Bool) { state.withLock { $0.isSpared = isSpared } }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    if hasCrashed { throw Self.crashed }
    return try await disk.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try passMoment()
    let result = try await disk.write(in: partition, body)
    try passMoment()
    return result
  }

  func close() async { await disk.close() }

  private func passMoment() throws(StorageError) {
    let hasCrashed = state.withLock { state in
      if let left = state.momentsUntilCrash, !state.isSpared {
        state.momentsUntilCrash = left == 0 ? nil : left - 1
        state.hasCrashed = state.hasCrashed || left == 0
      }
      return state.hasCrashed
    }
    if hasCrashed { throw Self.crashed }
  }

  static let crashed = StorageError(.closed, "The simulated server has crashed.")
}
