import Foundation

/// The benchmarks of a record server, which is asked by clients of another process.
package struct ServerBenchmark {
  /// How much is done.
  package struct Sizes: Sendable {
    /// How often both sides take turns.
    package var rounds = 7
    /// The batches of 200 records in a round.
    package var batches = 25
    /// The clients that send batches at the same time, each as many.
    package var batchers = 4
    /// The clients that write small, and the writes of each in a round.
    package var writers = (clients: 32, writes: 50)
    /// The records of the zones in which the last changes are looked for; the large one is pulled,
    /// too.
    package var smallZone = 1_000
    package var largeZone = 100_000
    /// How often the last changes are asked for.
    package var questions = 1_000
    /// The connections that wait for changes that do not come.
    package var listeners = 5_000
    /// The devices that wait for changes, and how many come.
    package var followers = (devices: 50, changes: 200)

    package init() {}
  }

  /// What is wrong with the server, so that figures would mean nothing.
  package enum Failure: Error, CustomStringConvertible {
    case noServer(String)
    case serverIsGone
    case otherRecords(stored: Int, acknowledged: Int)
    case notWaiting(Int, of: Int)
    case missed(change: Int, devices: Int)

    package var description: String {
      switch self {
      case .noServer(let path): "\(path) does not run as a server."
      case .serverIsGone: "The measured server has ended."
      case .otherRecords(let stored, let acknowledged):
        "The server has \(stored) records in a zone, and acknowledged \(acknowledged)."
      case .notWaiting(let waiting, let all): "\(waiting) of \(all) listeners wait after a minute."
      case .missed(let change, let devices): "\(devices) devices were not told of change \(change)."
      }
    }
  }

  package var sizes = Sizes()
  let executable: String
  let stage: Stage

  /// - Parameter executable: The path of the tool.
  package init(executable: String) {
    self.executable = executable
    stage = Stage(executable)
  }

  /// Its workloads.
  package func workloads() -> [BenchmarkWorkload] {
    [
      BenchmarkWorkload(
        "server.batches.time", "server.batches.processor", "server.batches.p50",
        "server.batches.p99", run: batches),
      BenchmarkWorkload(
        "server.batches.together", "server.batches.together.p99", run: batchesTogether),
      BenchmarkWorkload(
        "server.writes.rate", "server.writes.processor", "server.writes.p50", "server.writes.p99",
        run: writes),
      BenchmarkWorkload("server.pull.rate", "server.pull.processor", run: pull),
      BenchmarkWorkload(
        "server.changes.small", "server.changes.large", "server.changes.small.p99",
        "server.changes.large.p99",
        run: changes),
      BenchmarkWorkload(
        "server.followers.first", "server.followers.p99", "server.followers.behind", run: followers),
      BenchmarkWorkload("server.listeners.memory") { try listeners() },
      BenchmarkWorkload("server.listeners.secure") { try secureListeners() },
      BenchmarkWorkload("server.memory") { try memory() },
    ]
  }

  /// The most memory that the server of the other workloads took, beside what it had when it was
  /// ready.
  private func memory() throws -> LocalBenchmark.Measured {
    let server = try stage.server()
    return .figure(
      "server.memory", try server.figures.peakKilobytes() / 1_024, "MB",
      beside: server.kilobytesAtStart / 1_024)
  }
}

extension ServerBenchmark {
  /// The server that workloads share, which the first of them starts; and its zones.
  final class Stage {
    private let executable: String
    private var started: BenchServer?
    private var large: BenchZone?

    init(_ executable: String) { self.executable = executable }

    func server() throws -> BenchServer {
      if let started { return started }
      let server = try BenchServer(executable: executable)
      started = server
      return server
    }

    /// The zone with many records, filled once.
    func largeZone(_ records: Int) throws -> BenchZone {
      if let large { return large }
      let zone = try BenchZone("large", on: try server())
      try zone.fill(to: records)
      large = zone
      return zone
    }
  }
}
