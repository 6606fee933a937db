extension ExecutionQueue {
  /// Runs a block and gives its result to the task that waits for it.
  ///
  /// `immediately` runs it within the caller's block where the caller is on this queue already; else it waits for what
  /// came before. An idle queue runs it on the thread of the waiting task, off the task's actor.
  package nonisolated(nonsending) func perform<Result, Failure>(
    immediately: Bool, _ block: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    if immediately, isCurrent { return try block() }
    return try await performElsewhere(block).get().value
  }

  @concurrent
  private func performElsewhere<Result, Failure>(
    _ block: @escaping @Sendable () throws(Failure) -> Result
  ) async -> Swift.Result<Transferred<Result>, Failure> {
    if let outcome = performIfIdle({ outcome(of: block) }) { return outcome }
    return unsafe await withUnsafeContinuation { continuation in
      perform { unsafe continuation.resume(returning: outcome(of: block)) }
    }
  }
}

/// The result of a block, on its way from the queue to the task that waits.
// Sendable: it is made once, by the block, and taken once, by the task.
private struct Transferred<Value>: @unchecked Sendable {
  let value: Value
}

private func outcome<Value, Failure>(
  of block: () throws(Failure) -> Value
) -> Result<Transferred<Value>, Failure> {
  Result(catching: { () throws(Failure) in Transferred(value: try block()) })
}
