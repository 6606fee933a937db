internal import Synchronization

/// A transaction that somebody waits for.
///
/// ```
///          wait            begin           finish
/// created ─────▶ waiting ────────▶ running ───────▶ ended
///    │ cancel       │ cancel                          ▲
///    ▼              └───────── CancellationError ─────┘
/// cancelled ── wait: CancellationError ───────────────┘
/// ```
protocol PendingTransaction: AnyObject, Sendable {
  /// Takes the transaction in hand; false when it was cancelled meanwhile and is nothing to do any more.
  func begin() -> Bool

  /// Runs the body and keeps what it gives.
  func run(in transaction: SQLiteTransaction) throws

  /// Answers whoever waits: with the error, or with what the body gave.
  func finish(_ error: (any Error)?)
}

extension PendingTransaction {
  /// Answers with an error, unless it was cancelled before.
  func refuse(_ error: any Error) {
    if begin() { finish(error) }
  }
}

/// A body, its task, and how far they are.
///
/// It does not know the type of what the body gives: a generic class would look its parts up anew at each step, which was a fiftieth of a small write.
final class TransactionJob: PendingTransaction {
  /// What a body gave, in a form that any job can hand on.
  private struct Given<Value: Sendable>: Sendable {
    let value: Value
  }

  private typealias Body = @Sendable (SQLiteTransaction) throws -> any Sendable
  private typealias Waiter = CheckedContinuation<any Sendable, any Error>

  private enum State {
    case created
    case cancelled
    case waiting(Waiter)
    case running(Waiter, (any Sendable)?)
    case ended
  }

  private let body: Body
  private let state = Mutex(State.created)

  private init(_ body: @escaping Body) { self.body = body }

  /// Hands a body to `submit` and waits for its end.
  static func perform<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteTransaction) throws -> Value, submit: (any PendingTransaction) -> Void
  ) async throws -> Value {
    let job = TransactionJob { Given(value: try body($0)) }
    let given = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        if job.wait(waiter) { submit(job) }
      }
    } onCancel: {
      job.cancel()
    }
    guard let given = given as? Given<Value> else {
      preconditionFailure("A transaction gave a value of another type than its body does.")
    }
    return given.value
  }

  /// - Returns: False when the task was cancelled before it came this far.
  private func wait(_ waiter: Waiter) -> Bool {
    let isWaiting = state.withLock { state in
      guard case .created = state else { return false }
      state = .waiting(waiter)
      return true
    }
    if !isWaiting { waiter.resume(throwing: CancellationError()) }
    return isWaiting
  }

  private func cancel() {
    let waiter: Waiter? = state.withLock { state in
      switch state {
      case .created:
        state = .cancelled
        return nil
      case .waiting(let waiter):
        state = .ended
        return waiter
      case .cancelled, .running, .ended: return nil
      }
    }
    waiter?.resume(throwing: CancellationError())
  }

  func begin() -> Bool {
    state.withLock { state in
      guard case .waiting(let waiter) = state else { return false }
      state = .running(waiter, nil)
      return true
    }
  }

  func run(in transaction: SQLiteTransaction) throws {
    let value = try body(transaction)
    state.withLock { state in
      if case .running(let waiter, _) = state { state = .running(waiter, value) }
    }
  }

  func finish(_ error: (any Error)?) {
    let (waiter, value): (Waiter?, (any Sendable)?) = state.withLock { state in
      guard case .running(let waiter, let value) = state else { return (nil, nil) }
      state = .ended
      return (waiter, value)
    }
    if let error {
      waiter?.resume(throwing: error)
    } else if let value {
      waiter?.resume(returning: value)
    } else {
      preconditionFailure("A transaction was finished before its body had run.")
    }
  }
}
