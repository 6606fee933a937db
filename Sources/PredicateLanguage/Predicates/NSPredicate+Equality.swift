package import Foundation

extension NSPredicate {
  /// Whether two predicates have the same form and equal values, whatever their classes.
  ///
  /// Foundation's own compounds all compare equal; this compares their parts. A compound of one
  /// part equals that part, and an empty compound equals the constant that it evaluates to.
  package func isStructurallyEqual(to other: NSPredicate) -> Bool {
    switch (simplifiedNode, other.simplifiedNode) {
    case (.constant(let left), .constant(let right)): left == right
    case (.comparison(let left), .comparison(let right)):
      left === right || left.hasEqualParts(to: right)
    case (.and(let left), .and(let right)), (.or(let left), .or(let right)):
      left.elementsEqual(right) { $0.isStructurallyEqual(to: $1) }
    case (.not(let left), .not(let right)): left.isStructurallyEqual(to: right)
    case (.opaque(let left), .opaque(let right)):
      left === right || (left !== right && left.isEqual(right))
    default: false
    }
  }

  /// A hash value of the form, without the values: equal values can have different types.
  package var structuralHash: Int {
    var hasher = Hasher()
    hashForm(into: &hasher)
    return hasher.finalize()
  }

  private func hashForm(into hasher: inout Hasher) {
    switch simplifiedNode {
    case .constant(let value): hasher.combine(value)
    case .comparison(let comparison):
      hasher.combine(comparison.predicateOperatorType)
      hasher.combine(comparison.leftExpression)
    case .and(let parts), .or(let parts):
      hasher.combine(parts.count)
      for part in parts { part.hashForm(into: &hasher) }
    case .not(let part): part.hashForm(into: &hasher)
    case .opaque(let predicate): hasher.combine(ObjectIdentifier(type(of: predicate)))
    }
  }

  /// The predicate's content, without redundant compounds.
  package var simplifiedNode: PredicateNode {
    switch node {
    case .and(let parts) where parts.isEmpty: .constant(true)
    case .or(let parts) where parts.isEmpty: .constant(false)
    case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1:
      parts[0].simplifiedNode
    default: node
    }
  }
}

extension NSComparisonPredicate {
  fileprivate func hasEqualParts(to other: NSComparisonPredicate) -> Bool {
    predicateOperatorType == other.predicateOperatorType && options == other.options
      && comparisonPredicateModifier == other.comparisonPredicateModifier
      && customSelectorName == other.customSelectorName
      && leftExpression.isStructurallyEqual(to: other.leftExpression)
      && rightExpression.isStructurallyEqual(to: other.rightExpression)
  }
}
