package import ParhelionCommands

/// The benchmark commands.
package enum BenchCommands {
  /// The command `parhelion bench local`.
  package static let local = Command(
    "bench local",
    "Measure the local store and its objects, JSON, and encryption of values.",
    options: [only, .json],
    discussion: """
      Times are processor time: the median of several rounds, in which a workload and its \
      reference alternate. Exits 1 if a ratio is over its limit. --only runs the workloads whose \
      names begin with NAME, such as "objects.get"; it may be given several times. With --json: \
      {"results": [{"name", "value", "unit", "reference", "ratio", "limit"}]}. Measure a release \
      build.
      """
  ) { invocation, console in
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(
      LocalBenchmark().workloads() + ObjectBenchmark().workloads() + JSONBenchmark().workloads()
        + EncryptionBenchmark().workloads())
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench server`.
  package static let server = Command(
    "bench server", "Measure a record server, in a separate process, against plain SQLite.",
    options: [
      only, CommandOption("--full", "Read the last changes of a zone with a million records."),
      .json,
    ],
    discussion: """
      The tool starts `parhelion serve` with a temporary folder, and sends requests as a client \
      would. Times are wall-clock times. The folder is in TMPDIR: on a RAM disk nothing is \
      durable, and the figures of writes mean little. A figure's reference was measured in the \
      same run, or is its target. A ratio compares costs: less is better. Exits 1 if a ratio is \
      over its limit, and fails if the server's records differ from the acknowledged ones. --only \
      and --json are those of “parhelion bench local”. Measure a release build.
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
    "Measure the client library, with a server in a separate process, against parsing and plain HTTP.",
    options: [only, .json],
    discussion: """
      Decoding is measured in processor time, requests in wall-clock time; memory is the peak of \
      this process while it fetches 2,000 records, and 40,000. --only and --json are those of \
      “parhelion bench local”. Exits 1 if a ratio is over its limit. Measure a release build.
      """
  ) { invocation, console in
    let benchmark = ClientBenchmark(executable: try SiblingProgram.parhelion.path())
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.workloads())
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench sync`.
  package static let sync = Command(
    "bench sync",
    "Measure the throughput of mirroring between devices, against plain SQLite and a connection.",
    options: [only, CommandOption("--full", "Let a new device fetch a million objects."), .json],
    discussion: """
      The tool starts `parhelion serve` and devices, each with a store in a temporary folder, and \
      sends commands to the devices. Objects have a kilobyte of values. Times are wall-clock \
      times, from the start of the first save to the end of the last one on the other device. The \
      reference is a figure's target, or, if the name ends in “floor”, moving the same rows from \
      one plain SQLite database into another over a connection. Exits 1 if a ratio is over its \
      limit, and fails if devices differ in the end. --only and --json are those of “parhelion \
      bench local”. Measure a release build.
      """
  ) { invocation, console in
    var benchmark = SyncBenchmark(executable: try SiblingProgram.parhelion.path())
    if invocation.has("--full") { benchmark.sizes.replica = 1_000_000 }
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.bulk())
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench push`.
  package static let push = Command(
    "bench push", "Measure the latency of one change between devices, and its parts.",
    options: [only, .json],
    discussion: """
      Changes are made in sequence. Each is timed from the start of its save on a device to the \
      end of the save that imports it on another; server and devices are separate processes. \
      “store” is both saves, “server” the server's own time for its requests, “wire” the time of \
      as many minimal round trips, “rest” everything else, each compared with the total. --only \
      and --json are those of “parhelion bench local”. Exits 1 if a ratio is over its limit. \
      Measure a release build.
      """
  ) { invocation, console in
    let benchmark = SyncBenchmark(executable: try SiblingProgram.parhelion.path())
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.single())
    return try report(workloads, invocation, console)
  }

  /// The command `parhelion bench sharing`.
  package static let sharing = Command(
    "bench sharing", "Measure sharing between people: large graphs, many people, many shares.",
    options: [only, .json],
    discussion: """
      The tool starts `parhelion serve`; the people's devices are in this process. “share” moves \
      an album of 10,000 objects to a share, “save” is the longest save meanwhile, “export” sends \
      all of it, and memory is the peak of both, compared with an album of 1,000. “people” is the \
      median time in which the last fifth of 99 people accept a share, compared with the first \
      fifth. “feed” imports one change on the device of a person who has accepted 1,000 shares, \
      compared with 10; “check” asks for the permission to change an object. Times are wall-clock \
      times. --only and --json are those of “parhelion bench local”. Exits 1 if a ratio is over \
      its limit. Measure a release build.
      """
  ) { invocation, console in
    let benchmark = SharingBenchmark(executable: try SiblingProgram.parhelion.path())
    let workloads = try WorkloadSelection(invocation.values(of: "--only")).of(benchmark.workloads())
    return try report(workloads, invocation, console)
  }

  /// Runs workloads and reports their measurements.
  private static func report(
    _ workloads: [BenchmarkWorkload], _ invocation: Invocation, _ console: any Console
  ) throws -> CommandStatus {
    try BenchFolder.cleaningUp { try measure(workloads, invocation, console) }
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
      let results = try workload.run()
      for result in results { try console.writeLine(line(for: result)) }
      measured += results
    }
    return status(of: measured)
  }

  private static func status(of measured: [LocalBenchmark.Measured]) -> CommandStatus {
    measured.allSatisfy(\.result.isWithinLimit) ? .success : .failure
  }

  private static let only = CommandOption(
    "--only", value: "NAME", isRepeatable: true,
    "Run only workloads whose names begin with NAME.")

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
