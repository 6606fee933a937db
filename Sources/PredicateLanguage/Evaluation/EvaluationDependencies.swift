package import Foundation

/// The external inputs of an evaluation: the time and random numbers.
///
/// Tests and simulations replace them. They are one object rather than two closures, so that
/// `runAsCurrent(_:)` can compare identities: it binds the task-local value only if it changes.
package final class EvaluationDependencies: Sendable {
  /// The time that `now()` returns.
  package let now: @Sendable () -> Date
  /// The source of random bits for `random()` and `random:`.
  package let randomBits: @Sendable () -> UInt64

  package init(
    now: @escaping @Sendable () -> Date = { Date() },
    randomBits: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.now = now
    self.randomBits = randomBits
  }

  /// The system's clock and random number generator.
  package static let real = EvaluationDependencies()

  /// The dependencies of evaluations in the current task.
  @TaskLocal package static var current = EvaluationDependencies.real

  /// Runs a block whose evaluations use these dependencies.
  @discardableResult package func runAsCurrent<Result>(_ body: () throws -> Result) rethrows
    -> Result
  {
    if Self.current === self { return try body() }
    return try Self.$current.withValue(self) { try body() }
  }
}
