/// Decides what happens to one request after the other.
struct FaultPlan: Sendable {
  /// What happens to the next requests; nil for those that nothing happens to.
  var script: [TestNetwork.Fault?] = []
  /// What happens to others.
  var chance: Chance?

  mutating func next() -> TestNetwork.Fault? {
    if !script.isEmpty { return script.removeFirst() }
    return chance?.next()
  }

  /// Faults that come by chance, which a seed decides.
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

  /// A small generator (SplitMix64), whose numbers are the same everywhere.
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
