package import Foundation
import PredicateLanguage

/// One limit on an attribute's values, as the data modeler offers them.
///
/// A model keeps limits as validation predicates on the value, `SELF`, each with the code of the error that its failure
/// is. This type makes them.
package enum AttributeLimit {
  /// The least number.
  case minimum(NSNumber)
  /// The greatest number.
  case maximum(NSNumber)
  /// The earliest point in time.
  case earliest(Date)
  /// The latest point in time.
  case latest(Date)
  /// The least number of characters.
  case shortest(Int)
  /// The greatest number of characters.
  case longest(Int)
  /// The regular expression that the whole text must match.
  case pattern(String)

  /// The code, in the Cocoa domain, of the error that a value outside of the limit is.
  package var errorCode: Int {
    switch self {
    case .maximum: 1610
    case .minimum: 1620
    case .latest: 1630
    case .earliest: 1640
    case .longest: 1660
    case .shortest: 1670
    case .pattern: 1680
    }
  }

  /// The condition that a value within the limit meets.
  package var predicate: NSPredicate {
    switch self {
    case .minimum(let number): Self.value(.greaterThanOrEqualTo, number)
    case .maximum(let number): Self.value(.lessThanOrEqualTo, number)
    case .earliest(let date): Self.value(.greaterThanOrEqualTo, date)
    case .latest(let date): Self.value(.lessThanOrEqualTo, date)
    case .shortest(let count): Self.length(.greaterThanOrEqualTo, count)
    case .longest(let count): Self.length(.lessThanOrEqualTo, count)
    case .pattern(let pattern): Self.value(.matches, pattern)
    }
  }

  private static func value(_ comparison: PredicateLanguage.NSComparisonPredicate.Operator, _ limit: Any) -> NSPredicate
  {
    compare(PredicateLanguage.NSExpression.expressionForEvaluatedObject(), comparison, limit)
  }

  private static func length(_ comparison: PredicateLanguage.NSComparisonPredicate.Operator, _ limit: Int)
    -> NSPredicate
  {
    compare(PredicateLanguage.NSExpression(forKeyPath: "length"), comparison, NSNumber(value: limit))
  }

  private static func compare(
    _ left: PredicateLanguage.NSExpression, _ comparison: PredicateLanguage.NSComparisonPredicate.Operator, _ limit: Any
  ) -> NSPredicate {
    PredicateLanguage.NSComparisonPredicate(
      leftExpression: left, rightExpression: PredicateLanguage.NSExpression(forConstantValue: limit), modifier: .direct,
      type: comparison)
  }
}

extension NSAttributeDescription {
  /// Makes the attribute's validation predicates from limits.
  package func setLimits(_ limits: [AttributeLimit]) {
    setValidation(predicates: limits.map(\.predicate), warnings: limits.map { NSNumber(value: $0.errorCode) })
  }
}
