package import ParhelionCommands
import Simulation

/// The command `parhelion simulate`.
package enum SimulateCommand {
  package static let command = Command(
    "simulate",
    "Simulate devices and a server from seeds, and check invariants.",
    options: [
      CommandOption(
        "--seed", value: "S",
        "The seed of the first run, which increases by one each run; default 1."),
      CommandOption("--runs", value: "N", "The number of runs; default 1."),
      CommandOption(
        "--workload", choices: Workload.allCases.map(\.rawValue),
        "The activity of users. By default, the seed chooses."),
      CommandOption(
        "--faults", value: "F",
        "The injected faults: names with commas, all, harmless or none. By default, the seed chooses."
      ),
      CommandOption(
        "--broken", choices: Mutation.allCases.map(\.rawValue),
        "Inject this defect into the devices' engines, to check that it is detected."),
      CommandOption(
        "--steps", value: "N",
        "The number of steps of each run; default 60, or 100 for the workload sharing."),
      CommandOption(
        "--devices", value: "N",
        "The number of devices in each run, 2 to 9; default 3, or 4 for the workload sharing."),
      CommandOption(
        "--coverage",
        "Print a line for each pair of an operation and a fault, with the number of times they met."
      ),
      CommandOption(
        "--trace",
        "Print the whole trace of each run. By default, only the end of failed runs is printed."),
      .json,
    ],
    discussion: """
      Everything runs in this process, one event at a time: devices with stores in memory, the \
      real server, and the network between them. The same seed gives the same trace. A failure \
      prints its seed and the last lines of its trace; repeat it with --seed S --runs 1, and the \
      same --workload, --faults, --broken, --steps and --devices if they were given. Faults: \
      \(SimulatedFaults.byName.map { $0.name }.joined(separator: ", ")). Exits 1 if an invariant \
      was violated. With --json: {"seed", "runs", "steps", "violations", "failures": [{"seed", \
      "invariant", "trace"}]}.
      """
  ) { invocation, console async throws in
    let runs = try plannedRuns(invocation)
    let report = try await runs.run { outcome in
      if invocation.has("--json") { return }
      if invocation.has("--trace") { return try outcome.lines.forEach(console.writeLine) }
      if !outcome.violations.isEmpty { outcome.lastLines.forEach(console.report) }
    }
    if invocation.has("--json") {
      try console.writeJSON(report)
    } else {
      if invocation.has("--coverage") { try report.coverage.lines.forEach(console.writeLine) }
      let counts = [
        Counted.text(report.runs, "run"), Counted.text(report.steps, "step"),
        Counted.text(report.violations, "violation"),
      ]
      try console.writeLine("\(counts.joined(separator: ", ")).")
    }
    return report.violations == 0 ? .success : .failure
  }

  private static func plannedRuns(_ invocation: Invocation) throws(UsageError) -> SimulationRuns {
    let faults = invocation.value(of: "--faults").map { text in (text, SimulatedFaults(named: text))
    }
    if let (text, known) = faults, known == nil {
      throw UsageError(
        "--faults cannot be \"\(text)\": there are all, harmless, none, \(SimulatedFaults.all.text)."
      )
    }
    var runs = SimulationRuns(
      seed: try number(invocation, "--seed") ?? 1,
      count: Int(clamping: try number(invocation, "--runs") ?? 1),
      workload: invocation.value(of: "--workload").flatMap { Workload(rawValue: $0) },
      faults: faults?.1,
      mutation: invocation.value(of: "--broken").flatMap { Mutation(rawValue: $0) })
    runs.stepCount = try number(invocation, "--steps").map { Int(clamping: $0) }
    runs.deviceCount = try number(invocation, "--devices").map { Int(clamping: $0) }
    if let count = runs.deviceCount, !(2...9).contains(count) {
      throw UsageError("--devices needs a number from 2 to 9, not \"\(count)\".")
    }
    return runs
  }

  private static func number(_ invocation: Invocation, _ option: String) throws(UsageError)
    -> UInt64?
  {
    guard let text = invocation.value(of: option) else { return nil }
    guard let number = UInt64(text) else {
      throw UsageError("\(option) needs a non-negative number, not \"\(text)\".")
    }
    return number
  }
}
