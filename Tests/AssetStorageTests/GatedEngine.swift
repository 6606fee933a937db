import RecordStorage
import Synchronization

/// A storage engine in memory, whose writers wait while the gate is closed.
final class GatedEngine: StorageEngine {
  private struct State {
    var isShut = false
    var writers: [CheckedContinuation<Bool, Never>] = []
    var awaiting: CheckedContinuation<Void, Never>?
  }

  private let engine = MemoryStorageEngine()
  private let state = Mutex(State())

  /// Closes the gate.
  func shut() { state.withLock { $0.isShut = true } }

  /// Waits until a writer arrives.
  func waitForWriter() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.writers.isEmpty { state.awaiting = continuation }
        return !state.writers.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  /// Opens the gate.
  ///
  /// - Parameter failing: Whether the waiting writers fail.
  func open(failing: Bool = false) {
    let writers = state.withLock { state in
      defer { state = State() }
      return state.writers
    }
    for writer in writers { writer.resume(returning: !failing) }
  }

  /// Waits until the gate is open.
  ///
  /// - Returns: Whether the writer may write.
  private func pass() async -> Bool {
    await withCheckedContinuation { continuation in
      let (isOpen, awaiting) = state.withLock {
        state -> (Bool, CheckedContinuation<Void, Never>?) in
        guard state.isShut else { return (true, nil) }
        state.writers.append(continuation)
        defer { state.awaiting = nil }
        return (false, state.awaiting)
      }
      if isOpen { continuation.resume(returning: true) }
      awaiting?.resume()
    }
  }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    guard await pass() else {
      throw StorageError(.unavailable, "the storage failed, as the test wants it")
    }
    return try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }
}
