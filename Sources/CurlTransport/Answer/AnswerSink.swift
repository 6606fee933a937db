internal import CloudTransport
internal import Synchronization

/// Where an answer goes.
///
/// The thread of the transfers calls it.
protocol AnswerSink: AnyObject {
  /// The head is whole.
  func begin(_ head: TransportResponse) throws(TransportFault)
  /// Takes bytes of the body; false where there is no room for them now.
  func take(_ bytes: UnsafeRawBufferPointer) throws(TransportFault) -> Bool
  /// The transfer is over; a success is the answer's head.
  func finish(_ result: Result<TransportResponse, TransportFault>)
}

/// The task that waits for an answer; what it gets first is what it gets.
final class PendingAnswer: Sendable {
  typealias Outcome = Result<TransportResponse, TransportFault>

  private let task: Mutex<CheckedContinuation<Outcome, Never>?>

  init(_ task: CheckedContinuation<Outcome, Never>) { self.task = Mutex(task) }

  func resume(_ outcome: Outcome) {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    task?.resume(returning: outcome)
  }
}
