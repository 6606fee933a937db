import Foundation
import MirrorModel
import MirroringTestSupport
import Testing

@Suite("Decisions about duplicates")
struct DuplicateDecisionTests {
  private static func object(_ name: String, _ related: [String: [String]] = [:]) -> UniqueObject {
    UniqueObject(entity: "Person", recordName: name, related: related)
  }

  @Test func `The smaller record name wins on every device`() {
    let (one, other) = (Self.object("A", ["works": ["W"]]), Self.object("B", ["works": ["V"]]))
    let decision = DuplicateDecision(one, other, schema: EveryFeatureModel.schema)
    #expect(decision == DuplicateDecision(other, one, schema: EveryFeatureModel.schema))
    #expect(
      decision.winner == "A" && decision.loser == "B"
        && decision.related == ["works": ["W", "V"]])
  }

  @Test
  func `A to-one relationship keeps the winner's target, or takes the loser's if it has none`() {
    let kept = DuplicateDecision(
      Self.object("A", ["boss": ["X"]]), Self.object("B", ["boss": ["Y"], "passport": ["P"]]),
      schema: EveryFeatureModel.schema)
    #expect(kept.related == ["passport": ["P"]])
  }

  @Test func `No object stays related to the loser, or to itself through it`() {
    let decision = DuplicateDecision(
      Self.object("A", ["boss": ["B"], "friends": ["B", "C"], "staff": ["B"]]),
      Self.object("B", ["boss": ["Z"], "friends": ["A", "C", "D"]]),
      schema: EveryFeatureModel.schema)
    #expect(decision.related == ["boss": ["Z"], "friends": ["C", "D"], "staff": []])
  }
}
