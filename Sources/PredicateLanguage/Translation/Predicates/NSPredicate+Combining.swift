import Foundation

/// The building blocks of translated predicates; constants are simplified.
extension NSPredicate {
  /// A comparison of two expressions.
  static func comparing(
    _ left: NSExpression, _ operation: NSComparisonPredicate.Operator, _ right: NSExpression,
    _ options: NSComparisonPredicate.Options = []
  ) -> NSPredicate {
    NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: .direct, type: operation,
      options: options)
  }

  /// The predicate that the expression is not `nil`.
  static func isPresent(_ expression: NSExpression) -> NSPredicate {
    comparing(expression, .notEqualTo, NSExpression(forConstantValue: nil))
  }

  /// The conjunction of all parts.
  static func all(_ parts: [NSPredicate]) -> NSPredicate { joined(parts, .and, neutral: true) }

  /// The disjunction of all parts.
  static func any(_ parts: [NSPredicate]) -> NSPredicate { joined(parts, .or, neutral: false) }

  /// The negation of the predicate.
  var negated: NSPredicate {
    switch node {
    case .constant(let value): NSPredicate(value: !value)
    case .not(let inner): inner
    default: CompoundPredicate(type: .not, subpredicates: [self])
    }
  }

  private static func joined(
    _ parts: [NSPredicate], _ type: NSCompoundPredicate.LogicalType, neutral: Bool
  ) -> NSPredicate {
    var flat: [NSPredicate] = []
    for part in parts {
      switch part.node {
      case .constant(neutral): continue
      case .constant: return part
      case .and(let inner) where type == .and: flat += inner
      case .or(let inner) where type == .or: flat += inner
      default: flat.append(part)
      }
    }
    guard let only = flat.first else { return NSPredicate(value: neutral) }
    return flat.count == 1 ? only : CompoundPredicate(type: type, subpredicates: flat)
  }
}
