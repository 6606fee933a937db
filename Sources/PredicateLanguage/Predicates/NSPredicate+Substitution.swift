public import Foundation

extension NSPredicate {
  /// The predicate with the variables' values in their places.
  ///
  /// A variable that has no value in the dictionary stops the program; `substituting(_:)` throws
  /// instead.
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
    try ExpressionReplacement { expression, bound throws(PredicateEvaluationError) in
      guard case .variable(let name) = expression.node, !bound.contains(name) else { return nil }
      // The variable of a subquery stays inside it.
      guard let value = variables[name] else { throw .missingVariable(name) }
      return value as? NSExpression ?? NSExpression(forConstantValue: value)
    }.apply(to: self)
  }
}
