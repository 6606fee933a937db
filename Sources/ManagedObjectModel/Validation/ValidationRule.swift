package import Foundation
import PredicateLanguage

/// A limit on the values of an attribute, as in the model editor.
///
/// Models contain limits as predicates on the value, each with the code of its error. This type
/// creates these predicates and recognizes them in a model.
package enum ValidationRule: Equatable, Sendable {
  case minimumLength(Int)
  case maximumLength(Int)
  /// A regular expression that the whole text must match.
  case pattern(String)
  case minimumNumber(Decimal)
  case maximumNumber(Decimal)
  case earliestDate(Date)
  case latestDate(Date)

  /// The predicate on the value.
  package var predicate: NSPredicate {
    switch self {
    case .minimumLength(let length):
      Self.comparison("length", .greaterThanOrEqualTo, length as NSNumber)
    case .maximumLength(let length):
      Self.comparison("length", .lessThanOrEqualTo, length as NSNumber)
    case .pattern(let pattern): Self.comparison(nil, .matches, pattern as NSString)
    case .minimumNumber(let number):
      Self.comparison(nil, .greaterThanOrEqualTo, number as NSDecimalNumber)
    case .maximumNumber(let number):
      Self.comparison(nil, .lessThanOrEqualTo, number as NSDecimalNumber)
    case .earliestDate(let date): Self.comparison(nil, .greaterThanOrEqualTo, date as NSDate)
    case .latestDate(let date): Self.comparison(nil, .lessThanOrEqualTo, date as NSDate)
    }
  }

  /// The error code, in Cocoa's domain, for a value that breaks the rule.
  package var errorCode: Int {
    switch self {
    case .maximumNumber: 1610
    case .minimumNumber: 1620
    case .latestDate: 1630
    case .earliestDate: 1640
    case .maximumLength: 1660
    case .minimumLength: 1670
    case .pattern: 1680
    }
  }

  private static func comparison(
    _ key: String?, _ type: NSComparisonPredicate.Operator, _ value: NSObject
  ) -> NSPredicate {
    NSComparisonPredicate(
      leftExpression: key.map { .init(forKeyPath: $0) } ?? .expressionForEvaluatedObject(),
      rightExpression: .init(forConstantValue: value), modifier: .direct, type: type)
  }
}
