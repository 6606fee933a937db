import ManagedObjects
import Testing

@Suite struct RecheckPlanTests {
  private let start = ContinuousClock.now

  private func milliseconds(_ plan: RecheckPlan) -> Int64? {
    plan.due.map { Int64(($0 - start) / .milliseconds(1)) }
  }

  /// All delays until the checks end.
  private static let wholeRow: [Int64] = [
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
  ]

  /// The delays between checks that find nothing, until the checks end.
  private func delays(_ plan: inout RecheckPlan, after last: ContinuousClock.Instant) -> [Int64] {
    var (delays, last) = ([Int64](), last)
    while let due = plan.due {
      delays.append(Int64((due - last) / .milliseconds(1)))
      plan.recordCheck(foundChange: false, at: due)
      last = due
    }
    return delays
  }

  @Test func `Nothing is checked before a write`() {
    var plan = RecheckPlan()
    #expect(plan.due == nil)
    plan.recordWrite(at: start)
    #expect(milliseconds(plan) == 0)
  }

  @Test func `A write without effect is checked with growing delays, then forgotten`() {
    var plan = RecheckPlan()
    plan.recordWrite(at: start)
    #expect(delays(&plan, after: start) == [0] + Self.wholeRow)
  }

  @Test func `A result may be older than the write, so the checks start again`() {
    var plan = RecheckPlan()
    plan.recordWrite(at: start)
    for _ in 0..<6 { plan.recordCheck(foundChange: false, at: start) }
    plan.recordCheck(foundChange: true, at: start)
    #expect(delays(&plan, after: start) == Self.wholeRow)
  }

  @Test func `Successive writes are checked together`() {
    var plan = RecheckPlan()
    plan.recordWrite(at: start)
    for _ in 0..<6 { plan.recordCheck(foundChange: false, at: start) }
    for _ in 0..<100 { plan.recordWrite(at: start) }
    #expect(milliseconds(plan) == 2)
  }

  @Test func `A new write starts with the short delays again`() {
    var plan = RecheckPlan()
    plan.recordWrite(at: start)
    for _ in 0..<6 { plan.recordCheck(foundChange: false, at: start) }
    #expect(milliseconds(plan) == 32)
    plan.recordWrite(at: start)
    #expect(milliseconds(plan) == 2)
    plan.recordCheck(foundChange: false, at: start)
    #expect(milliseconds(plan) == 1)
  }
}
