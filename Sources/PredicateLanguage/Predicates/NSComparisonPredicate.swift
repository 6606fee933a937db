public import Foundation

/// A predicate that compares two expressions.
///
/// ```swift
/// let adults = NSComparisonPredicate(
///   leftExpression: NSExpression(forKeyPath: "age"), rightExpression: NSExpression(forConstantValue: 18),
///   modifier: .direct, type: .greaterThanOrEqualTo, options: [])
/// ```
///
/// It is a subclass of Foundation's `NSPredicate`, so every place that takes a predicate takes it.
open class NSComparisonPredicate: NSPredicate {
  /// The left side.
  public let leftExpression: NSExpression
  /// The right side.
  public let rightExpression: NSExpression
  /// Whether the left side's elements are compared one by one.
  public let comparisonPredicateModifier: Modifier
  /// The comparison.
  public let predicateOperatorType: Operator
  /// How strings are compared.
  public let options: Options

  /// A comparison of two expressions.
  public init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
    options: Options = []
  ) {
    leftExpression = lhs
    rightExpression = rhs
    comparisonPredicateModifier = modifier
    predicateOperatorType = type
    self.options = options
    super.init(value: false)
  }
}
