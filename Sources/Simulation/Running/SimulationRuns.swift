/// Runs of several worlds with consecutive seeds.
package struct SimulationRuns: Sendable {
  package let seed: UInt64
  package let count: Int
  /// The workload of all runs; nil leaves it to each seed.
  package let workload: Workload?
  package let faults: SimulatedFaults?
  /// The defect of the engines in all runs; nil for none.
  package let mutation: Mutation?
  /// The number of steps of each run; nil for the default.
  package var stepCount: Int?
  /// The number of devices in each run; nil for the default.
  package var deviceCount: Int?

  package init(
    seed: UInt64, count: Int, workload: Workload? = nil, faults: SimulatedFaults? = nil,
    mutation: Mutation? = nil
  ) {
    (self.seed, self.count, self.workload, self.faults) = (seed, count, workload, faults)
    self.mutation = mutation
  }

  /// Runs all worlds, one after the other.
  ///
  /// - Parameter ended: Called after each run.
  package func run(ended: (SimulationOutcome) throws -> Void) async throws -> SimulationReport {
    var report = SimulationReport(seed: seed, runs: count)
    for index in 0..<count {
      var plan = WorldPlan(
        seed: seed &+ UInt64(index), workload: workload, faults: faults, mutation: mutation)
      if let stepCount { plan.stepCount = stepCount }
      if let deviceCount { plan.deviceCount = deviceCount }
      let outcome = try await plan.run()
      report.add(outcome)
      try ended(outcome)
    }
    return report
  }
}

/// The results of several runs, in the form that `parhelion simulate --json` prints.
package struct SimulationReport: Encodable, Sendable {
  /// A run with violations.
  package struct Failure: Encodable, Sendable {
    /// The seed, which repeats the run.
    package let seed: UInt64
    package let invariant: String
    /// The last lines of the trace.
    package let trace: [String]
  }

  package let seed: UInt64
  package let runs: Int
  package private(set) var steps = 0
  package private(set) var violations = 0
  package private(set) var failures: [Failure] = []
  package private(set) var coverage = FaultCoverage()

  private enum CodingKeys: CodingKey {
    case seed, runs, steps, violations, failures
  }

  package init(seed: UInt64, runs: Int) { (self.seed, self.runs) = (seed, runs) }

  /// Adds the outcome of a run.
  package mutating func add(_ outcome: SimulationOutcome) {
    steps += outcome.stepCount
    violations += outcome.violations.count
    coverage.add(outcome.coverage)
    guard let first = outcome.violations.first else { return }
    failures.append(
      Failure(
        seed: outcome.plan.seed, invariant: first.invariant.rawValue, trace: outcome.lastLines))
  }
}
