import ObjectRows
import PredicateLanguage

extension QueryWriter {
  /// The parts of a conjunction.
  func conjunction(_ condition: Condition, _ context: RowContext) throws(TranslationError)
    -> [SQLText]
  {
    switch condition {
    case .constant(true): return []
    case .and(let parts) where parts.count <= Limits.chainedConditions:
      return try texts(parts, context)
    default: return [try text(condition, context)]
    }
  }

  /// A condition as one expression.
  func text(_ condition: Condition, _ context: RowContext) throws(TranslationError) -> SQLText {
    switch condition {
    case .constant(let value): return value ? "1" : "0"
    case .and(let parts): return try texts(parts, context).connected(by: "AND")
    case .or(let parts): return try texts(parts, context.optional).connected(by: "OR")
    case .not(let part): return try negation(part, context.negated)
    case .comparison(let comparison): return try text(comparison, context)
    case .fullText(let search): return try FullTextSearches(writer: self).text(search, context)
    }
  }

  private func texts(_ conditions: [Condition], _ context: RowContext) throws(TranslationError)
    -> [SQLText]
  {
    var texts: [SQLText] = []
    for condition in conditions { texts.append(try text(condition, context)) }
    return texts
  }

  private func negation(_ condition: Condition, _ context: RowContext) throws(TranslationError)
    -> SQLText
  {
    let text = try text(condition, context)
    switch condition {
    case .and, .or: return "NOT \(text)"
    default: return "NOT (\(text))"
    }
  }

  private func text(_ comparison: Comparison, _ context: RowContext) throws(TranslationError)
    -> SQLText
  {
    let context = comparison.mayHoldForNothing ? context.optional : context
    let left = try side(comparison.left, context)
    if let test = comparison.existence(of: left) { return test }
    guard comparison.modifier != .direct, case .collection(let collection) = left else {
      let right = try side(comparison.right, context)
      return try text(left, comparison.operation, right, comparison.options, context)
    }
    return try quantified(collection, comparison, context)
  }

  /// The SQL of a comparison with ANY or ALL.
  ///
  /// With ANY, the comparison holds for some element; with ALL, no element violates it.
  private func quantified(
    _ collection: Collection, _ comparison: Comparison, _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    let right = try side(comparison.right, context.optional)
    if comparison.modifier == .any, comparison.operation == (right.list == nil ? .equalTo : .in),
      let owners = try ownership(of: right, in: collection, context)
    {
      return owners
    }
    var (rows, inner) = try rows(of: collection, context)
    let isAll = comparison.modifier == .all
    let place = isAll ? inner.negated : comparison.mayHoldForNothing ? inner.optional : inner
    let element = Side.value(try elementValue(of: collection, rows, place))
    let holds = try text(element, comparison.operation, right, comparison.options, place)
    rows.conditions.append(isAll ? "(\(holds)) IS NOT TRUE" : holds)
    return isAll ? "NOT \(rows.existence)" : rows.existence
  }
}

extension Comparison {
  /// A test for any element, which replaces the comparison of a count with 0 or 1.
  fileprivate func existence(of side: Side) -> SQLText? {
    guard case .value(let value) = side, let existence = value.existence,
      case .literal(let number) = right
    else { return nil }
    switch (operation, number) {
    case (.greaterThan, 0), (.notEqualTo, 0), (.greaterThanOrEqualTo, 1): return existence
    case (.equalTo, 0), (.lessThanOrEqualTo, 0), (.lessThan, 1): return "NOT \(existence)"
    default: return nil
    }
  }

  /// Whether the condition may hold for a row without a destination, so that the path needs an
  /// outer join.
  fileprivate var mayHoldForNothing: Bool {
    if modifier == .all { return true }
    switch operation {
    case .equalTo: return left.isNullConstant || right.isNullConstant || !options.isEmpty
    case .notEqualTo: return !options.isEmpty
    case .in: return right.mayHoldNothing
    case .contains: return left.mayHoldNothing
    default: return false
    }
  }
}

extension Operand {
  fileprivate var isNullConstant: Bool { constant?.kind == .null }

  /// Whether the operand is a collection that may have a null among its elements.
  fileprivate var mayHoldNothing: Bool {
    switch self {
    case .list: return true
    case .constant(let constant):
      if case .list(let shape) = constant.kind { return shape.hasNull }
      return false
    default: return false
    }
  }
}
