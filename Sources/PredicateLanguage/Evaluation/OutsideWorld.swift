package import Foundation

/// The only things an evaluation takes from outside: the time and random numbers.
///
/// Tests and simulations put their own in place.
package enum OutsideWorld {
  /// What `now()` gives.
  @TaskLocal package static var now: @Sendable () -> Date = { Date() }

  /// Where `random()` and `random:` take their bits from.
  @TaskLocal package static var randomBits: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
}
