import Foundation

/// A small, fast, reproducible source of randomness (SplitMix64) for property tests.
///
/// Create one with `SeededGenerator.forTest()`. Put the seed into every expectation's comment, so
/// that a failure can be replayed with `PARHELION_SEED=… swift test`.
public struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible, Sendable {
  /// The seed that reproduces this generator's whole sequence.
  public let seed: UInt64
  private var state: UInt64

  /// Creates a generator; equal seeds give equal sequences.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// A generator seeded from `PARHELION_SEED`, or from the system if that is not set.
  public static func forTest() -> SeededGenerator {
    let given = ProcessInfo.processInfo.environment["PARHELION_SEED"].flatMap(UInt64.init)
    return SeededGenerator(seed: given ?? UInt64.random(in: .min ... .max))
  }

  /// Calls a closure with seeds, each of which decides what a hostile server does.
  ///
  /// The first seed is `PARHELION_SEED`, or 0. The order of requests is random, too, so equal seeds
  /// do not always give equal runs: up to 64 further seeds follow until `isEnough`.
  ///
  /// - Parameter count: The number of seeds, unless `PARHELION_HOSTILE_SEEDS` gives another one.
  /// - Returns: The number of seeds without the further ones. If it is less than `count`, no
  ///   further ones were used.
  public static func forEachHostileSeed(
    _ count: UInt64, until isEnough: () -> Bool = { true },
    play: (UInt64) async throws -> Void
  ) async throws -> UInt64 {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["PARHELION_SEED"].flatMap(UInt64.init) ?? 0
    let wanted = environment["PARHELION_HOSTILE_SEEDS"].flatMap(UInt64.init) ?? count
    for seed in first..<first + wanted { try await play(seed) }
    var further = (first + wanted)..<(first + wanted + 64)
    while wanted >= count, !isEnough(), let seed = further.popFirst() { try await play(seed) }
    return wanted
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The text that a failed expectation shows for a replay.
  public var description: String { "PARHELION_SEED=\(seed)" }
}
