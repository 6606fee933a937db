/// A small generator (SplitMix64), whose numbers are the same everywhere.
package struct SimulatedGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator that always gives the same numbers for the same seed.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to a bound, without it.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Whether something happens that happens once in so many times.
  mutating func isOnce(in count: Int) -> Bool { below(count) == 0 }
}
