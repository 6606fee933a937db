internal import Synchronization

/// Identifies a transfer to the loop, from any thread.
///
/// A task may be cancelled before its transfer exists, so the handle remembers the cancellation.
final class TransferHandle: Sendable {
  private let cancelled = Atomic(false)

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func cancel() { cancelled.store(true, ordering: .releasing) }
}
