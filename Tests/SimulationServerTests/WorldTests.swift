import Simulation
import TestSupport
import Testing

/// Whole worlds are repeatable, and keep their invariants.
@Suite("Simulated worlds", .serialized, .endsAtAll)
struct WorldTests {
  @Test(arguments: Workload.allCases)
  func `No user action loses data under temporary faults`(workload: Workload) async throws {
    let outcome = try await WorldPlan(seed: 7, workload: workload, faults: .harmless).run()
    #expect(outcome.violations.isEmpty, "\(outcome.lastLines.joined(separator: "\n"))")
  }

  @Test func `People who share in any order agree in the end, and see no more than they may`()
    async throws
  {
    var acts: Set<String> = []
    for seed in [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 14, 24, 65, 84, 112, 146, 168, 200] as [UInt64] {
      let outcome = try await WorldPlan(seed: seed, workload: .sharing, faults: []).run()
      #expect(outcome.violations.isEmpty, "\(outcome.lastLines.joined(separator: "\n"))")
      acts.formUnion(outcome.trace.compactMap(Self.succeededAct))
    }
    let wanted: Set = [
      "share", "invite", "accept", "remove", "open", "stop", "purge", "leave", "ask",
    ]
    #expect(wanted.subtracting(acts).isEmpty)
  }

  /// The act of a line of a trace, if it had an effect.
  private static func succeededAct(_ line: String) -> String? {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 3, !["fails:", "nothing", "no"].contains(words[3]) else { return nil }
    return words[2]
  }

  @Test(arguments: KnownSeed.all)
  func `A fixed seed stays fixed`(known: KnownSeed) async throws {
    let outcome = try await known.plan.run()
    #expect(outcome.violations.isEmpty, "\(known): \(outcome.lastLines.joined(separator: "\n"))")
  }

  @Test
  func `The same seed gives the same trace in a process with another order of sets`()
    async throws
  {
    var traces: [[UInt8]] = []
    for _ in 0..<2 {
      let result = try await #require(
        processExitsWith: .success, observing: [\.standardOutputContent]
      ) {
        for workload in Workload.allCases {
          let outcome = try await WorldPlan(seed: 11, workload: workload, faults: .harmless).run()
          print("WORLD \(workload.rawValue)\n\(outcome.trace.joined(separator: "\n"))")
        }
      }
      traces.append(result.standardOutputContent)
    }
    let lines = traces.map { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
    let difference = zip(lines[0], lines[1]).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(difference == nil, "They differ at line \(difference?.offset ?? 0)")
    #expect(lines[0].count > 100 && lines[0].count == lines[1].count)
  }

  @Test func `Devices crash between a step's transactions and lose power`() async throws {
    let outcome = try await WorldPlan(
      seed: 1, workload: .relations, faults: [.transaction, .power]
    ).run()
    #expect(outcome.violations.isEmpty, "\(outcome.lastLines.joined(separator: "\n"))")
    for part in [
      "crash at moment", "loss of power at moment", ": power", "crashed within a step",
    ] {
      #expect(outcome.trace.contains { $0.contains(part) }, "The trace does not contain: \(part)")
    }
  }

  @Test func `Pushes arrive unless they are lost, delayed or duplicated on purpose`() async throws {
    let whole = try await WorldPlan(seed: 3, workload: .addDelete, faults: []).run()
    let broken = try await WorldPlan(seed: 3, workload: .addDelete, faults: .push).run()
    let parts = [" gets a push", " gets no push", " gets a push without news"]
    let reported = [whole, broken].map { outcome in
      parts.map { part in outcome.trace.contains { $0.hasSuffix(part) } }
    }
    #expect(reported == [[true, false, false], [true, true, true]])
    #expect(whole.violations.isEmpty && broken.violations.isEmpty)
  }

  @Test
  func
    `A server on files behaves like one in memory, crashes included`()
    async throws
  {
    var plan = WorldPlan(seed: 3, workload: .largeValues, faults: [.server, .network, .push])
    let inMemory = try await plan.run()
    plan.serverHasFiles = true
    let inFiles = try await plan.run()
    #expect(inFiles.violations.isEmpty, "\(inFiles.lastLines.joined(separator: "\n"))")
    #expect(inFiles.trace == inMemory.trace)
    #expect(inFiles.trace.contains { $0.hasSuffix("the server crashed and restarted") })
  }

  @Test func `Another seed gives another trace`() async throws {
    let one = try await WorldPlan(seed: 1, workload: .addDelete, faults: .network).run()
    let other = try await WorldPlan(seed: 2, workload: .addDelete, faults: .network).run()
    #expect(one.trace != other.trace)
  }

  @Test func `The seed decides all options that are not given`() {
    #expect(
      WorldPlan(seed: 3, workload: nil, faults: nil)
        == WorldPlan(seed: 3, workload: nil, faults: nil))
    let chosen = Set((0..<256).map { WorldPlan(seed: $0, workload: nil, faults: nil).workload })
    #expect(chosen.count == Workload.chosen.count)
    let faults = (0..<64).reduce(into: SimulatedFaults()) { faults, seed in
      faults.formUnion(WorldPlan(seed: seed, workload: nil, faults: nil).faults)
    }
    #expect(faults == .all)
  }

  @Test func `Faults have names`() {
    #expect(SimulatedFaults(named: "network,late") == [.network, .late])
    #expect(
      SimulatedFaults(named: "all")?.text
        == "network,late,crash,clock,quota,expiry,zone,server,disk,transaction,power,push")
    #expect(SimulatedFaults(named: "none")?.text == "none")
    #expect(SimulatedFaults(named: "storms") == nil)
  }

  @Test func `A report counts violations`() async throws {
    let plan = WorldPlan(seed: 1, workload: nil, faults: [], mutation: .loseRecord)
    var report = SimulationReport(seed: 1, runs: 1)
    report.add(try await plan.run())
    #expect(report.steps > 0)
    #expect(report.violations > 0 && report.failures.map(\.seed) == [1])
  }
}
