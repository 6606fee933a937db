package import ParhelionCommands
import Simulation

/// The command `parhelion simulate`.
package enum SimulateCommand {
  /// The command itself.
  package static let command = Command(
    "simulate",
    "Run whole worlds of devices and a server from seeds, and check what must always hold.",
    options: [
      CommandOption(
        "--seed", value: "S",
        "The seed of the first run; each further run has the next one. 1 unless given."),
      CommandOption("--runs", value: "N", "How many runs. 1 unless given."),
      CommandOption(
        "--workload", choices: Workload.allCases.map(\.rawValue),
        "What people do; the seed chooses unless given."),
      CommandOption(
        "--faults", value: "F",
        "What goes wrong: names with commas, all, harmless or none; the seed chooses unless given."),
      CommandOption(
        "--broken", choices: Mutation.allCases.map(\.rawValue),
        "Break the devices' engines in this way, to see that it is noticed."),
      CommandOption(
        "--trace", "Print everything that happens, of each run; by default the end of failures is."),
      .json,
    ],
    discussion: """
      Everything happens in this process, one thing after the other: devices with stores in memory, the real server, \
      the network between them. The same seed gives the same trace. A failure prints its seed and the last lines of its trace; \
      it is run again by --seed S --runs 1, with the same --workload and --faults where they were given. Faults: \
      \(SimulatedFaults.byName.map { $0.name }.joined(separator: ", ")). Exits 1 when anything was violated. \
      With --json: {"seed", "runs", "steps", "violations", "failures": [{"seed", "invariant", "trace"}]}.
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
      try console.writeLine(
        "\(report.runs) runs, \(report.steps) steps, \(report.violations) violations.")
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
    return SimulationRuns(
      seed: try number(invocation, "--seed") ?? 1,
      count: Int(clamping: try number(invocation, "--runs") ?? 1),
      workload: invocation.value(of: "--workload").flatMap { Workload(rawValue: $0) },
      faults: faults?.1,
      mutation: invocation.value(of: "--broken").flatMap { Mutation(rawValue: $0) })
  }

  private static func number(_ invocation: Invocation, _ option: String) throws(UsageError)
    -> UInt64?
  {
    guard let text = invocation.value(of: option) else { return nil }
    guard let number = UInt64(text) else {
      throw UsageError("\(option) needs a number from 0 up; \"\(text)\" is none.")
    }
    return number
  }
}
