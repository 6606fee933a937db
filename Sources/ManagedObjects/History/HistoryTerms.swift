import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// Rewrites the predicate of a history fetch request with terms that every store supports.
///
/// A token becomes the transaction's number in each history, and an entity becomes its name.
struct HistoryTerms {
  let storeUUIDs: [String]
  /// Whether the request fetches changes, not transactions.
  ///
  /// The key path `transaction` leads from a change to its transaction.
  let readsChanges: Bool

  func apply(to predicate: NSPredicate) throws -> NSPredicate {
    try predicate.node.replacingComparisons { comparison in
      if let places = places(comparison) { return places }
      return try comparison.replacingExpressions { expression throws(PredicateEvaluationError) in
        names(in: expression).map { NSExpression(forConstantValue: $0) }
      }
    }
  }

  // MARK: Entities

  /// The name of a constant entity, or the names of several; nil for any other expression.
  private func names(in expression: NSExpression) -> Any? {
    switch HistoryConstant(expression) {
    case .one(let entity as NSEntityDescription): entity.name
    case .several(let values) where values.contains { $0 is NSEntityDescription }:
      values.map { ($0 as? NSEntityDescription)?.name ?? $0 ?? NSNull() }
    default: nil
    }
  }

  // MARK: Tokens

  /// A comparison of tokens as a comparison of transaction numbers; nil for any other comparison.
  private func places(_ comparison: PredicateLanguage.NSComparisonPredicate) -> NSPredicate? {
    let operation = comparison.predicateOperatorType
    if isToken(comparison.leftExpression) {
      switch HistoryConstant(comparison.rightExpression) {
      case .one(let token as NSPersistentHistoryToken): return places(operation, token)
      case .several(let values) where operation == .in:
        return any(
          values.compactMap { ($0 as? NSPersistentHistoryToken).flatMap { places(.equalTo, $0) } })
      default: return nil
      }
    }
    guard isToken(comparison.rightExpression), let mirrored = operation.mirrored,
      case .one(let token as NSPersistentHistoryToken) = HistoryConstant(comparison.leftExpression)
    else { return nil }
    return places(mirrored, token)
  }

  private func isToken(_ expression: NSExpression) -> Bool {
    guard case .keyPath(let path) = expression.node else { return false }
    return path.text == key("token")
  }

  private func key(_ name: String) -> String { readsChanges ? "transaction.\(name)" : name }

  private func places(
    _ operation: PredicateLanguage.NSComparisonPredicate.Operator, _ token: NSPersistentHistoryToken
  ) -> NSPredicate? {
    switch operation {
    case .notEqualTo:
      places(.equalTo, token).map(NSCompoundPredicate.init(notPredicateWithSubpredicate:))
    case .equalTo:
      any(storeUUIDs.compactMap { uuid in token.numbers[uuid].map { place(uuid, .equalTo, $0) } })
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      // All transactions of a store that the token does not contain come after it.
      any(storeUUIDs.map { place($0, operation, token.numbers[$0] ?? 0) })
    default: nil
    }
  }

  private func any(_ parts: [NSPredicate]) -> NSPredicate {
    parts.isEmpty
      ? NSPredicate(value: false) : NSCompoundPredicate(orPredicateWithSubpredicates: parts)
  }

  private func place(
    _ uuid: String, _ operation: PredicateLanguage.NSComparisonPredicate.Operator, _ number: Int64
  ) -> NSPredicate {
    NSCompoundPredicate(andPredicateWithSubpredicates: [
      comparison(key("storeID"), .equalTo, uuid),
      comparison(key("transactionNumber"), operation, NSNumber(value: number)),
    ])
  }

  private func comparison(
    _ path: String, _ operation: PredicateLanguage.NSComparisonPredicate.Operator, _ value: Any
  ) -> NSPredicate {
    PredicateLanguage.NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: path),
      rightExpression: NSExpression(forConstantValue: value),
      modifier: .direct, type: operation)
  }
}
