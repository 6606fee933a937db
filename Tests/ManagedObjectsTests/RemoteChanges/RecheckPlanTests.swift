import ManagedObjects
import Testing

@Suite struct RecheckPlanTests {
  private let start = ContinuousClock.now

  private func milliseconds(_ plan: RecheckPlan) -> Int64? {
    plan.due.map { Int64(($0 - start) / .milliseconds(1)) }
  }

  @Test func `Nothing is looked for before a write, nor after a look that found something`() {
    var plan = RecheckPlan()
    #expect(plan.due == nil)
    plan.noteWrite(at: start)
    #expect(milliseconds(plan) == 0)
    plan.noteLook(foundChange: true, at: start)
    #expect(plan.due == nil)
  }

  @Test func `A write that means nothing yet is looked at later and later, and then forgotten`() {
    var plan = RecheckPlan()
    plan.noteWrite(at: start)
    var looks: [Int64] = []
    while let due = plan.due {
      looks.append(milliseconds(plan) ?? -1)
      plan.noteLook(foundChange: false, at: due)
    }
    #expect(looks == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023])
  }

  @Test func `Writes in a row are looked at together`() {
    var plan = RecheckPlan()
    plan.noteWrite(at: start)
    plan.noteLook(foundChange: true, at: start)
    for _ in 0..<100 { plan.noteWrite(at: start) }
    #expect(milliseconds(plan) == 2)
  }

  @Test func `A new write begins with the short delays again`() {
    var plan = RecheckPlan()
    plan.noteWrite(at: start)
    for _ in 0..<6 { plan.noteLook(foundChange: false, at: start) }
    #expect(milliseconds(plan) == 32)
    plan.noteWrite(at: start)
    #expect(milliseconds(plan) == 2)
    plan.noteLook(foundChange: false, at: start)
    #expect(milliseconds(plan) == 1)
  }
}
