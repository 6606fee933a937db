import Foundation
import LaboratoryCommands
import ParhelionCommands
import Testing

@Suite struct `Benchmarks` {
  @Test func `The driver and its reference do the same work and are measured`() throws {
    var benchmark = LocalBenchmark()
    benchmark.rows = 1_500
    benchmark.rounds = 2
    let measured = try benchmark.workloads().flatMap { try $0.run() }
    #expect(measured.map(\.result.name) == ["sqlite.read", "sqlite.insert"])
    #expect(measured.map(\.result.limit) == [1.1, 1.15])
    for one in measured {
      #expect(one.result.value > 0 && one.result.reference > 0 && one.result.ratio > 0)
      #expect(one.spread.contains(one.result.ratio))
    }
  }

  @Test
  func `Objects and their reference do the same work under the workloads' names`()
    throws
  {
    var benchmark = try ObjectBenchmark()
    benchmark.objects = 1_500
    benchmark.rounds = 1
    benchmark.passes = 1
    let workloads = benchmark.workloads()
    #expect(try workloads.map { try $0.run().map(\.result.name) } == workloads.map(\.names))
  }

  @Test func `Both JSON readers and writers do the same work`() throws {
    var benchmark = JSONBenchmark()
    benchmark.records = 10
    benchmark.rounds = 1
    let workloads = benchmark.workloads()
    #expect(try workloads.map { try $0.run().map(\.result.name) } == workloads.map(\.names))
  }

  @Test func `Sealed values open, with signatures and without`() throws {
    var benchmark = EncryptionBenchmark()
    benchmark.records = 4
    benchmark.rounds = 1
    let workloads = benchmark.workloads()
    #expect(try workloads.map { try $0.run().map(\.result.name) } == workloads.map(\.names))
  }

  @Test func `Each workload alone fills the shared store`() throws {
    var benchmark = try ObjectBenchmark()
    benchmark.objects = 1_500
    benchmark.rounds = 1
    let chosen = try WorkloadSelection(["objects.lookup"]).of(benchmark.workloads())
    #expect(try chosen.flatMap { try $0.run() }.map(\.result.name) == ["objects.lookup"])
  }

  static let selections: [([String], [String])] = [
    ([], ["a.b", "a.b.c", "a.d", "e"]), (["a.b"], ["a.b", "a.b.c"]),
    (["e", "a.d", "e"], ["a.d", "e"]),
    (["x.second"], []), (["a.c"], []), (["A"], []),
  ]

  @Test(arguments: selections)
  func `Workloads are selected by prefix`(
    beginnings: [String], names: [String]
  ) throws {
    let workloads = ["a.b", "a.b.c", "a.d", "e"].map { BenchmarkWorkload($0) { [] } }
    let selection = WorkloadSelection(beginnings)
    if names.isEmpty {
      let error = #expect(throws: UsageError.self) { try selection.of(workloads) }
      #expect(
        error?.message.contains("\"\(beginnings[0])\"; there are a.b, a.b.c, a.d, e.") == true)
    } else {
      #expect(try selection.of(workloads).flatMap(\.names) == names)
    }
  }

  @Test func `An unknown workload is a usage error`() {
    let console = RecordingConsole()
    let status = LaboratoryTool.run(
      ["bench", "local", "--only", "objects.lokup"], console: console)
    #expect(status == .usage)
    #expect(console.messages.contains("Did you mean \"objects.lookup\"?"), "\(console.messages)")
  }

  @Test func `Both sides alternate after one warm-up round`() throws {
    var order = ""
    let measured = try SideBySide(
      rounds: 3, prepare: { order += "." }, ours: { order += "a" }, reference: { order += "b" })
    #expect(order == ".a.b" + ".a.b" + ".b.a" + ".a.b")
    #expect(measured.result("x", items: 0, limit: nil).isWithinLimit)
  }

  @Test func `An error of the workload ends the measurement`() {
    struct Broken: Error {}
    #expect(throws: Broken.self) {
      try SideBySide(rounds: 3, ours: {}, reference: { throw Broken() })
    }
  }

  @Test(
    arguments: [
      (1.1, 1.1, true), (1.104, 1.1, true), (1.105, 1.1, false), (1.2, 1.1, false), (9, nil, true),
    ] as [(Double, Double?, Bool)])
  func `A ratio stays within its limit`(ratio: Double, limit: Double?, isWithin: Bool) {
    let result = BenchmarkResult(
      name: "n", value: 1, unit: "u", reference: 1, ratio: ratio, limit: limit)
    #expect(result.isWithinLimit == isWithin)
    let line = BenchCommands.line(for: .init(result: result, spread: 1...2))
    #expect(line.contains("OVER") == !isWithin)
  }

  @Test func `A report has every key, null if there is no limit`() throws {
    let report = BenchmarkReport(
      results: [
        BenchmarkResult(name: "n", value: 2, unit: "u", reference: 4, ratio: 0.5, limit: nil)
      ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(report), as: UTF8.self)
    #expect(
      text
        == #"{"results":[{"limit":null,"name":"n","ratio":0.5,"reference":4,"unit":"u","value":2}]}"#
    )
  }
}
