import Foundation

extension PredicateExpressions.Equal: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .predicate(try translator.equality(lhs, rhs))
  }
}

extension PredicateExpressions.NotEqual: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let equality = try translator.equality(lhs, rhs)
    guard case .comparison(let comparison) = equality.node,
      comparison.predicateOperatorType == .equalTo
    else {
      return .predicate(equality.negated)
    }
    return .predicate(
      .comparing(
        comparison.leftExpression, .notEqualTo, comparison.rightExpression, comparison.options))
  }
}

extension PredicateExpressions.Comparison: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let (left, right) = (try translator.expression(lhs), try translator.expression(rhs))
    return .predicate(.comparing(left, try operation, right))
  }

  private var operation: NSComparisonPredicate.Operator {
    get throws {
      switch op {
      case .lessThan: .lessThan
      case .lessThanOrEqual: .lessThanOrEqualTo
      case .greaterThan: .greaterThan
      case .greaterThanOrEqual: .greaterThanOrEqualTo
      @unknown default:
        throw PredicateTranslationError.unsupported(Self.self, "the operator \(op) is not known.")
      }
    }
  }
}

extension PredicateTranslator {
  /// The predicate that two nodes have the same value.
  fileprivate mutating func equality(
    _ left: some PredicateExpression, _ right: some PredicateExpression
  ) throws -> NSPredicate {
    switch (try translate(left), try translate(right)) {
    case (let translated, .constant(let value)), (.constant(let value), let translated):
      return try equality(translated, value, of: type(of: left))
    case (let one, let other):
      return .comparing(
        try expression(one, of: type(of: left)), .equalTo,
        try expression(other, of: type(of: right)))
    }
  }

  /// The predicate that an operand equals a constant, in the form that a store translates best.
  private func equality(_ translated: Translated, _ value: Any?, of type: Any.Type) throws
    -> NSPredicate
  {
    switch (translated, value) {
    case (.predicate(let predicate), let wanted as Bool):
      return wanted ? predicate : predicate.negated
    case (.predicate, nil): return NSPredicate(value: false)
    case (.optionalPredicate(let predicate, let presence), let wanted as Bool):
      return .all([presence, wanted ? predicate : predicate.negated])
    case (.optionalPredicate(_, let presence), nil): return presence.negated
    case (.order(let left, let right, let options), let wanted as ComparisonResult):
      return .comparing(left, wanted.operation, right, options)
    default:
      return .comparing(
        try expression(translated, of: type), .equalTo, NSExpression(forConstantValue: value))
    }
  }
}

extension ComparisonResult {
  /// The comparison operator that is true for two values in this order.
  fileprivate var operation: NSComparisonPredicate.Operator {
    switch self {
    case .orderedAscending: .lessThan
    case .orderedSame: .equalTo
    case .orderedDescending: .greaterThan
    }
  }
}
