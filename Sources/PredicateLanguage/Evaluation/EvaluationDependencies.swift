package import Foundation

/// The only things an evaluation takes from outside: the time and random numbers.
///
/// Tests and simulations put their own in place. It is one object rather than two closures, so that
/// a store can tell at a glance that the real world is in place already, and binds nothing.
package final class EvaluationDependencies: Sendable {
  /// What `now()` gives.
  package let now: @Sendable () -> Date
  /// Where `random()` and `random:` take their bits from.
  package let randomBits: @Sendable () -> UInt64

  package init(
    now: @escaping @Sendable () -> Date = { Date() },
    randomBits: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.now = now
    self.randomBits = randomBits
  }

  /// The computer's clock and its source of chance.
  package static let real = EvaluationDependencies()

  /// What evaluations use now.
  @TaskLocal package static var current = EvaluationDependencies.real

  /// Runs a block whose evaluations use this world.
  @discardableResult package func whileCurrent<Result>(_ body: () throws -> Result) rethrows
    -> Result
  {
    if Self.current === self { return try body() }
    return try Self.$current.withValue(self) { try body() }
  }
}
