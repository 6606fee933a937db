import CloudKitClient
import CommandTestSupport
import Foundation
import LaboratoryCommands
import ParhelionCommands
import TestSupport
import Testing

@Suite("Benchmarks of the client", .blockingThreads, .endsAtAll)
struct ClientBenchTests {
  @Test func `All workloads use a real server and measure what their names say`() throws {
    var benchmark = ClientBenchmark(executable: Programs.parhelion.path)
    benchmark.sizes.rounds = 1
    benchmark.sizes.decoded = 20
    benchmark.sizes.requests = 2
    benchmark.sizes.fewRecords = 10
    benchmark.sizes.manyRecords = 450
    for workload in benchmark.workloads() {
      let measured = try workload.run()
      #expect(measured.map(\.result.name) == workload.names)
      for one in measured { #expect(one.result.value > 0 && one.result.reference > 0, "\(one)") }
    }
  }

  @Test func `Two servers of one process are two containers, each with its own user`() async throws
  {
    let path = Programs.parhelion.path
    let servers = try (0..<2).map { _ in try BenchServer(executable: path) }
    let containers = servers.map { $0.container() }
    for (container, name) in zip(containers, ["first", "second"]) {
      _ = try await container.privateCloudDatabase.save(CKRecordZone(zoneName: name))
    }
    for (container, name) in zip(containers, ["first", "second"]) {
      let zones = try await container.privateCloudDatabase.allRecordZones().map(\.zoneID.zoneName)
      #expect(zones.filter { $0 != CKRecordZone.ID.defaultZoneName } == [name])
    }
  }

  @Test func `An unknown workload is a usage error before any server starts`() {
    let outcome = Commands.run(["bench", "client", "--only", "client.decoding"])
    #expect(outcome.status == .usage)
    #expect(outcome.messages.contains("Did you mean \"client.decode\"?"), "\(outcome)")
  }
}
