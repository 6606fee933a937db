import CommandTestSupport
import Foundation
import LaboratoryCommands
import ParhelionCommands
import TestSupport
import Testing

@Suite("Benchmarks of mirroring", .blockingThreads, .endsAtAll)
struct SyncBenchTests {
  private static func benchmark(_ executable: String = Programs.parhelion.path) -> SyncBenchmark {
    var benchmark = SyncBenchmark(executable: executable)
    benchmark.sizes.rounds = 1
    benchmark.sizes.objects = 60
    benchmark.sizes.conflicts = 20
    benchmark.sizes.replica = 300
    benchmark.sizes.saves = (rounds: 1, objects: 20)
    benchmark.sizes.changes = 4
    benchmark.sizes.changedReplica = 50
    return benchmark
  }

  @Test func `All workloads move objects between real devices and measure what their names say`()
    throws
  {
    let workloads = Self.benchmark().bulk() + Self.benchmark().single()
    #expect(workloads.flatMap(\.names).count == Set(workloads.flatMap(\.names)).count)
    for workload in workloads {
      let measured = try workload.run()
      #expect(measured.map(\.result.name) == workload.names)
      for one in measured where one.result.name != "push.rest" {
        #expect(one.result.value > 0 && one.result.reference > 0, "\(one)")
      }
    }
  }

  @Test
  func `The parts of one change's latency add up to it`()
    throws
  {
    let measured = try Self.benchmark().single()[0].run()
    let values = Dictionary(
      uniqueKeysWithValues: measured.map { ($0.result.name, $0.result.value) })
    let whole = try #require(values["push.p50"])
    let parts = ["push.store", "push.server", "push.wire", "push.rest"].compactMap { values[$0] }
    #expect(parts.count == 4)
    // The last part is the remainder. It is zero if the other parts exceed the median of the whole.
    #expect(parts.reduce(0, +) >= whole - 0.01)
    #expect(
      measured.filter { $0.result.limit != nil }.map(\.result.name) == ["push.p50", "push.p99"])
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `A signal ends the run early and leaves nothing`(number: Int32) async throws {
    try await withTemporaryDirectory { folder in
      let process = Process()
      process.executableURL = Programs.parhelion
      process.arguments = ["bench", "sync", "--only", "sync.offline"]
      process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) {
        _, new in new
      }
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      // Once a device has a store, all processes are running.
      func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      }
      try await yields(
        while: try process.isRunning
          && !names().contains { $0.hasSuffix("Notes.sqlite-wal") })
      let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(
        folders.count == 1 && folders.allSatisfy { $0.hasPrefix("parhelion-bench-") }, "\(folders)")
      kill(process.processIdentifier, number)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      #expect(try names().isEmpty)
    }
  }

  @Test func `A tool that is not a server gives an error with its name`() {
    let workloads = Self.benchmark("/bin/false").bulk()
    let error = #expect(throws: ServerBenchmark.Failure.self) { try workloads[0].run() }
    #expect(error?.description == "/bin/false does not run as a server.")
  }

  @Test(arguments: [("sync", "sync.object", "sync.objekt"), ("push", "push.p50", "push.p51")])
  func `An unknown workload is a usage error before any server starts`(
    command: String, name: String, wrong: String
  ) {
    let outcome = Commands.run(["bench", command, "--only", wrong])
    #expect(outcome.status == .usage)
    #expect(outcome.messages.contains("Did you mean \"\(name)"), "\(outcome)")
  }
}
