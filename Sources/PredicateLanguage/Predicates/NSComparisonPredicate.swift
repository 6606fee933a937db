public import Foundation
import Synchronization

/// A predicate that compares two expressions.
///
/// ```swift
/// let adults = NSComparisonPredicate(
///   leftExpression: NSExpression(forKeyPath: "age"),
///   rightExpression: NSExpression(forConstantValue: 18),
///   modifier: .direct, type: .greaterThanOrEqualTo, options: [])
/// ```
///
/// It is a subclass of Foundation's `NSPredicate`, so it can be used wherever a predicate is
/// expected.
open class NSComparisonPredicate: NSPredicate {
  /// The left side.
  public let leftExpression: NSExpression
  /// The right side.
  public let rightExpression: NSExpression
  /// The way to compare a collection on the left side: as a whole, or element by element.
  public let comparisonPredicateModifier: Modifier
  /// The comparison operator.
  public let predicateOperatorType: Operator
  /// The options for comparing strings.
  public let options: Options
  /// The method name of a comparison of type `customSelector`.
  package let customSelectorName: String?
  /// The template that created the comparison.
  let ownTemplate: PredicateTemplate?
  /// Whether the comparison was decoded, and not allowed to be evaluated yet.
  final let isRestricted = Atomic(false)
  private let lazyPreparation = AtomicLazyReference<ComparisonPreparation>()

  /// The comparison's compiled patterns and indexed collections.
  ///
  /// It is created lazily: most comparisons are for stores, which do not need it.
  package var preparation: ComparisonPreparation {
    lazyPreparation.load() ?? lazyPreparation.storeIfNil(ComparisonPreparation())
  }

  /// Creates a comparison of two expressions.
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

  /// Creates a comparison from a template, with other sides.
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

  // MARK: NSPredicate

  /// The format string of the comparison.
  open override var predicateFormat: String { formatText }

  /// The format string.
  open override var description: String { formatText }

  /// Returns the predicate itself, which is immutable.
  open override func copy() -> Any { self }

  /// Returns the predicate itself, which is immutable.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other comparison has equal expressions, operator and options.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { isStructurallyEqual(to: $0) } ?? false
  }

  /// A hash value that equal predicates share.
  open override var hash: Int { structuralHash }

  /// Returns whether the comparison is true for the object, with values for the variables.
  ///
  /// An unknown key, a variable without a value, or sides that cannot be compared stop the program;
  /// Apple's platforms raise an exception. `evaluated(with:substitutionVariables:)` throws instead.
  open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?)
    -> Bool
  {
    stopOnError { () throws(PredicateEvaluationError) in
      try requirePermission()
      return try holds(with: EvaluationInputs(object: object, variables: bindings))
    }
  }
}
