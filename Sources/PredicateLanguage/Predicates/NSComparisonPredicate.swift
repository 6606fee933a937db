public import Foundation
import Synchronization

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
  /// The name of the method of a comparison of type `customSelector`.
  package let customSelectorName: String?
  /// The template that made the comparison.
  let ownTemplate: PredicateTemplate?
  private let lazyPreparation = AtomicLazyReference<ComparisonPreparation>()

  /// Patterns and collections that were prepared for the comparison.
  ///
  /// Most comparisons are for stores, and never need it.
  package var preparation: ComparisonPreparation {
    lazyPreparation.load() ?? lazyPreparation.storeIfNil(ComparisonPreparation())
  }

  /// A comparison of two expressions.
  public init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
    type: Operator,
    options: Options = []
  ) {
    leftExpression = lhs
    rightExpression = rhs
    comparisonPredicateModifier = modifier
    predicateOperatorType = type
    self.options = options
    customSelectorName = nil
    ownTemplate = nil
    super.init(value: false)
  }

  init(left: NSExpression, right: NSExpression, modifier: Modifier, kind: Comparison) {
    leftExpression = left
    rightExpression = right
    comparisonPredicateModifier = modifier
    predicateOperatorType = kind.type
    options = kind.options
    customSelectorName = kind.selectorName
    ownTemplate = nil
    super.init(value: false)
  }

  /// The comparison of a template's pattern, with other sides.
  init(
    _ pattern: NSComparisonPredicate, left: NSExpression, right: NSExpression,
    template: PredicateTemplate?
  ) {
    leftExpression = left
    rightExpression = right
    comparisonPredicateModifier = pattern.comparisonPredicateModifier
    predicateOperatorType = pattern.predicateOperatorType
    options = pattern.options
    customSelectorName = pattern.customSelectorName
    ownTemplate = template
    super.init(value: false)
  }

  /// Archives of predicates are not read on this platform.
  @available(
    *, unavailable,
    message: "Predicates are not archived on this platform. Keep the format string instead."
  )
  public init?(coder: NSCoder) { return nil }

  // MARK: NSPredicate

  /// The format string of the comparison.
  open override var predicateFormat: String { formatText }

  /// The format string.
  open override var description: String { formatText }

  /// The same predicate: it cannot change.
  open override func copy() -> Any { self }

  /// The same predicate: it cannot change.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other is a comparison of equal expressions in the same way.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { isStructurallyEqual(to: $0) } ?? false
  }

  /// A hash that equal predicates share.
  open override var hash: Int { structuralHash }

  /// Whether the comparison holds for the object, with values for the variables.
  ///
  /// A key that the object does not have, a variable without a value, and sides that cannot be
  /// compared stop the program, as they raise an exception on Apple's platforms.
  /// `evaluated(with:substitutionVariables:)` throws instead.
  open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?)
    -> Bool
  {
    orStop { () throws(PredicateEvaluationError) in
      try holds(in: Environment(object: object, variables: bindings))
    }
  }
}
