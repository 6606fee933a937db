package import ParhelionCommands

/// The benchmark commands.
package enum BenchCommands {
  /// The command `parhelion bench local`.
  package static let local = Command(
    "bench local",
    "Measure the local store and its objects beside plain C, and JSON beside Foundation.",
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
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench server`.
  package static let server = Command(
    "bench server", "Measure a record server, in a process of its own, beside plain SQLite.",
    options: [
      only, CommandOption("--full", "Look for the last changes in a zone of a million records."),
      .json,
    ],
    discussion: """
      The tool starts `parhelion serve` on a temporary folder, and asks it as a client would. Times are the clock's. The folder lies \
      where TMPDIR says: on a disk in memory nothing is durable, and the figures of writes mean little. A figure has the reference \
      that was measured in the same run, or the number that it is to keep to; a ratio is one of costs: less is better. Exits 1 when a ratio is \
      over its limit, and fails where the server has other records than it acknowledged. --only and --json are those of “parhelion bench local”. \
      Measure a release build.
      """
  ) { invocation, console in
    var benchmark = ServerBenchmark(executable: try SiblingProgram.parhelion.path())
    if invocation.has("--full") { benchmark.sizes.largeZone = 1_000_000 }
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.workloads())
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench client`.
  package static let client = Command(
    "bench client",
    "Measure the client library, with a server in a process of its own, beside parsing and bare HTTP.",
    options: [only, .json],
    discussion: """
      Decoding is measured by processor time, requests by the clock; memory is the most that this process takes while it fetches \
      2,000 records, and 40,000. --only and --json are those of “parhelion bench local”. Exits 1 when a ratio is over its limit. \
      Measure a release build.
      """
  ) { invocation, console in
    let benchmark = ClientBenchmark(executable: try SiblingProgram.parhelion.path())
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.workloads())
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench sync`.
  package static let sync = Command(
    "bench sync",
    "Measure how fast many objects go between devices, beside plain SQLite and a bare connection.",
    options: [only, CommandOption("--full", "Let a new device get a million objects."), .json],
    discussion: """
      The tool starts `parhelion serve` and devices, each with a store of its own on a temporary folder, and tells these what to do. \
      Objects have a kilobyte of values. Times are the clock's, from the beginning of the first save to the end of the last one on the \
      other device. The reference is the number that a figure is to keep to, or, where the name ends in “floor”, moving the same rows from one \
      plain SQLite into another over a connection. Exits 1 when a ratio is over its limit, and fails where devices differ in the end. --only \
      and --json are those of “parhelion bench local”. Measure a release build.
      """
  ) { invocation, console in
    var benchmark = SyncBenchmark(executable: try SiblingProgram.parhelion.path())
    if invocation.has("--full") { benchmark.sizes.replica = 1_000_000 }
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.bulk())
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench push`.
  package static let push = Command(
    "bench push", "Measure how soon one change is on another device, and what it waits for.",
    options: [only, .json],
    discussion: """
      One change after the other, from the beginning of its save on a device to the end of the save that brings it to another; server and \
      devices are processes of their own. “store” is both saves, “server” what the server says that its requests took, “wire” the time of as many \
      answers of next to nothing, “rest” everything else: each beside the whole. --only and --json are those of “parhelion bench local”. \
      Exits 1 when a ratio is over its limit. Measure a release build.
      """
  ) { invocation, console in
    let benchmark = SyncBenchmark(executable: try SiblingProgram.parhelion.path())
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.single())
    return try report(workloads, invocation, console)
  }

  /// Runs workloads and reports their measurements.
  private static func report(
    _ workloads: [BenchmarkWorkload], _ invocation: Invocation, _ console: any Console
  ) throws -> CommandStatus {
    try BenchFolder.tidying { try measure(workloads, invocation, console) }
  }

  private static func measure(
    _ workloads: [BenchmarkWorkload], _ invocation: Invocation, _ console: any Console
  ) throws -> CommandStatus {
    if invocation.has("--json") {
      let measured = try workloads.flatMap { try $0.run() }
      try console.writeJSON(BenchmarkReport(results: measured.map(\.result)))
      return status(of: measured)
    }
    var measured: [LocalBenchmark.Measured] = []
    for workload in workloads {
      let those = try workload.run()
      for one in those { try console.writeLine(line(for: one)) }
      measured += those
    }
    return status(of: measured)
  }

  private static func status(of measured: [LocalBenchmark.Measured]) -> CommandStatus {
    measured.allSatisfy(\.result.isWithinLimit) ? .success : .failure
  }

  private static let only = CommandOption(
    "--only", value: "NAME", isRepeatable: true,
    "Run the workloads of this name or beginning alone.")

  /// A result as a line of text, with the spread of its rounds.
  package static func line(for measured: LocalBenchmark.Measured) -> String {
    let result = measured.result
    let limit = result.limit.map { ", at most \($0)" } ?? ""
    let verdict = result.isWithinLimit ? "" : "  OVER THE LIMIT"
    return
      "\(result.name): \(result.value) \(result.unit), reference \(result.reference), ratio \(result.ratio) "
      + "(rounds \(measured.spread.lowerBound) to \(measured.spread.upperBound)\(limit))\(verdict)"
  }
}
