import Foundation
import ManagedObjects
import Testing

@Suite struct MergePlanTests {
  /// The effect of a plan on the store's row and the object, as in the table of `MergePlan`.
  private static func outcome(_ plan: MergePlan, _ situation: MergePlan.Situation) -> String {
    switch plan {
    case .fail: return "fails"
    case .discardChanges: return text(situation.stored ?? [:])
    case .recreateRow: return "row again \(text(situation.current))"
    case .acceptDeletion: return "object goes"
    case .keepChanges(let replaced):
      if situation.isDeletion { return "row goes" }
      var values = situation.stored ?? [:]
      for name in situation.changed { values[name] = situation.current[name] }
      for (name, value) in replaced { values[name] = value }
      return text(values)
    }
  }

  private static func text(_ values: [String: Any]) -> String {
    values.keys.sorted().map { "\($0)=\(values[$0].map { $0 is NSNull ? "nil" : "\($0)" } ?? "?")" }
      .joined(separator: " ")
  }

  /// Property a changed on both sides, b in the store, c in the object, d not at all.
  private static var updated: MergePlan.Situation {
    MergePlan.Situation(
      base: ["a": 1, "b": 1, "c": 1, "d": 1], stored: ["a": 2, "b": 2, "c": 1, "d": 1],
      current: ["a": 3, "b": 1, "c": 3, "d": 1], changed: ["a", "c"])
  }

  @Test(arguments: [
    (NSMergePolicyType.errorMergePolicyType, "fails"),
    (.mergeByPropertyStoreTrumpMergePolicyType, "a=2 b=2 c=3 d=1"),
    (.mergeByPropertyObjectTrumpMergePolicyType, "a=3 b=2 c=3 d=1"),
    (.overwriteMergePolicyType, "a=3 b=1 c=3 d=1"),
    (.rollbackMergePolicyType, "a=2 b=2 c=1 d=1"),
  ])
  func `Both sides changed the row`(policy: NSMergePolicyType, expected: String) {
    #expect(Self.outcome(MergePlan(policy, Self.updated), Self.updated) == expected)
  }

  @Test(arguments: [
    (NSMergePolicyType.errorMergePolicyType, "fails"),
    (.mergeByPropertyStoreTrumpMergePolicyType, "object goes"),
    (.mergeByPropertyObjectTrumpMergePolicyType, "row again a=3 b=1 c=3 d=1"),
    (.overwriteMergePolicyType, "row again a=3 b=1 c=3 d=1"),
    (.rollbackMergePolicyType, "object goes"),
  ])
  func `A changed object's row was deleted`(policy: NSMergePolicyType, expected: String) {
    var situation = Self.updated
    situation.stored = nil
    #expect(Self.outcome(MergePlan(policy, situation), situation) == expected)
  }

  @Test(arguments: [
    (NSMergePolicyType.errorMergePolicyType, "fails"),
    (.mergeByPropertyStoreTrumpMergePolicyType, "a=2 b=2 c=1 d=1"),
    (.mergeByPropertyObjectTrumpMergePolicyType, "row goes"),
    (.overwriteMergePolicyType, "row goes"),
    (.rollbackMergePolicyType, "a=2 b=2 c=1 d=1"),
  ])
  func `A deleted object's row was changed`(policy: NSMergePolicyType, expected: String) {
    var situation = Self.updated
    situation.changed = []
    situation.isDeletion = true
    #expect(Self.outcome(MergePlan(policy, situation), situation) == expected)
  }

  @Test(arguments: [
    NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType,
    .overwriteMergePolicyType, .rollbackMergePolicyType,
  ])
  func `If both sides deleted, the object goes`(policy: NSMergePolicyType) {
    let situation = MergePlan.Situation(base: Self.updated.base, stored: nil, isDeletion: true)
    #expect(Self.outcome(MergePlan(policy, situation), situation) == "object goes")
  }

  @Test func `Without a base version, the store counts as completely changed`() {
    var situation = Self.updated
    situation.base = nil
    let plan = MergePlan(.mergeByPropertyStoreTrumpMergePolicyType, situation)
    #expect(Self.outcome(plan, situation) == "a=2 b=2 c=1 d=1")
  }

  @Test func `A missing value is a value like others`() {
    let situation = MergePlan.Situation(
      base: ["a": NSNull(), "b": 1], stored: ["a": NSNull(), "b": NSNull()],
      current: ["a": 3, "b": 4],
      changed: ["a", "b"])
    let plan = MergePlan(.mergeByPropertyStoreTrumpMergePolicyType, situation)
    #expect(Self.outcome(plan, situation) == "a=3 b=nil")
  }

  @Test func `A change of a to-many relationship, which snapshots omit, is kept`() {
    var situation = Self.updated
    situation.changed.insert("members")
    guard
      case .keepChanges(let replaced) = MergePlan(
        .mergeByPropertyStoreTrumpMergePolicyType, situation)
    else {
      Issue.record("changes are not kept")
      return
    }
    #expect(replaced.map(\.name) == ["a"])
  }
}
