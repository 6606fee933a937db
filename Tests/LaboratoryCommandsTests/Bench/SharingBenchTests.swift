import CommandTestSupport
import Foundation
import LaboratoryCommands
import ParhelionCommands
import TestSupport
import Testing

@Suite("Benchmarks of sharing", .blockingThreads, .endsAtAll)
struct SharingBenchTests {
  private static func benchmark(_ executable: String = Programs.parhelion.path) -> SharingBenchmark
  {
    var benchmark = SharingBenchmark(executable: executable)
    benchmark.sizes.objects = 60
    benchmark.sizes.fewObjects = 10
    benchmark.sizes.people = 6
    benchmark.sizes.shares = 6
    benchmark.sizes.fewShares = 2
    benchmark.sizes.changes = 2
    benchmark.sizes.checks = 100
    return benchmark
  }

  @Test func `All workloads share between real devices and measure what their names say`() throws {
    let workloads = Self.benchmark().workloads()
    #expect(workloads.flatMap(\.names).count == Set(workloads.flatMap(\.names)).count)
    for workload in workloads {
      let measured = try workload.run()
      #expect(measured.map(\.result.name) == workload.names)
      for one in measured {
        #expect(one.result.value > 0 && one.result.reference > 0, "\(one)")
      }
    }
  }

  @Test func `All figures but the server's own time have a limit`() throws {
    let measured = try Self.benchmark().workloads()[2].run()
    #expect(
      measured.filter { $0.result.limit == nil }.map(\.result.name) == ["sharing.feed.server"])
  }

  @Test func `A tool that is not a server gives an error with its name`() {
    let workloads = Self.benchmark("/bin/false").workloads()
    let error = #expect(throws: ServerBenchmark.Failure.self) { try workloads[0].run() }
    #expect(error?.description == "/bin/false does not run as a server.")
  }

  @Test func `An unknown workload is a usage error before any server starts`() {
    let outcome = Commands.run(["bench", "sharing", "--only", "sharing.fead"])
    #expect(outcome.status == .usage)
    #expect(outcome.messages.contains("Did you mean \"sharing.feed"), "\(outcome)")
  }
}
