import CloudMirroring
import Foundation

/// The plan of one run, which determines everything in it.
package struct WorldPlan: Sendable, Equatable {
  package var seed: UInt64
  package var workload: Workload
  package var faults: SimulatedFaults
  /// The defect of the devices' engines; nil for none.
  package var mutation: Mutation?
  /// The number of records that devices request at once; nil for the default.
  package var recordsInPage: Int?
  /// Whether the server's storage is in files, as in production, or in memory, which is faster.
  package var serverHasFiles = false
  package var stepCount: Int
  package var deviceCount: Int

  package init(
    seed: UInt64, workload: Workload, faults: SimulatedFaults, mutation: Mutation? = nil,
    recordsInPage: Int? = nil
  ) {
    (self.seed, self.workload, self.faults, self.mutation) = (seed, workload, faults, mutation)
    self.recordsInPage = recordsInPage ?? mutation?.recordsInPage
    (deviceCount, stepCount) = (workload.deviceCount, workload.stepCount)
  }

  /// Creates a plan; the mutation, or else the seed, decides every value that is not given.
  package init(
    seed: UInt64, workload: Workload?, faults: SimulatedFaults?, mutation: Mutation? = nil
  ) {
    var generator = SimulatedGenerator(seed: ~seed)
    let choices = SimulatedFaults.choices
    let chosen = (
      Workload.chosen[generator.below(Workload.chosen.count)],
      choices[generator.below(choices.count)]
    )
    let recordsInPage = generator.isOnce(in: 2) ? 1 + generator.below(4) : nil
    self.init(
      seed: seed, workload: workload ?? mutation?.workload ?? chosen.0,
      faults: faults ?? mutation?.faults ?? chosen.1, mutation: mutation,
      recordsInPage: mutation?.recordsInPage ?? recordsInPage)
    serverHasFiles = generator.isOnce(in: 8)
  }

  /// The users with devices; if they share, the seed decides how many there are.
  var accounts: [String] {
    workload.shares ? Array(workload.accounts.prefix(seed % 2 == 0 ? 2 : 3)) : workload.accounts
  }

  /// The transfer sizes of a device's engines.
  ///
  /// - Parameter isWhole: Whether the device does not have the plan's mutation.
  func sizes(isWhole: Bool) -> TransferSizes {
    var sizes = TransferSizes()
    if workload.savesMany { sizes.recordsInRequest = SimulationLimits.recordsInRequest }
    if !isWhole, let mutation { sizes = mutation.changed(sizes) }
    guard let recordsInPage else { return sizes }
    (sizes.recordsInPage, sizes.pagesInSave) = (recordsInPage, 1 + recordsInPage % 2)
    return sizes
  }

  /// The possible power failures of a device.
  ///
  /// - Parameter isWhole: Whether the device does not have the plan's mutation.
  func power(isWhole: Bool) -> SimulatedDisk.Power {
    guard faults.contains(.power) else { return .stays }
    switch isWhole ? nil : mutation {
    case .lieAboutSyncs: return .mayBeLostWithoutSyncs
    case .sendUnnoted: return .mayBeLostWithoutSettling
    default: return .mayBeLost
    }
  }

  /// Runs the world in a temporary folder.
  package func run() async throws -> SimulationOutcome {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "parhelion-simulation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let world = try await World(self, in: folder)
    return await world.run()
  }
}

/// The outcome of a run.
package struct SimulationOutcome: Sendable, Equatable {
  package let plan: WorldPlan
  package let stepCount: Int
  /// The events, one line each, and the final content of all devices.
  package let trace: [String]
  package let violations: [Violation]
  /// The faults that met the devices' operations.
  package let coverage: FaultCoverage

  /// The last lines of the trace, after a line that says how to repeat the run.
  package var lastLines: [String] {
    [title] + trace.suffix(SimulationLimits.traceLines)
  }

  /// The whole trace, after a line that says how to repeat the run.
  package var lines: [String] { [title] + trace }

  private var title: String {
    let parts = plan.recordsInPage.map { ", \($0) records per page" } ?? ""
    let place = plan.serverHasFiles ? ", the server has files" : ""
    return
      "seed \(plan.seed), workload \(plan.workload.rawValue), faults \(plan.faults.text)\(parts)\(place)"
  }
}
