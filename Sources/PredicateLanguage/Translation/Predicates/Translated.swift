import Foundation

/// What a part of a Swift predicate has become.
enum Translated {
  /// A value that does not depend on the object.
  case constant(Any?)
  case expression(NSExpression)
  case predicate(NSPredicate)
  /// An optional truth value: that of a predicate where another one holds, else nothing.
  case optionalPredicate(NSPredicate, when: NSPredicate)
  /// How two texts are ordered: a value only in comparison with a `ComparisonResult`.
  case order(NSExpression, NSExpression, NSComparisonPredicate.Options)
  /// The values between two others.
  case range(TranslatedRange)
}

/// The bounds of a range, of which one may be missing.
struct TranslatedRange {
  let lower: NSExpression?
  let upper: NSExpression?
  let includesUpper: Bool

  /// Whether the value lies in the range.
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
