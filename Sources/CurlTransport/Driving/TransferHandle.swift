internal import Synchronization

/// Names a transfer to the loop, from any thread.
///
/// A task may be cancelled before its transfer is there: the ticket remembers.
final class TransferHandle: Sendable {
  private let cancelled = Atomic(false)

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func cancel() { cancelled.store(true, ordering: .releasing) }
}
