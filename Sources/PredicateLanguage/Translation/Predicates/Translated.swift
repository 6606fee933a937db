import Foundation

/// The translation of a node of a Swift predicate.
enum Translated {
  /// A value that does not depend on the object.
  case constant(Any?)
  case expression(NSExpression)
  case predicate(NSPredicate)
  /// An optional Boolean: the value of the first predicate if the second one is true, else `nil`.
  case optionalPredicate(NSPredicate, when: NSPredicate)
  /// The order of two texts, which can only be compared with a `ComparisonResult`.
  case order(NSExpression, NSExpression, NSComparisonPredicate.Options)
  /// A range of values.
  case range(TranslatedRange)
}

/// The bounds of a range, of which one may be missing.
struct TranslatedRange {
  let lower: NSExpression?
  let upper: NSExpression?
  let includesUpper: Bool

  /// The predicate that the value is in the range.
  func contains(_ value: NSExpression) -> NSPredicate {
    if includesUpper, let lower, let upper {
      return .comparing(value, .between, NSExpression(forAggregate: [lower, upper]))
    }
    let above = lower.map { NSPredicate.comparing(value, .greaterThanOrEqualTo, $0) }
    let below = upper.map {
      NSPredicate.comparing(value, includesUpper ? .lessThanOrEqualTo : .lessThan, $0)
    }
    return .all([above, below].compactMap { $0 })
  }
}
