import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct ValidationRuleTests {
  static let rules: [ValidationRule] = [
    .minimumLength(3), .maximumLength(50), .pattern("[a-z]+"), .minimumNumber(0),
    .maximumNumber(Decimal(string: "9.99") ?? 0),
    .earliestDate(Date(timeIntervalSinceReferenceDate: 0)),
    .latestDate(Date(timeIntervalSinceReferenceDate: 1e9)),
  ]

  @Test(arguments: rules)
  func `A rule is recognised in its predicate`(rule: ValidationRule) {
    #expect(ValidationRule(rule.predicate) == rule)
  }

  @Test func `Rules set predicates with their error codes`() {
    let attribute = NSAttributeDescription()
    attribute.setValidationRules(Self.rules)
    #expect(attribute.validationRules == Self.rules)
    #expect(attribute.validationWarnings as? [Int] == [1670, 1660, 1680, 1620, 1610, 1640, 1630])
  }

  @Test func `A predicate of another form is not a rule`() {
    let other = NSComparisonPredicate(
      leftExpression: .expressionForEvaluatedObject(),
      rightExpression: NSExpression(forConstantValue: 3),
      modifier: .direct, type: .equalTo)
    #expect(ValidationRule(other) == nil)
    #expect(ValidationRule(NSPredicate(value: true)) == nil)
  }
}
