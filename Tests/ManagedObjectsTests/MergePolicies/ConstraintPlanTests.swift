import ManagedObjects
import Testing

@Suite struct ConstraintPlanTests {
  typealias Step = ConstraintPlan.Step

  @Test(arguments: [
    (
      NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType,
      Step.merge(.object(0), into: .database, .unsetValues)
    ),
    (
      .mergeByPropertyObjectTrumpMergePolicyType,
      .merge(.object(0), into: .database, .changedValues)
    ),
    (.overwriteMergePolicyType, .merge(.object(0), into: .database, .allValues)),
    (.rollbackMergePolicyType, .discard(0)),
  ])
  func `A new object conflicts with a row`(policy: NSMergePolicyType, step: Step) {
    #expect(ConstraintPlan(policy, hasDatabaseObject: true, isInserted: [true]) == .steps([step]))
  }

  @Test(arguments: [
    (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, Step.restoreConstraint(0)),
    (.mergeByPropertyObjectTrumpMergePolicyType, .merge(.database, into: .object(0), .unsetValues)),
    (.overwriteMergePolicyType, .merge(.database, into: .object(0), .unsetValues)),
    (.rollbackMergePolicyType, .discardChanges(0)),
  ])
  func `An object with a row conflicts with another row`(policy: NSMergePolicyType, step: Step) {
    #expect(ConstraintPlan(policy, hasDatabaseObject: true, isInserted: [false]) == .steps([step]))
  }

  @Test func `The first of several new objects wins`() {
    let plan = ConstraintPlan(
      .mergeByPropertyObjectTrumpMergePolicyType, hasDatabaseObject: false,
      isInserted: [true, true, true])
    let steps: [Step] = [
      .merge(.object(1), into: .object(0), .changedValues),
      .merge(.object(2), into: .object(0), .changedValues),
    ]
    #expect(plan == .steps(steps))
  }

  @Test func `An object with a row wins over new ones at any position`() {
    let plan = ConstraintPlan(
      .rollbackMergePolicyType, hasDatabaseObject: false, isInserted: [true, false])
    #expect(plan == .steps([.discard(0)]))
  }

  @Test func `Later objects merge into the current winner`() {
    let plan = ConstraintPlan(
      .mergeByPropertyObjectTrumpMergePolicyType, hasDatabaseObject: true,
      isInserted: [true, false, true])
    let steps: [Step] = [
      .merge(.object(0), into: .database, .changedValues),
      .merge(.database, into: .object(1), .unsetValues),
      .merge(.object(2), into: .object(1), .changedValues),
    ]
    #expect(plan == .steps(steps))
  }

  @Test func `The error policy fails for any conflict`() {
    for isInserted in [[true], [false], [true, true]] {
      #expect(
        ConstraintPlan(.errorMergePolicyType, hasDatabaseObject: false, isInserted: isInserted)
          == .fail)
    }
  }
}
