import Foundation
package import Testing

/// Runs tests on separate threads, because clients that block on a socket would starve other tasks.
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
  /// A trait for tests whose clients block.
  package static var blockingThreads: Self { BlockingThreads() }
}

/// Runs a closure on threads that may block.
package func onBlockingThreads(_ body: @Sendable () async throws -> Void) async throws {
  try await withTaskExecutorPreference(ThreadForEachJob()) { try await body() }
}

/// An executor that gives every job a thread.
package final class ThreadForEachJob: TaskExecutor {
  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Self.run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

extension ThreadForEachJob {
  /// Runs a closure on a new thread.
  static func run(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }
}

/// Waits without blocking the thread, as a busy client or handler would.
package func passTime(milliseconds: Int) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      continuation.resume()
    }
  }
}
