/// Runs of several worlds, whose seeds follow each other.
package struct SimulationRuns: Sendable {
  package let seed: UInt64
  package let count: Int
  /// What all of them have; nil leaves it to each seed.
  package let workload: Workload?
  package let faults: SimulatedFaults?
  /// How the engines are broken in all of them; nil where they are whole.
  package let mutation: Mutation?

  package init(
    seed: UInt64, count: Int, workload: Workload? = nil, faults: SimulatedFaults? = nil,
    mutation: Mutation? = nil
  ) {
    (self.seed, self.count, self.workload, self.faults) = (seed, count, workload, faults)
    self.mutation = mutation
  }

  /// Lets them all happen, one after the other.
  ///
  /// - Parameter ended: Is told of each run, at once.
  package func run(ended: (SimulationOutcome) throws -> Void) async throws -> SimulationReport {
    var report = SimulationReport(seed: seed, runs: count)
    for index in 0..<count {
      var plan = WorldPlan(
        seed: seed &+ UInt64(index), workload: workload ?? mutation?.workload,
        faults: faults ?? mutation?.faults)
      plan.mutation = mutation
      let outcome = try await plan.run()
      report.add(outcome)
      try ended(outcome)
    }
    return report
  }
}

/// What came of several runs, in the form that `parhelion simulate --json` prints.
package struct SimulationReport: Encodable, Sendable {
  /// A run in which something was violated.
  package struct Failure: Encodable, Sendable {
    /// Gives the same run again.
    package let seed: UInt64
    package let invariant: String
    /// The last lines of what happened.
    package let trace: [String]
  }

  package let seed: UInt64
  package let runs: Int
  package private(set) var steps = 0
  package private(set) var violations = 0
  package private(set) var failures: [Failure] = []

  package init(seed: UInt64, runs: Int) { (self.seed, self.runs) = (seed, runs) }

  /// Adds what came of a run.
  package mutating func add(_ outcome: SimulationOutcome) {
    steps += outcome.stepCount
    violations += outcome.violations.count
    guard let first = outcome.violations.first else { return }
    failures.append(
      Failure(
        seed: outcome.plan.seed, invariant: first.invariant.rawValue, trace: outcome.lastLines))
  }
}
