import PredicateLanguage

/// The predicate language's class of comparisons, which has the same name as Foundation's.
typealias ComparisonPredicate = PredicateLanguage.NSComparisonPredicate

/// A predicate without its values.
///
/// Constants keep only their kinds, so that all predicates of one shape are one condition and share
/// one SQL text.
enum Condition: Hashable, Sendable {
  case constant(Bool)
  indirect case comparison(Comparison)
  indirect case fullText(FullTextSearch)
  case and([Condition])
  case or([Condition])
  indirect case not(Condition)
}

/// A comparison of two operands.
struct Comparison: Hashable, Sendable {
  var left: Operand
  var operation: ComparisonPredicate.Operator
  var right: Operand
  var modifier = ComparisonPredicate.Modifier.direct
  var options: ComparisonPredicate.Options = []

  /// Hashes only the values that usually distinguish comparisons.
  func hash(into hasher: inout Hasher) {
    hasher.combine(operation.rawValue)
    hasher.combine(left)
  }
}

/// A search for words in attributes.
struct FullTextSearch: Hashable, Sendable {
  let texts: [Operand]
  let query: Constant
}

extension Condition {
  /// A conjunction, without parts that always hold.
  static func all(_ parts: [Condition]) -> Condition {
    if parts.contains(.constant(false)) { return .constant(false) }
    let parts = parts.filter { $0 != .constant(true) }
    if parts.isEmpty { return .constant(true) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  /// A disjunction, without parts that never hold.
  static func any(_ parts: [Condition]) -> Condition {
    if parts.contains(.constant(true)) { return .constant(true) }
    let parts = parts.filter { $0 != .constant(false) }
    if parts.isEmpty { return .constant(false) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  /// The negation.
  var negated: Condition {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let inner): inner
    default: .not(self)
    }
  }
}
