import Simulation
import TestSupport
import Testing

/// Whole worlds detect defects of the engine.
@Suite("Planted bugs", .serialized, .endsAtAll)
struct PlantedBugTests {
  /// Known issue 204: no world shows that a denied request was approved.
  @Test(arguments: Mutation.allCases.filter { $0 != .approveDenied })
  func `A broken engine is detected`(mutation: Mutation) async throws {
    var violation: Violation?
    let first = Self.firstSeeds[mutation] ?? 1
    for seed in first..<first + 72 where violation == nil {
      var plan = WorldPlan(
        seed: seed, workload: mutation.workload, faults: mutation.faults, mutation: mutation)
      let found = try await plan.run().violations
      guard let first = found.first(where: { mutation.invariant ?? $0.invariant == $0.invariant })
      else { continue }
      // An engine without the defect passes in the same world.
      (plan.mutation, plan.recordsInPage) = (nil, mutation.recordsInPage)
      guard try await plan.run().violations.isEmpty else { continue }
      violation = first
      print("\(mutation.rawValue), seed \(seed): \(first)")
    }
    #expect(violation != nil, "No seed of 72 shows that the engine is broken: \(mutation)")
    if let invariant = mutation.invariant { #expect(violation?.invariant == invariant) }
  }

  @Test func `Runs with a planted bug have the page size that reveals it`() async throws {
    var runs = SimulationRuns(seed: 2, count: 1, mutation: .forgetDeferred)
    runs.stepCount = 1
    var sizes: [Int?] = []
    _ = try await runs.run { sizes.append($0.plan.recordsInPage) }
    #expect(sizes == [1])
  }

  /// The seeds to begin with for bugs that few worlds reveal, since each world takes a second.
  private static let firstSeeds: [Mutation: UInt64] = [
    .leavePairs: 16, .keepRefused: 41, .hideLowering: 17, .dropChild: 40, .yieldReferences: 28,
    .deleteUnseen: 14, .sendUnnoted: 9, .forgetOrders: 9, .overwriteBlindly: 5,
    .splitLargeSaves: 5, .deleteEverywhere: 5, .forgetSuccessions: 4, .dropStrayEdits: 4,
    .deleteEarly: 4, .keepRemoved: 4,
  ]
}
