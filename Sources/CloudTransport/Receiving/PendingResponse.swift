internal import Synchronization

/// The task that waits for an answer.
///
/// What it gets first is what it gets.
package final class PendingResponse: Sendable {
  package typealias Outcome = Result<TransportResponse, TransportError>

  private let task: Mutex<CheckedContinuation<Outcome, Never>?>

  package init(_ task: CheckedContinuation<Outcome, Never>) { self.task = Mutex(task) }

  /// Resumes the task, where it still waits.
  package func resume(_ outcome: Outcome) {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    task?.resume(returning: outcome)
  }
}
