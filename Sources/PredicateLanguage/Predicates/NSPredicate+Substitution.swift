public import Foundation

extension NSPredicate {
  /// Returns the predicate with its variables replaced by their values.
  ///
  /// A variable that has no value in the dictionary stops the program; `substituting(_:)` throws
  /// instead.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    do {
      guard let predicate = try substituting(variables) as? Self else {
        preconditionFailure("Substitution does not create a \(Self.self).")
      }
      return predicate
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the predicate with its variables replaced by their values.
  ///
  /// A copy of a decoded predicate needs permission to be evaluated, as the original does.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateEvaluationError`` for a variable that has no value in the dictionary.
  public func substituting(_ variables: [String: Any]) throws -> NSPredicate {
    try ExpressionReplacement(keepsRestriction: true) {
      expression, bound throws(PredicateEvaluationError) in
      // A subquery's own variable is not replaced.
      guard case .variable(let name) = expression.node, !bound.contains(name) else { return nil }
      guard let value = variables[name] else { throw .missingVariable(name) }
      return value as? NSExpression ?? NSExpression(forConstantValue: value)
    }.apply(to: self)
  }
}
