internal import Synchronization

/// The continuation of a task that waits for a response.
///
/// The first outcome counts, and later ones are ignored.
package final class PendingResponse: Sendable {
  package typealias Outcome = Result<TransportResponse, TransportError>

  private let task: Mutex<CheckedContinuation<Outcome, Never>?>

  package init(_ task: CheckedContinuation<Outcome, Never>) { self.task = Mutex(task) }

  /// Resumes the task if it is still waiting.
  package func resume(_ outcome: Outcome) {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    task?.resume(returning: outcome)
  }
}
