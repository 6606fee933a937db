package import Foundation
import TextMatching

/// Compares two values by a rule in ascending order; created once for many comparisons.
///
/// `nil` comes first. Numbers of all types are compared with each other, and NaN comes before other
/// numbers. A date is compared with a number by its seconds since 2001. Texts are compared by
/// scalars, data by bytes, URLs and UUIDs by their texts. Other values of different kinds have no
/// order.
package struct SortComparison {
  private let rule: SortRule
  private let collation: TextCollation?
  private let ordering = Ordering([])

  /// Creates the comparison for a rule.
  ///
  /// Only the localized rules use the locale.
  package init(_ rule: SortRule, locale: @autoclosure () -> Locale = .current) {
    self.rule = rule
    if case .text(let rule) = rule {
      collation = TextCollation(rule, locale: locale())
    } else {
      collation = nil
    }
  }

  /// The order of two values, ascending.
  package func compare(_ left: Any?, _ right: Any?) throws(PredicateEvaluationError)
    -> ComparisonResult
  {
    if case .comparator(let comparator) = rule {
      return comparator(left ?? NSNull(), right ?? NSNull())
    }
    switch (Value(left), Value(right)) {
    case (.null, .null): return .orderedSame
    case (.null, _): return .orderedAscending
    case (_, .null): return .orderedDescending
    case (let left, let right): return try compare(left, right)
    }
  }

  private func compare(_ left: Value, _ right: Value) throws(PredicateEvaluationError)
    -> ComparisonResult
  {
    switch rule {
    case .natural, .comparator: return try compareNaturally(left, right)
    case .text: return try compareTexts(left, right)
    case .method(let selector): return try call(NSStringFromSelector(selector), left, right)
    }
  }

  private func compareNaturally(_ left: Value, _ right: Value) throws(PredicateEvaluationError)
    -> ComparisonResult
  {
    switch (left, right) {
    case (.data(let left), .data(let right)): return left.span.compared(with: right.span)
    case (.number(let left), .number(let right)):
      return left.compare(right)
        ?? (left.isNaN ? (right.isNaN ? .orderedSame : .orderedAscending) : .orderedDescending)
    default:
      guard let result = try ordering.compare(left, right, by: "compare:") else {
        return .orderedSame
      }
      return result
    }
  }

  private func compareTexts(_ left: Value, _ right: Value) throws(PredicateEvaluationError)
    -> ComparisonResult
  {
    guard let collation, case .string(let leftText) = left.comparable,
      case .string(let rightText) = right.comparable
    else {
      throw .incomparable(left.any, "\(rule.selector.map(NSStringFromSelector) ?? "")", right.any)
    }
    return collation.compare(leftText, rightText)
  }

  private func call(
    _ name: String, _ left: Value, _ right: Value
  ) throws(PredicateEvaluationError) -> ComparisonResult {
    guard let performer = left.any as? any SelectorPerforming else {
      throw PredicateEvaluationError(
        .badFunctionCall,
        "A sort descriptor cannot call “\(name)” on \(PredicateEvaluationError.kind(left.any)). Use one of "
          + "NSString's comparisons, or make the type adopt SelectorPerforming.")
    }
    do {
      let result = try performer.perform(selectorNamed: name, with: [right.any])
      return (result as? ComparisonResult) ?? (result.flatMap(Number.init)?.sign ?? .orderedSame)
    } catch {
      throw PredicateEvaluationError(.badFunctionCall, "“\(name)” failed: \(error)")
    }
  }
}

extension Number {
  fileprivate var isNaN: Bool { compare(self) == nil }

  /// The order that a method returned as a number below, equal to, or above zero.
  fileprivate var sign: ComparisonResult? { compare(.integer(0)) }
}
