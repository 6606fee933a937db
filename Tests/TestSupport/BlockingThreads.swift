import Foundation
package import Testing

/// Runs tests on threads of their own, so that clients that wait for a socket keep no thread from
/// anybody else.
package struct BlockingThreads: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  @concurrent package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await onBlockingThreads { try await function() }
  }
}

extension Trait where Self == BlockingThreads {
  /// For tests whose clients block.
  package static var blockingThreads: Self { BlockingThreads() }
}

/// Runs a closure on threads that may block.
package func onBlockingThreads(_ body: @Sendable () async throws -> Void) async throws {
  try await withTaskExecutorPreference(ThreadForEachJob()) { try await body() }
}

/// Gives every job a thread.
package final class ThreadForEachJob: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Self.run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

extension ThreadForEachJob {
  /// Runs a closure on a thread of its own.
  static func run(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }
}

/// Lets time pass, as a client or a handler that does other things would.
package func passTime(milliseconds: Int) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      continuation.resume()
    }
  }
}
