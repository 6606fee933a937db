public import Foundation

extension NSPredicate {
  /// Returns whether the predicate is true for the object, or throws an evaluation error.
  ///
  /// Parhelion's addition: Apple's platforms raise an exception instead.
  ///
  /// - Throws: ``PredicateEvaluationError``. A predicate with a closure or of an application's own
  ///   class never throws.
  public func evaluated(with object: Any?, substitutionVariables bindings: [String: Any]? = nil)
    throws -> Bool
  {
    try requirePermission()
    return try result(with: EvaluationInputs(object: object, variables: bindings))
  }

  /// Whether the predicate is true with given inputs.
  ///
  /// Only the classes of this module and Foundation's compounds are evaluated here. An
  /// application's subclass evaluates itself.
  func result(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> Bool {
    let type = type(of: self)
    if type == NSComparisonPredicate.self, let comparison = self as? NSComparisonPredicate {
      return try comparison.holds(with: inputs)
    }
    if type == CompoundPredicate.self || type == NSCompoundPredicate.self,
      let compound = self as? NSCompoundPredicate
    {
      return try compound.holds(with: inputs)
    }
    return evaluate(with: inputs.object, substitutionVariables: inputs.variables)
  }
}

extension NSPredicate {
  /// Returns the result of an evaluation, and stops the program if the evaluation throws.
  ///
  /// An evaluation error is a programming error.
  func stopOnError(_ evaluation: () throws(PredicateEvaluationError) -> Bool) -> Bool {
    do {
      return try evaluation()
    } catch {
      preconditionFailure("\(formatText) cannot be evaluated: \(error)")
    }
  }
}

extension NSCompoundPredicate {
  /// Whether the compound is true.
  ///
  /// Evaluation stops at the first part that decides the result.
  func holds(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> Bool {
    switch compoundPredicateType {
    case .and:
      for part in subpredicates where try !part.result(with: inputs) { return false }
      return true
    case .or:
      for part in subpredicates where try part.result(with: inputs) { return true }
      return false
    case .not:
      return try !(subpredicates.first?.result(with: inputs) ?? true)
    }
  }
}
