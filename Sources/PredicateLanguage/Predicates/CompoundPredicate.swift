package import Foundation

/// The compound that the parser makes: Foundation's, with a format string, equality and copies that say what it holds.
///
/// Foundation's own compound prints `FALSEPREDICATE` and is equal to every other one on this platform. Predicates built
/// by an application with `NSCompoundPredicate(…)` still evaluate, and print inside ours.
package final class CompoundPredicate: NSCompoundPredicate {
  /// The template that made the compound.
  private(set) var ownTemplate: PredicateTemplate?

  convenience init(type: LogicalType, subpredicates: [NSPredicate], template: PredicateTemplate?) {
    self.init(type: type, subpredicates: subpredicates)
    ownTemplate = template
  }

  /// The format string of the compound.
  package override var predicateFormat: String { formatText }

  /// The format string.
  package override var description: String { formatText }

  /// A compound of the same parts.
  package override func copy() -> Any { copy(with: nil) }

  /// A compound of the same parts.
  package override func copy(with zone: NSZone? = nil) -> Any {
    CompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
  }

  package override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { isStructurallyEqual(to: $0) } ?? false
  }

  package override var hash: Int { structuralHash }

  package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
    orStop { () throws(PredicateEvaluationError) in
      try holds(in: Environment(object: object, variables: bindings))
    }
  }
}
