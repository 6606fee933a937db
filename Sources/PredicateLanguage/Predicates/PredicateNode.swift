package import Foundation

/// The content of a predicate of any class.
///
/// Code that handles all kinds of predicates switches over it instead of testing classes.
package enum PredicateNode {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  case comparison(NSComparisonPredicate)
  case and([NSPredicate])
  case or([NSPredicate])
  case not(NSPredicate)
  /// A closure, or an instance of an application's own subclass: only the predicate itself can
  /// evaluate it.
  case opaque(NSPredicate)
}

extension PredicateNode {
  /// The predicate with its comparisons replaced; opaque predicates remain unchanged.
  package func replacingComparisons<Failure>(
    _ replace: (NSComparisonPredicate) throws(Failure) -> NSPredicate
  ) throws(Failure) -> NSPredicate {
    switch self {
    case .constant(let value): return NSPredicate(value: value)
    case .opaque(let predicate): return predicate
    case .and(let parts):
      return CompoundPredicate(type: .and, subpredicates: try Self.replacing(parts, replace))
    case .or(let parts):
      return CompoundPredicate(type: .or, subpredicates: try Self.replacing(parts, replace))
    case .not(let part):
      return CompoundPredicate(type: .not, subpredicates: try Self.replacing([part], replace))
    case .comparison(let comparison): return try replace(comparison)
    }
  }

  private static func replacing<Failure>(
    _ parts: [NSPredicate], _ replace: (NSComparisonPredicate) throws(Failure) -> NSPredicate
  ) throws(Failure) -> [NSPredicate] {
    try parts.map { part throws(Failure) in try part.node.replacingComparisons(replace) }
  }
}

extension NSPredicate {
  /// The predicate's content.
  package var node: PredicateNode {
    if let comparison = self as? NSComparisonPredicate { return .comparison(comparison) }
    if let compound = self as? NSCompoundPredicate { return compound.compoundNode }
    return foundationConstant.map(PredicateNode.constant) ?? .opaque(self)
  }

  /// The value of a predicate that `NSPredicate(value:)` created.
  ///
  /// Foundation does not expose the value, but `isEqual(_:)` compares it. So a predicate of
  /// Foundation's own class is constant if it equals a constant predicate.
  private var foundationConstant: Bool? {
    guard type(of: self) == NSPredicate.self else { return nil }
    if NSPredicate(value: true).isEqual(self) { return true }
    return NSPredicate(value: false).isEqual(self) ? false : nil
  }
}

extension NSCompoundPredicate {
  fileprivate var compoundNode: PredicateNode {
    switch compoundPredicateType {
    case .and: .and(subpredicates)
    case .or: .or(subpredicates)
    case .not: subpredicates.first.map(PredicateNode.not) ?? .constant(false)
    }
  }
}
