/// Decides which fault each request meets.
struct FaultPlan: Sendable {
  /// The faults of the next requests, in order; nil for a request without a fault.
  var script: [TestNetwork.Fault?] = []
  /// The random faults of the requests after the script.
  var chance: Chance?

  mutating func next() -> TestNetwork.Fault? {
    if !script.isEmpty { return script.removeFirst() }
    return chance?.next()
  }

  /// Random faults, determined by a seed.
  struct Chance: Sendable {
    private let faults: [TestNetwork.Fault]
    private let probability: Double
    private var generator: Generator

    init(faults: [TestNetwork.Fault], probability: Double, seed: UInt64) {
      precondition((0...1).contains(probability), "A probability lies between 0 and 1.")
      self.faults = faults
      self.probability = probability
      generator = Generator(state: seed)
    }

    mutating func next() -> TestNetwork.Fault? {
      Double.random(in: 0..<1, using: &generator) < probability
        ? faults.randomElement(using: &generator) : nil
    }
  }

  /// A small generator (SplitMix64) with the same sequence on every platform.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
