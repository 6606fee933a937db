import Foundation
import PredicateLanguage
import Testing

@Suite("NSComparisonPredicate")
struct NSComparisonPredicateTests {
  @Test func `The initializer keeps its parts`() {
    let left = NSExpression(forKeyPath: "name")
    let right = NSExpression(forConstantValue: "x")
    let predicate = NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: .any, type: .beginsWith,
      options: [.caseInsensitive, .diacriticInsensitive])
    #expect(predicate.leftExpression === left)
    #expect(predicate.rightExpression === right)
    #expect(predicate.comparisonPredicateModifier == .any)
    #expect(predicate.predicateOperatorType == .beginsWith)
    #expect(predicate.options.rawValue == 3)
    #expect(predicate.predicateFormat == "ANY name BEGINSWITH[cd] \"x\"")
    #expect(predicate.description == predicate.predicateFormat)
    #expect(predicate.copy() as? NSPredicate === predicate)
  }

  @Test(arguments: [
    ("<", 0), ("<=", 1), (">", 2), (">=", 3), ("==", 4), ("!=", 5), ("MATCHES", 6), ("LIKE", 7),
    ("BEGINSWITH", 8),
    ("ENDSWITH", 9), ("IN", 10), ("CONTAINS", 99), ("BETWEEN", 100),
  ])
  func `Operators have Apple's numbers`(_ word: String, _ number: UInt) throws {
    let predicate = try #require(NSPredicate(format: "a \(word) b") as? NSComparisonPredicate)
    #expect(predicate.predicateOperatorType.rawValue == number)
  }

  @Test func `Modifiers and options have Apple's numbers`() throws {
    #expect(NSComparisonPredicate.Modifier.direct.rawValue == 0)
    #expect(NSComparisonPredicate.Modifier.all.rawValue == 1)
    #expect(NSComparisonPredicate.Modifier.any.rawValue == 2)
    let predicate = try #require(NSPredicate(format: "a ==[cdnl] b") as? NSComparisonPredicate)
    #expect(predicate.options.rawValue == 15)
  }

  @Test(arguments: [
    ("a == 1", "a == 1", true), ("a == 1", "a == 1.0", true), ("a == 1", "a == 2", false),
    ("a == 1", "a != 1", false),
    ("a == 'x'", "a ==[c] 'x'", false), ("ANY a == 1", "a == 1", false),
    ("a == 1 AND b == 2", "a == 1 AND b == 2", true),
    ("a == 1 AND b == 2", "b == 2 AND a == 1", false),
    ("a == 1 AND b == 2", "a == 1 OR b == 2", false),
    ("NOT a == 1", "NOT a == 1", true),
    ("TRUEPREDICATE", "TRUEPREDICATE", true), ("TRUEPREDICATE", "FALSEPREDICATE", false),
    ("a == 'é'", "a == 'e\u{301}'", false),
  ])
  func `Predicates are equal if their forms and values are`(
    _ one: String, _ other: String, _ areEqual: Bool
  ) {
    let (one, other) = (NSPredicate(format: one), NSPredicate(format: other))
    #expect((one == other) == areEqual)
    #expect(one.isStructurallyEqual(to: other) == areEqual)
    if areEqual { #expect(one.structuralHash == other.structuralHash) }
  }

  @Test func `Compounds of both classes are compared by contents`() {
    let ours = NSPredicate(format: "a == 1 AND b == 2")
    let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2")]
    #expect(ours == NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    #expect(ours != NSCompoundPredicate(orPredicateWithSubpredicates: parts))
    #expect(ours.copy() as? NSPredicate == ours)
    #expect(
      !NSCompoundPredicate(andPredicateWithSubpredicates: parts).isStructurallyEqual(
        to: NSCompoundPredicate(orPredicateWithSubpredicates: parts)))
  }

  @Test(arguments: [
    ("hasPrefix:", "École", "Éc", true), ("hasSuffix:", "École", "Éc", false),
    ("containsString:", "École", "col", true),
    ("localizedStandardContainsString:", "École", "ECOL", true),
    ("localizedCaseInsensitiveContainsString:", "École", "ecol", false),
    ("isEqualToString:", "a", "a", true), ("isEqual:", "a", "b", false),
  ])
  func `A comparison may call a well-known method of strings`(
    _ selector: String, _ left: String, _ right: String, _ holds: Bool
  ) {
    let predicate = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "text"),
      rightExpression: NSExpression(forConstantValue: right),
      customSelector: Selector(selector))
    #expect(predicate.predicateOperatorType == .customSelector)
    #expect(predicate.customSelector == Selector(selector))
    #expect(predicate.evaluate(with: ["text": left]) == holds)
    #expect(!predicate.evaluate(with: [String: String]()))
  }

  @Test func `An unknown method is an error`() {
    let predicate = NSComparisonPredicate(
      leftExpression: NSExpression(forConstantValue: "a"),
      rightExpression: NSExpression(forConstantValue: "b"),
      customSelector: Selector("frob:"))
    let error = #expect(throws: PredicateEvaluationError.self) {
      try predicate.evaluated(with: nil)
    }
    #expect(error?.code == .badFunctionCall)
  }
}
