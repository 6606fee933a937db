import Foundation

/// The commands that measure.
package enum BenchCommands {
  /// The command `parhelion bench local`.
  package static let local = Command(
    "bench local", "Measure the local store and its objects beside plain C, and JSON beside Foundation.",
    options: [only, .json],
    discussion: """
      Times are processor time, the median of several rounds in which both sides take turns. Exits 1 when a ratio is over \
      its limit. --only runs the workloads that have the name or begin with it, such as "objects.get"; it may be given \
      several times. With --json: {"results": [{"name", "value", "unit", "reference", "ratio", "limit"}]}. Measure a release \
      build.
      """
  ) { invocation, console in
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(
      LocalBenchmark().workloads() + ObjectBenchmark().workloads() + JSONBenchmark().workloads())
    let measured = try workloads.flatMap { try $0.run() }
    if invocation.has("--json") {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let report = BenchmarkReport(results: measured.map(\.result))
      try console.writeLine(String(decoding: encoder.encode(report), as: UTF8.self))
    } else {
      for one in measured { try console.writeLine(line(for: one)) }
    }
    return measured.allSatisfy(\.result.isWithinLimit) ? .success : .failure
  }

  private static let only = CommandOption(
    "--only", value: "NAME", isRepeatable: true, "Run the workloads of this name or beginning alone.")

  /// A result for people, with how far the rounds lay apart.
  package static func line(for measured: LocalBenchmark.Measured) -> String {
    let result = measured.result
    let limit = result.limit.map { ", at most \($0)" } ?? ""
    let verdict = result.isWithinLimit ? "" : "  OVER THE LIMIT"
    return "\(result.name): \(result.value) \(result.unit), reference \(result.reference), ratio \(result.ratio) "
      + "(rounds \(measured.spread.lowerBound) to \(measured.spread.upperBound)\(limit))\(verdict)"
  }
}
