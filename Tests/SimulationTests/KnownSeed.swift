import Simulation
import Testing

/// A world that has shown a defect, which is mended.
struct KnownSeed: Sendable, CustomTestStringConvertible {
  /// What went wrong.
  let defect: String
  let plan: WorldPlan

  var testDescription: String { defect }

  static let all = [
    KnownSeed(
      defect: "An insertion that arrives late, behind the deletion of what it made, brings it back",
      plan: WorldPlan(seed: 49, workload: .addDelete, faults: [.network, .late])),
    KnownSeed(
      defect: "A device that crashes amid a listing sends a change of what was deleted meanwhile, which brings it back",
      plan: WorldPlan(seed: 2597, workload: .manySmallSaves, faults: .crash)),
  ]
}
