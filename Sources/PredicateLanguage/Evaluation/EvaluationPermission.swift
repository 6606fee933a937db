public import Foundation
import Synchronization

/// The permission to evaluate a predicate or an expression.
///
/// The key paths and functions of a decoded predicate or expression come from outside the program.
/// So its evaluation is restricted until the program has checked them and calls
/// `allowEvaluation()`. Other predicates and expressions are never restricted.
enum EvaluationPermission {
  /// Sets the permission of a predicate and all its parts.
  static func set(isRestricted: Bool, of predicate: NSPredicate) {
    switch predicate.node {
    case .constant, .opaque: break
    case .comparison(let comparison):
      comparison.isRestricted.store(isRestricted, ordering: .relaxed)
      set(isRestricted: isRestricted, of: comparison.leftExpression)
      set(isRestricted: isRestricted, of: comparison.rightExpression)
    case .and(let parts), .or(let parts):
      (predicate as? CompoundPredicate)?.isRestricted.store(isRestricted, ordering: .relaxed)
      for part in parts { set(isRestricted: isRestricted, of: part) }
    case .not(let part):
      (predicate as? CompoundPredicate)?.isRestricted.store(isRestricted, ordering: .relaxed)
      set(isRestricted: isRestricted, of: part)
    }
  }

  /// Sets the permission of an expression and all its parts.
  static func set(isRestricted: Bool, of expression: NSExpression) {
    expression.isRestricted.store(isRestricted, ordering: .relaxed)
    for part in expression.node.expressions { set(isRestricted: isRestricted, of: part) }
    if let predicate = expression.node.predicate {
      set(isRestricted: isRestricted, of: predicate)
    }
  }

  static func error(_ text: String) -> PredicateEvaluationError {
    PredicateEvaluationError(
      .notAllowed,
      """
      \(text) was decoded and is not allowed to be evaluated. Check its key paths and functions, \
      then call allowEvaluation().
      """
    )
  }
}

extension NSPredicate {
  /// Forbids the evaluation until `allowEvaluation()` is called.
  package func restrictEvaluation() {
    EvaluationPermission.set(isRestricted: true, of: self)
  }

  /// Allows the evaluation of a predicate that was decoded.
  ///
  /// Check its key paths and functions first. Other predicates can always be evaluated.
  public func allowEvaluation() {
    EvaluationPermission.set(isRestricted: false, of: self)
  }

  /// Throws if the predicate was decoded and its evaluation is not allowed yet.
  ///
  /// Comparisons inside a compound check their own permission when they are evaluated.
  func requirePermission() throws(PredicateEvaluationError) {
    let isRestricted =
      (self as? NSComparisonPredicate)?.isRestricted.load(ordering: .relaxed)
      ?? (self as? CompoundPredicate)?.isRestricted.load(ordering: .relaxed) ?? false
    if isRestricted { throw EvaluationPermission.error(formatText) }
  }
}

extension NSExpression {
  /// Forbids the evaluation until `allowEvaluation()` is called.
  package func restrictEvaluation() {
    EvaluationPermission.set(isRestricted: true, of: self)
  }

  /// Allows the evaluation of the expression and its parts.
  func endRestriction() { EvaluationPermission.set(isRestricted: false, of: self) }

  /// Throws if the expression was decoded and its evaluation is not allowed yet.
  func requirePermission() throws(PredicateEvaluationError) {
    if isRestricted.load(ordering: .relaxed) { throw EvaluationPermission.error(formatText) }
  }
}

extension ExpressionNode {
  /// The direct subexpressions.
  fileprivate var expressions: [NSExpression] {
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPath, .anyKey, .custom: []
    case .function(let operand, _, let arguments): (operand.map { [$0] } ?? []) + arguments
    case .unionSet(let one, let other), .intersectSet(let one, let other),
      .minusSet(let one, let other):
      [one, other]
    case .subquery(let collection, _, _): [collection]
    case .aggregate(let elements): elements
    case .block(_, let arguments): arguments
    case .conditional(_, let one, let other): [one, other]
    case .fetch(let request, let context, _): [request, context]
    }
  }

  /// The predicate of a subquery or a condition.
  fileprivate var predicate: NSPredicate? {
    switch self {
    case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
    default: nil
    }
  }
}
