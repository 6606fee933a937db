import CommandTestSupport
import Foundation
import LaboratoryCommands
import ParhelionCommands
import TestSupport
import Testing

@Suite("Benchmarks of the server", .blockingThreads, .endsAtAll)
struct ServerBenchTests {
  private static func benchmark() -> ServerBenchmark {
    var benchmark = ServerBenchmark(executable: Programs.parhelion.path)
    benchmark.sizes.rounds = 1
    benchmark.sizes.batches = 1
    benchmark.sizes.batchers = 2
    benchmark.sizes.writers = (clients: 3, writes: 2)
    benchmark.sizes.smallZone = 20
    benchmark.sizes.largeZone = 450
    benchmark.sizes.questions = 3
    benchmark.sizes.listeners = 20
    benchmark.sizes.followers = (devices: 3, changes: 4)
    return benchmark
  }

  @Test func `All workloads use a real server and measure what their names say`() throws {
    let workloads = Self.benchmark().workloads()
    #expect(workloads.flatMap(\.names).count == Set(workloads.flatMap(\.names)).count)
    for workload in workloads {
      let measured = try workload.run()
      #expect(measured.map(\.result.name) == workload.names)
      for one in measured
      where !["server.followers.behind", "server.listeners.memory"].contains(one.result.name) {
        #expect(one.result.value > 0 && one.result.reference > 0, "\(one)")
      }
    }
  }

  @Test func `A tool that is not a server gives an error with its name`() {
    let benchmark = ServerBenchmark(executable: "/bin/false")
    let error = #expect(throws: ServerBenchmark.Failure.self) { try benchmark.workloads()[0].run() }
    #expect(error?.description == "/bin/false does not run as a server.")
  }

  @Test func `A memory peak that cannot be reset is an error that says so`() {
    // No process has the number 0.
    let error = #expect(throws: ServerBenchmark.Failure.self) {
      try ProcessFigures(process: 0).forgetPeak()
    }
    let message = error?.description ?? ""
    #expect(message.contains("cannot be reset"), "\(message)")
  }

  @Test func `A client connects again if the server has closed its idle connection`() throws {
    let connections = [try BenchSocket.pair(), try BenchSocket.pair()]
    var count = 0
    let client = try BenchClient {
      defer { count += 1 }
      return connections[count].0
    }
    shutdown(connections[0].1.descriptor, CInt(SHUT_RDWR))
    try connections[1].1.send(Array("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".utf8))
    #expect(try client.ask(Array("GET / HTTP/1.1\r\n\r\n".utf8)) == Array("ok".utf8))
    #expect(count == 2)
  }

  @Test func `A response head gives its status and the lengths of head and body`() {
    let head = "HTTP/1.1 421 Misdirected Request\r\nDate: 1\r\ncontent-LENGTH: 207\r\n\r\n"
    let read = AnswerHead(ArraySlice("\(head){\"a\": 1}".utf8))
    #expect(read?.status == 421)
    #expect(read?.byteCount == head.utf8.count)
    #expect(read?.bodyByteCount == 207)
    #expect(AnswerHead(ArraySlice("HTTP/1.1 204 No Content\r\n\r\n".utf8))?.bodyByteCount == 0)
    #expect(AnswerHead(ArraySlice(head.dropLast(1).utf8)) == nil)
    #expect(AnswerHead(ArraySlice("HTTP/1.1 well\r\n\r\n".utf8)) == nil)
  }

  @Test func `An unknown workload is a usage error before any server starts`() {
    let outcome = Commands.run(["bench", "server", "--only", "server.memori"])
    #expect(outcome.status == .usage)
    #expect(outcome.messages.contains("Did you mean \"server.memory\"?"), "\(outcome)")
  }

  @Test(
    arguments: [
      ([], 0, 0), ([0.5], 500, 500), ([0.002, 0.001], 1, 2), ([0.003, 0.001, 0.002], 2, 3),
      ((1...200).map { Double($0) / 1_000 }, 100, 198),
    ] as [([Double], Double, Double)])
  func `Medians and percentiles are measured times`(
    seconds: [Double], median: Double, tail: Double
  ) {
    let latencies = Latencies(seconds)
    #expect((latencies.median * 1_000).rounded() / 1_000 == median)
    #expect((latencies.tail * 1_000).rounded() / 1_000 == tail)
    #expect(latencies.milliseconds(at: 0) == (seconds.min() ?? 0) * 1_000)
    #expect(latencies.milliseconds(at: 1) == (seconds.max() ?? 0) * 1_000)
  }

  @Test func `The times of several clients are combined`() {
    var all = Latencies([0.001])
    all.add(Latencies([0.003, 0.002]))
    all.add(0.004)
    #expect(all.milliseconds(at: 0.75) == 3)
  }

  @Test func `Targets are bounds from above or below, and references may have a limit`() {
    let figures: [LocalBenchmark.Measured] = [
      .figure("a", 12, "KB", atMost: 12), .figure("b", 12.5, "KB", atMost: 12),
      .figure("c", 70_000, "/s", atLeast: 70_000), .figure("d", 35_000, "/s", atLeast: 70_000),
      .figure("e", 2, "ms", beside: 1), .figure("f", 2, "ms", beside: 1, limit: 1.9),
    ]
    #expect(figures.map(\.result.isWithinLimit) == [true, false, true, false, true, false])
    #expect(figures.map(\.result.ratio) == [1, 1.042, 1, 2, 2, 2])
  }

  @Test func `Rates are per second`() throws {
    let start = ContinuousClock.now
    let sides = try SideBySide(rounds: 1, by: .wall, referenceShare: 0.5) {
    } ours: {
      spin(milliseconds: 4)
    } reference: {
      spin(milliseconds: 4)
    }
    let rate = sides.rate("r", items: 40, limit: 3)
    #expect(rate.value <= 10_000 && rate.reference <= 5_000 && rate.value > 0)
    #expect(ContinuousClock.now - start >= .milliseconds(16))
  }

  /// Spins for some milliseconds to simulate work.
  private func spin(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
  }
}
