import Foundation
import PredicateLanguage
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression
private typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate

/// The value of a predicate for an object in a store: true, false or unknown.
///
/// It differs from evaluation in memory for missing values. In memory `nil != 5` holds, but in SQL
/// it is unknown, and so is its negation. SQL gives unknown for `==`, `!=`, `<` and the like,
/// BETWEEN and IN with a missing value. It gives false for text searches, and a value for `== nil`,
/// `!= nil` and tests for elements.
struct SQLTruthValue {
  let object: LibraryObject

  func truth(of predicate: NSPredicate) throws -> Bool? {
    switch predicate.node {
    case .constant(let value): return value
    case .and(let parts):
      let truths = try parts.map(truth)
      return truths.contains(false) ? false : truths.contains(nil) ? nil : true
    case .or(let parts):
      let truths = try parts.map(truth)
      return truths.contains(true) ? true : truths.contains(nil) ? nil : false
    case .not(let part): return try truth(of: part).map { !$0 }
    case .comparison(let comparison): return try truth(of: comparison)
    case .opaque: return try #require(nil, "an opaque predicate")
    }
  }

  private func truth(of comparison: NSComparisonPredicate) throws -> Bool? {
    if comparison.comparisonPredicateModifier != .direct { return try quantified(comparison) }
    let left = try value(of: comparison.leftExpression)
    let right = try value(of: comparison.rightExpression)
    let isUnknown = unknown(comparison, left, right)
    if isUnknown { return nil }
    if comparison.predicateOperatorType == .notEqualTo, left == nil,
      !comparison.rightExpression.isNull
    {
      return false
    }
    return try NSComparisonPredicate(
      leftExpression: NSExpression(forConstantValue: left),
      rightExpression: NSExpression(forConstantValue: right),
      modifier: .direct, type: comparison.predicateOperatorType, options: comparison.options
    ).evaluated(with: object)
  }

  private func unknown(_ comparison: NSComparisonPredicate, _ left: Any?, _ right: Any?) -> Bool {
    guard left == nil || right == nil else { return false }
    if comparison.leftExpression.isNull || comparison.rightExpression.isNull { return false }
    let foldsText = !comparison.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    switch comparison.predicateOperatorType {
    case .equalTo, .notEqualTo: return !foldsText
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: return true
    case .in:
      guard let list = right as? [Any], !(list.first is LibraryObject) else {
        return left == nil && right is [Any]
      }
      return !list.isEmpty && !list.contains { $0 is NSNull }
    default: return false
    }
  }

  /// The value of ANY and ALL, element by element.
  private func quantified(_ comparison: NSComparisonPredicate) throws -> Bool {
    let elements = try value(of: comparison.leftExpression) as? [Any] ?? []
    let truths = try elements.map { element in
      try truth(
        of: NSComparisonPredicate(
          leftExpression: NSExpression(
            forConstantValue: element is NSNull ? nil : optional(element)),
          rightExpression: comparison.rightExpression, modifier: .direct,
          type: comparison.predicateOperatorType,
          options: comparison.options))
    }
    return comparison.comparisonPredicateModifier == .any
      ? truths.contains(true) : truths.allSatisfy { $0 == true }
  }

  /// The value of an expression.
  ///
  /// A subquery has the elements for which the predicate is true in the store.
  private func value(of expression: NSExpression) throws -> Any? {
    switch expression.node {
    case .subquery: return try elements(of: expression)
    default:
      if let (operand, path) = expression.node.keyPathOfOperand, case .subquery = operand.node {
        return try NSExpression(forKeyPath: path.text).evaluated(with: elements(of: operand))
      }
      return try expression.evaluated(with: object)
    }
  }

  private func elements(of expression: NSExpression) throws -> [Any] {
    guard case .subquery(let collection, let variable, let predicate) = expression.node else {
      return []
    }
    let elements = try value(of: collection) as? [Any] ?? []
    return try elements.filter { try truth(of: predicate.substituting([variable: $0])) == true }
  }
}

/// The value, as an optional.
private func optional(_ value: Any) -> Any? { value }

extension PredicateLanguage.NSExpression {
  fileprivate var isNull: Bool {
    if case .constant(nil) = node { return true }
    return false
  }
}
