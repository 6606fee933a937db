public import Foundation

extension NSPredicate {
  /// The predicate with the variables' values in their places.
  ///
  /// A variable that has no value in the dictionary stops the program; `substituting(_:)` throws instead.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    do {
      guard let predicate = try substituting(variables) as? Self else {
        preconditionFailure("Substitution does not give a \(Self.self).")
      }
      return predicate
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The predicate with the variables' values in their places.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateEvaluationError`` for a variable that has no value in the dictionary.
  public func substituting(_ variables: [String: Any]) throws -> NSPredicate {
    try Substitution(variables: variables).apply(to: self)
  }
}

/// Replaces variables by constants.
///
/// The variable of a subquery stays inside it.
private struct Substitution {
  let variables: [String: Any]
  var bound: Set<String> = []

  func apply(to predicate: NSPredicate) throws(PredicateEvaluationError) -> NSPredicate {
    switch predicate.node {
    case .constant, .opaque: return predicate
    case .and(let parts): return CompoundPredicate(type: .and, subpredicates: try apply(to: parts))
    case .or(let parts): return CompoundPredicate(type: .or, subpredicates: try apply(to: parts))
    case .not(let part): return CompoundPredicate(type: .not, subpredicates: [try apply(to: part)])
    case .comparison(let comparison):
      var kind = NSComparisonPredicate.Comparison(
        comparison.predicateOperatorType, selectorName: comparison.customSelectorName)
      kind.options = comparison.options
      return NSComparisonPredicate(
        left: try apply(to: comparison.leftExpression), right: try apply(to: comparison.rightExpression),
        modifier: comparison.comparisonPredicateModifier, kind: kind)
    }
  }

  private func apply(to predicates: [NSPredicate]) throws(PredicateEvaluationError) -> [NSPredicate] {
    try predicates.map { predicate throws(PredicateEvaluationError) in try apply(to: predicate) }
  }

  private func apply(to expressions: [NSExpression]) throws(PredicateEvaluationError) -> [NSExpression] {
    try expressions.map { expression throws(PredicateEvaluationError) in try apply(to: expression) }
  }

  private func apply(to expression: NSExpression) throws(PredicateEvaluationError) -> NSExpression {
    switch expression.node {
    case .constant, .evaluatedObject, .keyPath, .anyKey, .custom: return expression
    case .variable(let name): return try value(of: name, expression)
    case .function(let operand, let name, let arguments):
      let operand = try operand.map { operand throws(PredicateEvaluationError) in try apply(to: operand) }
      return NSExpression(.function(operand: operand, name: name, arguments: try apply(to: arguments)))
    case .aggregate(let elements): return NSExpression(.aggregate(try apply(to: elements)))
    case .block(let block, let arguments): return NSExpression(.block(block, arguments: try apply(to: arguments)))
    case .unionSet(let left, let right): return NSExpression(.unionSet(try apply(to: left), try apply(to: right)))
    case .intersectSet(let left, let right):
      return NSExpression(.intersectSet(try apply(to: left), try apply(to: right)))
    case .minusSet(let left, let right): return NSExpression(.minusSet(try apply(to: left), try apply(to: right)))
    case .conditional(let predicate, let first, let second):
      return NSExpression(
        .conditional(try apply(to: predicate), true: try apply(to: first), false: try apply(to: second)))
    case .subquery(let collection, let variable, let predicate):
      var inner = self
      inner.bound.insert(variable)
      return NSExpression(
        .subquery(collection: try apply(to: collection), variable: variable, predicate: try inner.apply(to: predicate)))
    }
  }

  private func value(of name: String, _ expression: NSExpression) throws(PredicateEvaluationError) -> NSExpression {
    if bound.contains(name) { return expression }
    guard let value = variables[name] else { throw .missingVariable(name) }
    return value as? NSExpression ?? NSExpression(forConstantValue: value)
  }
}
