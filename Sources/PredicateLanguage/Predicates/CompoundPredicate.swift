public import Foundation

/// A predicate that joins others: `NSCompoundPredicate` in programs that import CoreData.
///
/// ```swift
/// let both = NSCompoundPredicate(andPredicateWithSubpredicates: [adult, named])
/// both.predicateFormat  // age >= 18 AND name == "Ada"
/// ```
///
/// It is a subclass of Foundation's class of that name, so every place that takes a compound takes
/// it. Foundation's own compound prints `FALSEPREDICATE` and is equal to every other one on this
/// platform. It still evaluates, and its text is right inside of this one.
open class CompoundPredicate: NSCompoundPredicate {
  /// The template that made the compound.
  private(set) var ownTemplate: PredicateTemplate?

  convenience init(type: LogicalType, subpredicates: [NSPredicate], template: PredicateTemplate?) {
    self.init(type: type, subpredicates: subpredicates)
    ownTemplate = template
  }

  /// The format string of the compound.
  open override var predicateFormat: String { formatText }

  /// The format string.
  open override var description: String { formatText }

  /// The compound itself, which cannot change.
  open override func copy() -> Any { copy(with: nil) }

  /// The compound itself, which cannot change.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other joins equal predicates in the same way.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { isStructurallyEqual(to: $0) } ?? false
  }

  /// A hash that equal predicates share.
  open override var hash: Int { structuralHash }

  /// Whether the compound holds for the object, with values for the variables.
  ///
  /// Errors stop the program, as in `NSComparisonPredicate`.
  /// `evaluated(with:substitutionVariables:)` throws instead.
  open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?)
    -> Bool
  {
    orStop { () throws(PredicateEvaluationError) in
      try holds(in: Environment(object: object, variables: bindings))
    }
  }
}
