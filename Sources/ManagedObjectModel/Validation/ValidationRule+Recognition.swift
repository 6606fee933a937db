package import Foundation
import PredicateLanguage

extension ValidationRule {
  /// Recognizes the rule of a predicate; nil if the predicate is not a known rule.
  package init?(_ predicate: NSPredicate) {
    guard let comparison = predicate as? NSComparisonPredicate, comparison.options.isEmpty,
      comparison.comparisonPredicateModifier == .direct,
      comparison.rightExpression.expressionType == .constantValue,
      let value = comparison.rightExpression.constantValue
    else { return nil }
    let left = comparison.leftExpression
    switch left.expressionType {
    case .evaluatedObject: self.init(onValue: comparison.predicateOperatorType, value)
    case .keyPath where left.keyPath == "length":
      self.init(onLength: comparison.predicateOperatorType, value)
    default: return nil
    }
  }

  private init?(onLength type: NSComparisonPredicate.Operator, _ value: Any) {
    guard let number = value as? NSNumber, let length = Int(exactly: number.doubleValue) else {
      return nil
    }
    switch type {
    case .greaterThanOrEqualTo: self = .minimumLength(length)
    case .lessThanOrEqualTo: self = .maximumLength(length)
    default: return nil
    }
  }

  private init?(onValue type: NSComparisonPredicate.Operator, _ value: Any) {
    switch (type, value) {
    case (.matches, let pattern as String): self = .pattern(pattern)
    case (.greaterThanOrEqualTo, let date as Date): self = .earliestDate(date)
    case (.lessThanOrEqualTo, let date as Date): self = .latestDate(date)
    case (.greaterThanOrEqualTo, let number as NSNumber): self = .minimumNumber(number.decimalValue)
    case (.lessThanOrEqualTo, let number as NSNumber): self = .maximumNumber(number.decimalValue)
    default: return nil
    }
  }
}

extension NSPropertyDescription {
  /// The rules in the property's validation predicates, in their order.
  ///
  /// Other predicates are omitted.
  package var validationRules: [ValidationRule] {
    validationPredicates.compactMap(ValidationRule.init)
  }

  /// Sets the validation predicates and their warnings from rules.
  package func setValidationRules(_ rules: [ValidationRule]) {
    setValidation(
      predicates: rules.map(\.predicate), warnings: rules.map { $0.errorCode as NSNumber })
  }
}
