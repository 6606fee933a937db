package import Foundation
import Synchronization

/// Replaces expressions of a predicate.
struct ExpressionReplacement {
  /// Returns the replacement of an expression, or nil to replace inside it.
  ///
  /// `bound` has the variables of the subqueries around the expression.
  typealias Choice = (NSExpression, _ bound: Set<String>) throws(PredicateEvaluationError) ->
    NSExpression?

  let choose: Choice
  var bound: Set<String> = []
  /// Whether copies need permission to be evaluated if the originals do.
  private let keepsRestriction: Bool

  init(keepsRestriction: Bool = false, _ choose: @escaping Choice) {
    self.choose = choose
    self.keepsRestriction = keepsRestriction
  }

  func apply(to predicate: NSPredicate) throws(PredicateEvaluationError) -> NSPredicate {
    try predicate.node.replacingComparisons { comparison throws(PredicateEvaluationError) in
      var kind = NSComparisonPredicate.Comparison(
        comparison.predicateOperatorType, selectorName: comparison.customSelectorName)
      kind.options = comparison.options
      let copy = NSComparisonPredicate(
        left: try apply(to: comparison.leftExpression),
        right: try apply(to: comparison.rightExpression),
        modifier: comparison.comparisonPredicateModifier, kind: kind)
      if keepsRestriction, comparison.isRestricted.load(ordering: .relaxed) {
        copy.isRestricted.store(true, ordering: .relaxed)
      }
      return copy
    }
  }

  func apply(to expression: NSExpression) throws(PredicateEvaluationError) -> NSExpression {
    if let chosen = try choose(expression, bound) { return chosen }
    let copy = try replacingParts(of: expression)
    if keepsRestriction, expression.isRestricted.load(ordering: .relaxed) {
      copy.isRestricted.store(true, ordering: .relaxed)
    }
    return copy
  }

  private func replacingParts(of expression: NSExpression) throws(PredicateEvaluationError)
    -> NSExpression
  {
    switch expression.node {
    case .custom: return expression
    case .constant, .evaluatedObject, .keyPath, .variable, .anyKey:
      return expression.isRestricted.load(ordering: .relaxed)
        ? NSExpression(expression.node) : expression
    case .function(let operand, let name, let arguments):
      let operand = try operand.map { operand throws(PredicateEvaluationError) in
        try apply(to: operand)
      }
      return NSExpression(
        .function(operand: operand, name: name, arguments: try apply(to: arguments)))
    case .aggregate(let elements): return NSExpression(.aggregate(try apply(to: elements)))
    case .block(let block, let arguments):
      return NSExpression(.block(block, arguments: try apply(to: arguments)))
    case .unionSet(let left, let right):
      return NSExpression(.unionSet(try apply(to: left), try apply(to: right)))
    case .intersectSet(let left, let right):
      return NSExpression(.intersectSet(try apply(to: left), try apply(to: right)))
    case .minusSet(let left, let right):
      return NSExpression(.minusSet(try apply(to: left), try apply(to: right)))
    case .conditional(let predicate, let first, let second):
      return NSExpression(
        .conditional(
          try apply(to: predicate), true: try apply(to: first), false: try apply(to: second)))
    case .fetch(let request, let context, let countOnly):
      return NSFetchRequestExpression(
        request: try apply(to: request), context: try apply(to: context),
        isCountOnlyRequest: countOnly)
    case .subquery(let collection, let variable, let predicate):
      var inner = self
      inner.bound.insert(variable)
      return NSExpression(
        .subquery(
          collection: try apply(to: collection), variable: variable,
          predicate: try inner.apply(to: predicate)))
    }
  }

  private func apply(to expressions: [NSExpression]) throws(PredicateEvaluationError)
    -> [NSExpression]
  {
    try expressions.map { expression throws(PredicateEvaluationError) in try apply(to: expression) }
  }
}

extension NSPredicate {
  /// The predicate with its expressions replaced by the results of a closure.
  ///
  /// The closure is called for an expression first, and if it returns nil, for the subexpressions.
  /// Predicates with a block remain unchanged.
  package func replacingExpressions(
    _ choose: @escaping (NSExpression) throws(PredicateEvaluationError) -> NSExpression?
  ) throws(PredicateEvaluationError) -> NSPredicate {
    try ExpressionReplacement { expression, _ throws(PredicateEvaluationError) in
      try choose(expression)
    }
    .apply(to: self)
  }
}

extension NSExpression {
  /// The result of a closure for the expression; if it is nil, the expression with its
  /// subexpressions replaced.
  package func replacingExpressions(
    _ choose: @escaping (NSExpression) throws(PredicateEvaluationError) -> NSExpression?
  ) throws(PredicateEvaluationError) -> NSExpression {
    try ExpressionReplacement { expression, _ throws(PredicateEvaluationError) in
      try choose(expression)
    }
    .apply(to: self)
  }
}
