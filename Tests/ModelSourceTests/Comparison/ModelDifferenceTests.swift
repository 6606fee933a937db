import ManagedObjectModel
import ModelSource
import TestSupport
import Testing

@Suite struct `The difference of two models` {
  /// A change of the source, with the differences that it makes and its effect on a store.
  ///
  /// An exclamation mark stands after a difference that prevents lightweight migration.
  struct Sample: CustomTestStringConvertible, Sendable {
    let name: String
    let before: String
    let after: String
    let changes: [String]
    let verdict: ModelDifference.Verdict

    init(
      _ name: String, _ before: String, _ after: String, _ changes: [String],
      _ verdict: ModelDifference.Verdict
    ) {
      (self.name, self.before, self.after, self.changes, self.verdict) = (
        name, before, after, changes, verdict
      )
    }

    var testDescription: String { name }
  }

  /// The source of an entity.
  private static func e(_ content: String = "", _ attributes: String = "", name: String = "E")
    -> String
  {
    "<entity name=\"\(name)\" \(attributes)>\(content)</entity>"
  }

  /// The source of an attribute.
  private static func a(
    _ name: String, _ attributes: String = "optional=\"YES\" attributeType=\"String\""
  ) -> String {
    "<attribute name=\"\(name)\" \(attributes)/>"
  }

  /// The source of a relationship.
  private static func r(_ name: String, _ to: String, _ attributes: String = "maxCount=\"1\"")
    -> String
  {
    "<relationship name=\"\(name)\" optional=\"YES\" destinationEntity=\"\(to)\" \(attributes)/>"
  }

  static let attributes: [Sample] = [
    Sample("nothing", e(a("x")), e(a("x")), [], .identical),
    Sample("added", e(), e(a("x")), ["E.x property added"], .lightweight),
    Sample(
      "added required", e(), e(a("x", "attributeType=\"String\"")), ["E.x property added!"], .custom
    ),
    Sample(
      "added required with default", e(),
      e(a("x", "attributeType=\"String\" defaultValueString=\"\"")),
      ["E.x property added"], .lightweight),
    Sample(
      "added transient", e(), e(a("x", "attributeType=\"String\" transient=\"YES\"")),
      ["E.x property added"],
      .compatible),
    Sample("removed", e(a("x")), e(), ["E.x property removed"], .lightweight),
    Sample(
      "renamed", e(a("x")), e(a("y", "optional=\"YES\" attributeType=\"String\" elementID=\"x\"")),
      ["E.y property renamed"], .lightweight),
    Sample(
      "renamed over a skipped version",
      e(a("y", "optional=\"YES\" attributeType=\"String\" elementID=\"x\"")),
      e(a("z", "optional=\"YES\" attributeType=\"String\" elementID=\"x\"")),
      ["E.z property renamed"], .lightweight),
    Sample(
      "other type", e(a("x")), e(a("x", "optional=\"YES\" attributeType=\"Date\"")),
      ["E.x type!", "E.x value class"],
      .custom),
    Sample(
      "now optional", e(a("x", "attributeType=\"String\"")), e(a("x")), ["E.x optional"],
      .lightweight),
    Sample(
      "now required", e(a("x")), e(a("x", "attributeType=\"String\"")), ["E.x optional!"], .custom),
    Sample(
      "other default", e(a("x")),
      e(a("x", "optional=\"YES\" attributeType=\"String\" defaultValueString=\"d\"")),
      ["E.x default value"], .compatible),
    Sample(
      "limit", e(a("x")),
      e(a("x", "optional=\"YES\" attributeType=\"String\" maxValueString=\"5\"")),
      ["E.x validation"], .compatible),
    Sample(
      "kept in history", e(a("x")),
      e(a("x", "optional=\"YES\" attributeType=\"String\" preserveAfterDeletion=\"YES\"")),
      ["E.x kept in history after deletion"], .lightweight),
    Sample("becomes a relationship", e(a("x")), e(r("x", "E")), ["E.x kind of property!"], .custom),
  ]

  static let relationships: [Sample] = [
    Sample("added", e(), e(r("r", "E")), ["E.r property added"], .lightweight),
    Sample(
      "to-many", e(r("r", "E")), e(r("r", "E", "toMany=\"YES\"")), ["E.r cardinality"], .lightweight
    ),
    Sample(
      "to-one", e(r("r", "E", "toMany=\"YES\"")), e(r("r", "E")), ["E.r cardinality!"], .custom),
    Sample(
      "ordered", e(r("r", "E", "toMany=\"YES\"")), e(r("r", "E", "toMany=\"YES\" ordered=\"YES\"")),
      ["E.r ordered"],
      .lightweight),
    Sample(
      "delete rule", e(r("r", "E")), e(r("r", "E", "maxCount=\"1\" deletionRule=\"Cascade\"")),
      ["E.r delete rule"],
      .compatible),
    Sample(
      "other destination", e(r("r", "E")) + e(name: "F"), e(r("r", "F")) + e(name: "F"),
      ["E.r destination!"], .custom),
    Sample(
      "renamed destination", e(r("r", "F")) + e(name: "F"),
      e(r("r", "G")) + e("", "elementID=\"F\"", name: "G"),
      ["E.r destination", "G entity renamed"], .lightweight),
  ]

  static let entities: [Sample] = [
    Sample("added", e(), e() + e(name: "F"), ["F entity added"], .lightweight),
    Sample("removed", e() + e(name: "F"), e(), ["F entity removed"], .lightweight),
    Sample("renamed", e(name: "D"), e("", "elementID=\"D\""), ["E entity renamed"], .lightweight),
    Sample("class", e(), e("", "representedClassName=\"X\""), ["E class"], .compatible),
    Sample("abstract", e(), e("", "isAbstract=\"YES\""), ["E abstract"], .lightweight),
    Sample(
      "constraint", e(a("x")),
      e(
        a("x")
          + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"x\"/></uniquenessConstraint></uniquenessConstraints>"
      ),
      ["E uniqueness constraints"], .lightweight),
    Sample(
      "index", e(a("x")),
      e(a("x") + "<fetchIndex name=\"i\"><fetchIndexElement property=\"x\"/></fetchIndex>"),
      ["E indexes"], .compatible),
    Sample(
      "property moves to the parent", e(name: "P") + e(a("x"), "parentEntity=\"P\""),
      e(a("x"), name: "P") + e("", "parentEntity=\"P\""), ["P.x property moved"], .lightweight),
    Sample(
      "new parent", e(), e(name: "P") + e("", "parentEntity=\"P\""),
      ["E parent", "P entity added"], .lightweight),
    Sample(
      "property moves to a new parent", e(a("x")),
      e(a("x"), name: "P") + e("", "parentEntity=\"P\""),
      ["E parent", "E.x property moved", "P entity added"], .lightweight),
    Sample(
      "property moves to the child", e(a("x"), name: "P") + e("", "parentEntity=\"P\""),
      e(name: "P") + e(a("x"), "parentEntity=\"P\""), ["E.x property moved"], .lightweight),
    Sample(
      "merged hierarchies", e() + e(name: "F"),
      e(name: "P") + e("", "parentEntity=\"P\"") + e("", "parentEntity=\"P\"", name: "F"),
      ["E parent", "F parent", "P entity added", "P parent!"], .custom),
    Sample(
      "model", e(),
      e()
        + "<fetchRequest name=\"f\" entity=\"E\"/><configuration name=\"c\"><memberEntity name=\"E\"/></configuration>",
      ["configuration added", "fetch request template added"], .compatible),
  ]

  @Test(arguments: attributes + relationships + entities)
  func `Each change is found and has the effect that Apple documents`(
    sample: Sample
  ) throws {
    let difference = ModelDifference(
      from: try SourceText(sample.before).model(), to: try SourceText(sample.after).model())
    let words = difference.changes.map { change in
      let subject = [change.entity, change.property].compactMap(\.self).joined(separator: ".")
      return (subject.isEmpty ? "" : subject + " ") + change.kind.rawValue
        + (change.nonLightweightReason == nil ? "" : "!")
    }
    #expect(words == sample.changes)
    #expect(difference.verdict == sample.verdict)
  }

  @Test(.requiresFixtures) func `A difference reports a hash change exactly if the hash changes`()
    throws
  {
    let bundle = try ModelBundle(
      contentsOf: Fixtures.url("models/XCServerCoreData__XCServerCoreData.xcdatamodeld"))
    for (before, after) in zip(bundle.versions, bundle.versions.dropFirst()) {
      let difference = ModelDifference(from: before.model, to: after.model)
      let (old, new) = (
        before.model.entityVersionHashesByName, after.model.entityVersionHashesByName
      )
      #expect(difference.changesHashes == (old != new), "\(after.name)")
      let isExplained = difference.changes.contains { $0.affectsHash }
      #expect(isExplained == (old != new), "\(after.name)")
    }
  }
}
