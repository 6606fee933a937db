internal import Synchronization

/// A transaction that a caller waits for.
///
/// ```
///          wait            begin           finish
/// created ─────▶ waiting ────────▶ running ───────────────────▶ ended
///    │ cancel       │ cancel          │ deliver         finish    ▲
///    │              │                 └───▶ delivered ────────────┤
///    ▼              └───────── CancellationError ─────────────────┤
/// cancelled ── wait: CancellationError ───────────────────────────┘
/// ```
protocol PendingTransaction: AnyObject, Sendable {
  /// Marks the transaction as running; returns false if it was cancelled meanwhile.
  func begin() -> Bool

  /// Runs the body and stores its result.
  func run(in transaction: SQLiteTransaction) throws

  /// Delivers the body's result to a caller that processes it during the commit, if there is one.
  func deliver()

  /// Resumes the caller with the error, or with the body's result.
  func finish(_ error: (any Error)?)
}

extension PendingTransaction {
  /// Resumes the caller with an error, unless the transaction was cancelled before.
  func reject(_ error: any Error) {
    if begin() { finish(error) }
  }
}

/// A body, the task that waits for it, and their state.
///
/// The type is not generic over the body's result: the metadata lookups of a generic class cost two
/// percent of a small write.
final class TransactionTask: PendingTransaction {
  /// A box for a body's result, since the task does not know the result's type.
  private struct ResultBox<Value: Sendable>: Sendable {
    let value: Value
  }

  private typealias Body = @Sendable (SQLiteTransaction) throws -> any Sendable
  private typealias Waiter = CheckedContinuation<any Sendable, any Error>
  private typealias End = CheckedContinuation<Void, any Error>

  private enum State {
    case created
    case cancelled
    case waiting(Waiter)
    case running(Waiter, (any Sendable)?)
    /// The caller has the result, and may already wait for the commit.
    case delivered(End?)
    case ended(Result<Void, any Error>)
  }

  private let body: Body
  private let deliversEarly: Bool
  private let state = Mutex(State.created)

  private init(deliversEarly: Bool, _ body: @escaping Body) {
    self.deliversEarly = deliversEarly
    self.body = body
  }

  /// Submits a body and waits for the end of its transaction.
  static func perform<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteTransaction) throws -> Value,
    submit: (any PendingTransaction) -> Void
  ) async throws -> Value {
    let task = TransactionTask(deliversEarly: false) { ResultBox(value: try body($0)) }
    return try await task.value(submit: submit)
  }

  /// Submits a body, transforms its result during the commit, and waits for the end.
  static func perform<Value: Sendable, Made>(
    _ body: @escaping @Sendable (SQLiteTransaction) throws -> Value, making: (Value) -> Made,
    submit: (any PendingTransaction) -> Void
  ) async throws -> Made {
    let task = TransactionTask(deliversEarly: true) { ResultBox(value: try body($0)) }
    let creation = making(try await task.value(submit: submit))
    try await task.end()
    return creation
  }

  private func value<Value: Sendable>(submit: (any PendingTransaction) -> Void) async throws
    -> Value
  {
    let given = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        if wait(waiter) { submit(self) }
      }
    } onCancel: {
      cancel()
    }
    guard let given = given as? ResultBox<Value> else {
      preconditionFailure("A transaction returned a value of another type than its body.")
    }
    return given.value
  }

  /// Waits for the commit.
  ///
  /// The body has already run, so cancellation has no effect here.
  private func end() async throws {
    try await withCheckedThrowingContinuation { (waiter: End) in
      let end: Result<Void, any Error>? = state.withLock { state in
        if case .ended(let end) = state { return end }
        state = .delivered(waiter)
        return nil
      }
      if let end { waiter.resume(with: end) }
    }
  }

  /// Stores the caller's continuation until the transaction ends.
  ///
  /// - Returns: False if the task was already cancelled.
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
        state = .ended(.failure(CancellationError()))
        return waiter
      case .cancelled, .running, .delivered, .ended: return nil
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

  func deliver() {
    guard deliversEarly else { return }
    let delivered: (Waiter, any Sendable)? = state.withLock { state in
      guard case .running(let waiter, let value?) = state else { return nil }
      state = .delivered(nil)
      return (waiter, value)
    }
    if let (waiter, value) = delivered { waiter.resume(returning: value) }
  }

  func finish(_ error: (any Error)?) {
    let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
    let before = state.withLock { state in
      let before = state
      switch state {
      case .running, .delivered: state = .ended(end)
      default: break
      }
      return before
    }
    switch before {
    case .running(let waiter, let value):
      if let error { return waiter.resume(throwing: error) }
      guard let value else {
        preconditionFailure("A transaction was finished before its body had run.")
      }
      waiter.resume(returning: value)
    case .delivered(let waiter): waiter?.resume(with: end)
    case .created, .cancelled, .waiting, .ended: break
    }
  }
}
