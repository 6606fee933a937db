import CloudMirroring
import Foundation

/// One run of a world: everything that happens in it follows from this.
package struct WorldPlan: Sendable, Equatable {
  package var seed: UInt64
  package var workload: Workload
  package var faults: SimulatedFaults
  /// How the engines of the devices are broken; nil where they are whole.
  package var mutation: Mutation?
  /// How many records devices ask for at once; nil for as many as programs do.
  package var recordsInPage: Int?
  /// Whether the server keeps its records in files, as programs do, or in memory, which costs less.
  package var serverHasFiles = false
  package var stepCount = 60
  package var deviceCount = 3

  package init(
    seed: UInt64, workload: Workload, faults: SimulatedFaults, mutation: Mutation? = nil,
    recordsInPage: Int? = nil
  ) {
    (self.seed, self.workload, self.faults, self.mutation) = (seed, workload, faults, mutation)
    self.recordsInPage = recordsInPage ?? mutation?.recordsInPage
  }

  /// A run in which the seed decides what is not given.
  package init(seed: UInt64, workload: Workload?, faults: SimulatedFaults?) {
    var generator = SimulatedGenerator(seed: ~seed)
    let choices = SimulatedFaults.choices
    let chosen = (
      Workload.allCases[generator.below(Workload.allCases.count)],
      choices[generator.below(choices.count)]
    )
    self.init(seed: seed, workload: workload ?? chosen.0, faults: faults ?? chosen.1)
    if generator.isOnce(in: 2) { recordsInPage = 1 + generator.below(4) }
    serverHasFiles = generator.isOnce(in: 8)
  }

  /// What the engines of devices get, broken or whole.
  func seam(isWhole: Bool) -> MirrorSeam {
    var seam = (isWhole ? nil : mutation?.seam) ?? MirrorSeam()
    if workload.savesMany {
      let broken = seam.limits
      seam.limits = { limits in
        var limits = broken?(limits) ?? limits
        limits.records = min(limits.records, SimulationLimits.recordsInRequest)
        return limits
      }
    }
    guard let recordsInPage else { return seam }
    (seam.recordsInPage, seam.pagesInSave) = (recordsInPage, 1 + recordsInPage % 2)
    return seam
  }

  /// What becomes of devices' power.
  func power(isWhole: Bool) -> SimulatedDisk.Power {
    guard faults.contains(.power) else { return .stays }
    return !isWhole && mutation == .lieAboutSyncs ? .mayBeLostByLiar : .mayBeLost
  }

  /// Lets everything happen, in a folder of its own that is gone afterwards.
  package func run() async throws -> SimulationOutcome {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-simulation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let world = try await World(self, in: folder)
    return await world.run()
  }
}

/// What came of a run.
package struct SimulationOutcome: Sendable, Equatable {
  package let plan: WorldPlan
  package let stepCount: Int
  /// What happened, a line for each thing, and at the end what everybody has.
  package let trace: [String]
  package let violations: [Violation]

  /// The last lines of the trace, in front of which stands how to replay it.
  package var lastLines: [String] {
    [title] + trace.suffix(SimulationLimits.traceLines)
  }

  /// All lines.
  package var lines: [String] { [title] + trace }

  private var title: String {
    let parts = plan.recordsInPage.map { ", \($0) records in a page" } ?? ""
    let place = plan.serverHasFiles ? ", the server has files" : ""
    return
      "seed \(plan.seed), workload \(plan.workload.rawValue), faults \(plan.faults.text)\(parts)\(place)"
  }
}
