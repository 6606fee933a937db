extension ExecutionQueue {
  /// Runs a block and gives its result to the task that waits for it.
  ///
  /// `immediately` runs it within the caller's block where the caller is on this queue already;
  /// else it waits for what came before. An idle queue runs it on the thread of the waiting task,
  /// off the task's actor.
  package nonisolated(nonsending) func perform<Result>(
    immediately: Bool, _ block: @escaping () throws -> Result
  ) async rethrows -> Result {
    if immediately, isCurrent { return try block() }
    // The caller waits while the block runs, so that they are never at work at once.
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

/// What became of a block, on its way from the queue to the task that waits.
// Sendable: it is made once, by the block, and taken once, by the task.
private struct BlockOutcome<Value>: @unchecked Sendable {
  let result: Result<Value, any Error>

  init(of block: () throws -> Value) { result = Result(catching: block) }

  /// The value, or the error that this very block threw: a block that throws nothing has none.
  func value<Failure>(of block: () throws(Failure) -> Value) throws(Failure) -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let error as Failure): throw error
    case .failure(let error):
      preconditionFailure("A block threw an error that it cannot throw: \(error)")
    }
  }
}
