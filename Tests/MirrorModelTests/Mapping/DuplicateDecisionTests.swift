import Foundation
import MirrorModel
import MirroringTestSupport
import Testing

@Suite("Decisions about duplicates")
struct UniquenessDecisionTests {
  private static func object(_ name: String, _ related: [String: [String]] = [:]) -> UniqueObject {
    UniqueObject(entity: "Person", recordName: name, related: related)
  }

  @Test func `The smaller name wins on every device`() {
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

  @Test func `Objects collide if their values are all equal and none is null`() {
    func person(_ name: String, _ value: MirrorValue) -> ObjectContent {
      ObjectContent(entity: "Person", recordName: name, values: ["name": value])
    }
    func collide(_ one: ObjectContent, _ other: ObjectContent) -> Bool {
      !DuplicateDecision.collisions(one, other, schema: EveryFeatureModel.schema).isEmpty
    }
    #expect(collide(person("A", .string("x")), person("B", .string("x"))))
    #expect(!collide(person("A", .string("x")), person("A", .string("x"))))
    #expect(!collide(person("A", .string("x")), person("B", .string("y"))))
    #expect(!collide(person("A", .null), person("B", .null)))
    // A store compares bytes. These only look the same.
    #expect(!collide(person("A", .string("\u{E9}")), person("B", .string("e\u{301}"))))
  }
}
