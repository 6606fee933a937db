import CloudMirroring
import Foundation
import MirroringTestSupport
import Testing

@Suite("Objects that must be unique")
struct UniquenessDecisionTests {
  private static func object(_ name: String, _ related: [String: [String]] = [:]) -> UniqueObject {
    UniqueObject(entity: "Person", recordName: name, related: related)
  }

  @Test func `The smaller name stays on every device`() {
    let (one, other) = (Self.object("A", ["works": ["W"]]), Self.object("B", ["works": ["V"]]))
    let decision = UniquenessDecision(one, other, schema: Shelf.schema)
    #expect(decision == UniquenessDecision(other, one, schema: Shelf.schema))
    #expect(
      decision.survivor == "A" && decision.departing == "B"
        && decision.related == ["works": ["W", "V"]])
  }

  @Test func `To-one keeps the survivor's target, and takes the other's where it has none`() {
    let kept = UniquenessDecision(
      Self.object("A", ["boss": ["X"]]), Self.object("B", ["boss": ["Y"], "passport": ["P"]]),
      schema: Shelf.schema)
    #expect(kept.related == ["passport": ["P"]])
  }

  @Test func `Neither stays related to the one that goes, or to itself by it`() {
    let decision = UniquenessDecision(
      Self.object("A", ["boss": ["B"], "friends": ["B", "C"], "staff": ["B"]]),
      Self.object("B", ["boss": ["Z"], "friends": ["A", "C", "D"]]), schema: Shelf.schema)
    #expect(decision.related == ["boss": ["Z"], "friends": ["C", "D"], "staff": []])
  }

  @Test func `Objects collide whose values are all equal, and none of them null`() {
    func person(_ name: String, _ value: MirrorValue) -> ObjectContent {
      ObjectContent(entity: "Person", recordName: name, values: ["name": value])
    }
    func collide(_ one: ObjectContent, _ other: ObjectContent) -> Bool {
      !UniquenessDecision.collisions(one, other, schema: Shelf.schema).isEmpty
    }
    #expect(collide(person("A", .string("x")), person("B", .string("x"))))
    #expect(!collide(person("A", .string("x")), person("A", .string("x"))))
    #expect(!collide(person("A", .string("x")), person("B", .string("y"))))
    #expect(!collide(person("A", .null), person("B", .null)))
    // A store compares bytes: these look the same.
    #expect(!collide(person("A", .string("\u{E9}")), person("B", .string("e\u{301}"))))
  }
}
