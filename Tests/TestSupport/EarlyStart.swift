package import Testing

/// Runs tests at a high priority, so that a long series of tests does not end after all others.
package struct EarlyStart: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  @concurrent package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await Task(priority: .high) { try await function() }.value
    }
  }
}

extension Trait where Self == EarlyStart {
  /// A trait for serialized suites that take longest.
  package static var earlyStart: Self { EarlyStart() }
}
