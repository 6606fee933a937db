import Foundation
import PredicateLanguage
import Testing

private typealias Expression = PredicateLanguage.NSExpression

@Suite struct `Expressions for fetches` {
  private struct Failure: Error {}

  /// Performs requests that are texts.
  private final class Performer: NSObject, FetchPerforming {
    func results(ofFetch request: Any) throws -> [Any]? {
      guard let text = request as? String else { return nil }
      if text == "failure" { throw Failure() }
      return text.map(String.init)
    }
  }

  private let performer = Performer()

  @Test func `The type has Apple's number`() throws {
    let expression = try Expression(parsing: "FETCH($request, $context, NO)")
    #expect(expression.expressionType == NSFetchRequestExpressionType)
    #expect(expression.expressionType.rawValue == 50)
    #expect(Expression.ExpressionType(rawValue: 50) == NSFetchRequestExpressionType)
  }

  @Test(arguments: [
    "FETCH($request, $context, NO)", "FETCH($request, $context, YES)",
    #"FETCH(FUNCTION($manager, "request:", "A"), $manager.context, NO)"#,
    "FETCH($a, FETCH($b, $context, NO), YES)", "FETCH(request, context, NO).@count",
    "SUBQUERY(FETCH($request, $context, NO), $x, $x.n == 1)",
  ])
  func `The description can be parsed again`(format: String) throws {
    let expression = try Expression(parsing: format)
    #expect(expression.description == format)
    #expect(try Expression(parsing: expression.description) == expression)
  }

  @Test func `The parts of a format string are those of the class`() throws {
    let expression = try #require(
      try Expression(parsing: "fetch(%@, $context, %@)", arguments: ["ab", true])
        as? NSFetchRequestExpression)
    #expect(expression.request == Expression(forConstantValue: "ab"))
    #expect(expression.context == Expression(forVariable: "context"))
    #expect(expression.isCountOnlyRequest)
    let made = NSFetchRequestExpression.expression(
      forFetch: expression.request, context: expression.context, countOnly: true)
    #expect(made == expression && made.hash == expression.hash)
    let others = [
      try Expression(parsing: "FETCH('ab', $context, NO)"),
      try Expression(parsing: "FETCH('ac', $context, YES)"),
      try Expression(parsing: "FETCH('ab', $other, YES)"),
    ]
    for other in others { #expect(other != expression) }
  }

  @Test func `The value is the results or their number`() throws {
    let predicates = [
      ("'b' IN FETCH(%@, %@, NO)", true), ("'c' IN FETCH(%@, %@, NO)", false),
      ("FETCH(%@, %@, YES) == 2", true), ("FETCH(%@, %@, NO).@count > 2", false),
    ]
    for (format, isTrue) in predicates {
      let predicate = NSPredicate(format: format, argumentArray: ["ab", performer])
      #expect(try predicate.evaluated(with: nil) == isTrue, "\(format)")
    }
  }

  @Test func `Variables are substituted inside`() throws {
    let predicate = NSPredicate(format: "FETCH($request, $context, YES) == 3")
      .withSubstitutionVariables(["request": "abc", "context": performer])
    #expect(try predicate.evaluated(with: nil))
  }

  @Test(arguments: [
    ("FETCH(3, %@, NO)", "needs a fetch request"), ("FETCH(nil, %@, NO)", "needs a fetch request"),
    ("FETCH(%@, 3, NO)", "needs a managed object context"),
    ("FETCH('failure', %@, NO)", "Failure"),
  ])
  func `Parts of another kind, and failures, are errors`(format: String, message: String) throws {
    let expression = try Expression(parsing: format, arguments: [performer])
    let error = #expect(throws: PredicateEvaluationError.self) {
      try expression.evaluated(with: nil)
    }
    #expect(error?.description.contains(message) == true)
  }

  @Test(arguments: [
    "FETCH()", "FETCH($a, $b)", "FETCH($a, $b, maybe)", "FETCH($a, $b, 'x')",
    "FETCH($a, $b, NO, 1)", "FETCH($a, $b, NO", "FETCH($a == 1, $b, NO)",
  ])
  func `Other forms are errors`(format: String) {
    #expect(throws: PredicateParseError.self) { try Expression(parsing: format) }
  }

  @Test func `A property may have the name`() throws {
    #expect(try Expression(parsing: "fetch").keyPath == "fetch")
  }

  @Test func `A restricted expression needs permission`() throws {
    let expression = try Expression(parsing: "FETCH($request, $context, YES)")
    expression.restrictEvaluation()
    let variables: NSMutableDictionary = ["request": "abc", "context": performer]
    #expect(throws: PredicateEvaluationError.self) {
      try expression.evaluated(with: nil, context: variables)
    }
    expression.allowEvaluation()
    #expect(try expression.evaluated(with: nil, context: variables) as? Int == 3)
  }
}
