public import Foundation
import Synchronization

/// A predicate that combines others.
///
/// Programs that import CoreData use it as `NSCompoundPredicate`.
///
/// ```swift
/// let both = NSCompoundPredicate(andPredicateWithSubpredicates: [adult, named])
/// both.predicateFormat  // age >= 18 AND name == "Ada"
/// ```
///
/// It is a subclass of Foundation's class of that name, so it can be used wherever a compound is
/// expected. On this platform Foundation's own compound prints `FALSEPREDICATE` and equals every
/// other one. It still evaluates, and it prints correctly inside this class.
open class CompoundPredicate: NSCompoundPredicate {
  /// The template that created the compound.
  private(set) var ownTemplate: PredicateTemplate?
  /// Whether the compound was decoded, and not allowed to be evaluated yet.
  final let isRestricted = Atomic(false)

  convenience init(type: LogicalType, subpredicates: [NSPredicate], template: PredicateTemplate?) {
    self.init(type: type, subpredicates: subpredicates)
    ownTemplate = template
  }

  /// The format string of the compound.
  open override var predicateFormat: String { formatText }

  /// The format string.
  open override var description: String { formatText }

  /// Returns the compound itself, which is immutable.
  open override func copy() -> Any { copy(with: nil) }

  /// Returns the compound itself, which is immutable.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether the other compound combines equal predicates in the same way.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { isStructurallyEqual(to: $0) } ?? false
  }

  /// A hash value that equal predicates share.
  open override var hash: Int { structuralHash }

  /// Returns whether the compound is true for the object, with values for the variables.
  ///
  /// Errors stop the program, as in `NSComparisonPredicate`.
  /// `evaluated(with:substitutionVariables:)` throws instead.
  open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?)
    -> Bool
  {
    stopOnError { () throws(PredicateEvaluationError) in
      try requirePermission()
      return try holds(with: EvaluationInputs(object: object, variables: bindings))
    }
  }
}
