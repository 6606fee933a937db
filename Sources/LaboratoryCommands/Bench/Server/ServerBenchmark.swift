import Foundation

/// The benchmarks of a record server in another process.
package struct ServerBenchmark {
  /// The sizes of the workloads.
  package struct Sizes: Sendable {
    /// The number of rounds, each of which runs the server and the reference.
    package var rounds = 7
    /// The number of batches of 200 records per round.
    package var batches = 25
    /// The number of concurrent clients, each of which sends `batches` batches per round.
    package var batchers = 4
    /// The number of clients that write single records, and the writes of each client per round.
    package var writers = (clients: 32, writes: 50)
    /// The sizes of the zones whose last changes are read; the large one is also pulled.
    package var smallZone = 1_000
    package var largeZone = 100_000
    /// The number of requests for the last changes.
    package var questions = 1_000
    /// The number of connections that wait for changes while none happens.
    package var listeners = 5_000
    /// The number of devices that wait for changes, and the number of changes.
    package var followers = (devices: 50, changes: 200)

    package init() {}
  }

  /// An error that makes the measurements meaningless.
  package enum Failure: Error, CustomStringConvertible {
    case noServer(String)
    case serverIsGone
    case peakIsNotReset(reason: String)
    case otherRecords(stored: Int, acknowledged: Int)
    case notWaiting(Int, of: Int)
    case missed(change: Int, devices: Int)

    package var description: String {
      switch self {
      case .noServer(let path): "\(path) does not run as a server."
      case .serverIsGone: "The measured server has ended."
      case .peakIsNotReset(let reason):
        "The peak of the memory cannot be reset by /proc/self/clear_refs: \(reason)"
      case .otherRecords(let stored, let acknowledged):
        "The server has \(stored) records in a zone, and acknowledged \(acknowledged)."
      case .notWaiting(let waiting, let all):
        "\(waiting) of \(all) listeners wait after two minutes."
      case .missed(let change, let devices): "\(devices) devices did not learn of change \(change)."
      }
    }
  }

  package var sizes = Sizes()
  let executable: String
  let stage: Stage

  /// Creates a benchmark of the server.
  ///
  /// - Parameter executable: The path of `parhelion`.
  package init(executable: String) {
    self.executable = executable
    stage = Stage(executable)
  }

  /// The workloads.
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

  /// The peak memory of the other workloads' server, compared with its memory when it was ready.
  private func memory() throws -> LocalBenchmark.Measured {
    let server = try stage.server()
    return .figure(
      "server.memory", try server.figures.peakKilobytes() / 1_024, "MB",
      beside: server.kilobytesAtStart / 1_024)
  }
}

extension ServerBenchmark {
  /// The server that workloads share, started by the first of them, and its zones.
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
