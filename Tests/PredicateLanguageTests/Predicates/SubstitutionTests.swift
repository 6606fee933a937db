import Foundation
import PredicateLanguage
import Testing

@Suite("Variables")
struct SubstitutionTests {
  @Test func `Variables are replaced everywhere, except a subquery's own`() throws {
    let template = NSPredicate(
      format:
        "a == $x AND NOT b IN {$x, $y.c} AND SUBQUERY(d, $x, $x.e == $y).@count > 0 AND TERNARY($x == 1, $x, 2) == 3"
    )
    let predicate = template.withSubstitutionVariables(["x": 1, "y": "z"])
    #expect(
      predicate.formatText
        == "a == 1 AND NOT b IN {1, \"z\".c} AND SUBQUERY(d, $x, $x.e == \"z\").@count > 0 AND TERNARY(1 == 1, 1, 2) == 3"
    )
    #expect(template.formatText.contains("$y"))
  }

  @Test func `A value that is an expression remains one`() {
    let predicate = NSPredicate(format: "a == $x").withSubstitutionVariables([
      "x": NSExpression(forKeyPath: "b")
    ])
    #expect(predicate.formatText == "a == b")
  }

  @Test func `Evaluation accepts values for variables`() {
    let predicate = NSPredicate(format: "a == $x")
    #expect(predicate.evaluate(with: ["a": 1], substitutionVariables: ["x": 1]))
    #expect(!predicate.evaluate(with: ["a": 1], substitutionVariables: ["x": NSNull()]))
    #expect(predicate.evaluate(with: nil, substitutionVariables: ["x": NSNull()]))
  }

  @Test func `A missing variable is an error`() {
    let predicate = NSPredicate(format: "a == $x OR a == 1")
    let evaluation = #expect(throws: PredicateEvaluationError.self) {
      try predicate.evaluated(with: ["a": 1])
    }
    #expect(evaluation?.code == .missingVariable)
    let substitution = #expect(throws: PredicateEvaluationError.self) {
      try predicate.substituting(["y": 1])
    }
    #expect(substitution?.message.hasPrefix("The variable $x has no value.") == true)
  }

  @Test func `A missing variable stops the program`() async {
    let evaluation = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
    {
      _ = NSPredicate(format: "a == $x").evaluate(with: ["a": 1])
    }
    #expect(text(evaluation).contains("a == $x cannot be evaluated: The variable $x has no value."))
    let substitution = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = NSPredicate(format: "a == $x").withSubstitutionVariables([:])
    }
    #expect(text(substitution).contains("The variable $x has no value."))
  }
}
