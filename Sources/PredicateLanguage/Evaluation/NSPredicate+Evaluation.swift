public import Foundation

extension NSPredicate {
  /// Whether the predicate holds for the object; an error where Apple's platforms raise an
  /// exception.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateEvaluationError``. Predicates of closures and of other classes never
  ///   throw.
  public func evaluated(with object: Any?, substitutionVariables bindings: [String: Any]? = nil)
    throws -> Bool
  {
    try result(in: Environment(object: object, variables: bindings))
  }

  /// Whether the predicate holds in an environment.
  ///
  /// Only the classes of this module and Foundation's compound are looked into; an application's
  /// subclass decides itself.
  func result(in environment: Environment) throws(PredicateEvaluationError) -> Bool {
    let type = type(of: self)
    if type == NSComparisonPredicate.self, let comparison = self as? NSComparisonPredicate {
      return try comparison.holds(in: environment)
    }
    if type == CompoundPredicate.self || type == NSCompoundPredicate.self,
      let compound = self as? NSCompoundPredicate
    {
      return try compound.holds(in: environment)
    }
    return evaluate(with: environment.object, substitutionVariables: environment.variables)
  }
}

extension NSPredicate {
  /// The result of an evaluation whose errors are the programmer's; they stop the program.
  func orStop(_ evaluation: () throws(PredicateEvaluationError) -> Bool) -> Bool {
    do {
      return try evaluation()
    } catch {
      preconditionFailure("\(formatText) cannot be evaluated: \(error)")
    }
  }
}

extension NSCompoundPredicate {
  /// Whether the parts hold as the compound joins them.
  ///
  /// Parts that do not matter any more are not evaluated.
  func holds(in environment: Environment) throws(PredicateEvaluationError) -> Bool {
    switch compoundPredicateType {
    case .and:
      for part in subpredicates where try !part.result(in: environment) { return false }
      return true
    case .or:
      for part in subpredicates where try part.result(in: environment) { return true }
      return false
    case .not:
      return try !(subpredicates.first?.result(in: environment) ?? true)
    }
  }
}
