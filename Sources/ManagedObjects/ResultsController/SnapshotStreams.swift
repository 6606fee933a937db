import Foundation
import Synchronization

/// The streams of a controller's snapshots.
// Consumers end their streams on any thread, so the table has a lock.
final class SnapshotStreams: Sendable {
  private struct State {
    var continuations: [Int: AsyncStream<FetchedResultsSnapshot>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  deinit {
    for continuation in state.withLock({ $0.continuations }).values { continuation.finish() }
  }

  var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

  /// A new stream, which keeps the newest snapshot only.
  func add(first: FetchedResultsSnapshot?) -> AsyncStream<FetchedResultsSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FetchedResultsSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      state.continuations[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    if let first { continuation.yield(first) }
    return stream
  }

  private func remove(_ number: Int) {
    _ = state.withLock { $0.continuations.removeValue(forKey: number) }
  }

  func publish(_ snapshot: FetchedResultsSnapshot) {
    for continuation in state.withLock({ $0.continuations }).values { continuation.yield(snapshot) }
  }
}
