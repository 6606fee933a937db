extension ExecutionQueue {
  /// Runs a block and returns its result to the awaiting task.
  ///
  /// With `immediately`, the block runs at once if the caller is on this queue already. Otherwise
  /// the block waits for earlier blocks. An idle queue runs it on the awaiting task's thread, off
  /// the task's actor.
  package nonisolated(nonsending) func perform<Result>(
    immediately: Bool, _ block: @escaping () throws -> Result
  ) async rethrows -> Result {
    if immediately, isCurrent { return try block() }
    // The caller waits while the block runs, so the two never run at once.
    nonisolated(unsafe) let handedOver = block
    let outcome = await outcome { try unsafe handedOver() }
    return try outcome.value(of: block)
  }

  @concurrent
  private func outcome<Result>(of block: @escaping @Sendable () throws -> Result) async
    -> BlockOutcome<Result>
  {
    if let outcome = performIfIdle({ BlockOutcome(of: block) }) { return outcome }
    return unsafe await withUnsafeContinuation { continuation in
      perform { unsafe continuation.resume(returning: BlockOutcome(of: block)) }
    }
  }
}

/// The result of a block, passed from the queue to the awaiting task.
// Sendable: the block creates it once, and the task reads it once.
private struct BlockOutcome<Value>: @unchecked Sendable {
  let result: Result<Value, any Error>

  init(of block: () throws -> Value) { result = Result(catching: block) }

  /// Returns the value, or throws the error that the block threw.
  ///
  /// The parameter only supplies the type of the error.
  func value<Failure>(of block: () throws(Failure) -> Value) throws(Failure) -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let error as Failure): throw error
    case .failure(let error):
      preconditionFailure("A block threw an error that it cannot throw: \(error)")
    }
  }
}
