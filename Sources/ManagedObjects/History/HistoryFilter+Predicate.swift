import Foundation
import ObjectRows
import PredicateLanguage

/// Converts the predicate of a history fetch request to a filter that stores can evaluate.
///
/// Parts without an equivalent are left out, so a store may return more than the predicate matches,
/// but never misses a match. The predicate itself is applied to the store's results.
struct HistoryFilterReader {
  /// The UUID of the queried store.
  let storeUUID: String
  /// Whether the request fetches changes, not transactions.
  ///
  /// The key path `transaction` leads from a change to its transaction.
  let readsChanges: Bool
  /// Whether the filter covers the whole predicate.
  private(set) var isExact = true

  init(storeUUID: String, readsChanges: Bool) {
    self.storeUUID = storeUUID
    self.readsChanges = readsChanges
  }

  /// The filter, or nil if a store cannot evaluate any part of the predicate.
  mutating func filter(_ predicate: NSPredicate) -> HistoryFilter? {
    switch predicate.node {
    case .constant(let value): return .constant(value)
    case .comparison(let comparison): return noting(filter(comparison))
    case .and(let parts):
      let filters = parts.compactMap { filter($0) }
      return filters.isEmpty ? nil : .all(filters)
    case .or(let parts):
      let filters = parts.map { filter($0) }
      let known = filters.compactMap(\.self)
      return noting(known.count == filters.count ? .any(known) : nil)
    case .not(let part):
      // Negating a filter that matches too much would match too little.
      var inner = HistoryFilterReader(storeUUID: storeUUID, readsChanges: readsChanges)
      guard let filter = inner.filter(part), inner.isExact else { return noting(nil) }
      return .not(filter)
    case .opaque: return noting(nil)
    }
  }

  private mutating func noting(_ filter: HistoryFilter?) -> HistoryFilter? {
    if filter == nil { isExact = false }
    return filter
  }

  // MARK: Comparisons

  private mutating func filter(_ comparison: PredicateLanguage.NSComparisonPredicate)
    -> HistoryFilter?
  {
    guard comparison.comparisonPredicateModifier == .direct, comparison.options.isEmpty else {
      return nil
    }
    let operation = comparison.predicateOperatorType
    if let path = path(comparison.leftExpression),
      let value = HistoryConstant(comparison.rightExpression)
    {
      return filter(path, operation, value)
    }
    if let path = path(comparison.rightExpression),
      let value = HistoryConstant(comparison.leftExpression),
      let mirrored = operation.mirrored
    {
      return filter(path, mirrored, value)
    }
    return nil
  }

  /// The attribute of the change or transaction that a key path names.
  private func path(_ expression: PredicateLanguage.NSExpression) -> String? {
    guard case .keyPath(let path) = expression.node else { return nil }
    let isOfTransaction = path.components.first == "transaction" && path.components.count == 2
    guard readsChanges else { return path.components.count == 1 ? path.text : nil }
    return isOfTransaction || path.components.count == 1 ? path.text : nil
  }

  private mutating func filter(
    _ path: String, _ operation: PredicateLanguage.NSComparisonPredicate.Operator,
    _ value: HistoryConstant
  ) -> HistoryFilter? {
    let name = readsChanges ? path : "transaction.\(path)"
    switch name {
    case "transaction.author": return text(.author, operation, value)
    case "transaction.contextName": return text(.contextName, operation, value)
    // A missing value reads as an empty string.
    case "transaction.bundleID" where !value.hasEmptyText: return text(.bundleID, operation, value)
    case "transaction.processID" where !value.hasEmptyText:
      return text(.processID, operation, value)
    case "transaction.timestamp": return date(operation, value)
    case "transaction.transactionNumber": return number(.transaction, operation, value)
    case "transaction.storeID": return store(operation, value)
    case "changeID": return number(.change, operation, value)
    case "changeType": return number(.kind, operation, value)
    case "changedEntity": return entity(operation, value)
    case "changedObjectID": return object(operation, value)
    default: return nil
    }
  }

  private func text(
    _ text: HistoryFilter.Text, _ operation: PredicateLanguage.NSComparisonPredicate.Operator,
    _ value: HistoryConstant
  ) -> HistoryFilter? {
    switch (operation, value) {
    case (.equalTo, .one(let one)): asText(one).map { .text(text, [$0]) }
    case (.notEqualTo, .one(let one)): asText(one).map { .not(.text(text, [$0])) }
    case (.in, .several(let several)): texts(several).map { .text(text, $0) }
    default: nil
    }
  }

  /// The value as an optional string; nothing if it is neither a string nor nil.
  private func asText(_ value: Any?) -> String?? {
    guard let value else { return .some(nil) }
    return asString(value).map { .some($0) }
  }

  private func texts(_ values: [Any?]) -> [String?]? {
    var texts: [String?] = []
    for value in values {
      guard let text = asText(value), text != nil else { return nil }
      texts.append(text)
    }
    return texts
  }

  private func number(
    _ number: HistoryFilter.Number, _ operation: PredicateLanguage.NSComparisonPredicate.Operator,
    _ value: HistoryConstant
  ) -> HistoryFilter? {
    switch (operation, value) {
    case (.in, .several(let several)):
      let numbers = several.compactMap { wholeNumber($0) }
      return numbers.count == several.count
        ? .any(numbers.map { .number(number, .equal, $0) }) : nil
    case (.between, .several(let bounds)) where bounds.count == 2:
      guard let lower = wholeNumber(bounds[0]), let upper = wholeNumber(bounds[1]) else {
        return nil
      }
      return .all([.number(number, .greaterOrEqual, lower), .number(number, .lessOrEqual, upper)])
    case (_, .one(let one)):
      guard let comparison = operation.comparison, let value = wholeNumber(one) else { return nil }
      return .number(number, comparison, value)
    default: return nil
    }
  }

  private func wholeNumber(_ value: Any?) -> Int64? {
    guard let value, let number = Number(value), number.isInteger else { return nil }
    return number.integer.flatMap { Int64(exactly: $0) }
  }

  private func date(
    _ operation: PredicateLanguage.NSComparisonPredicate.Operator, _ value: HistoryConstant
  ) -> HistoryFilter? {
    switch value {
    case .one(let value):
      guard let comparison = operation.comparison, let date = value as? Date else { return nil }
      return .date(comparison, date)
    case .several(let bounds):
      guard operation == .between, bounds.count == 2, let lower = bounds[0] as? Date,
        let upper = bounds[1] as? Date
      else { return nil }
      return .all([.date(.greaterOrEqual, lower), .date(.lessOrEqual, upper)])
    }
  }

  private func store(
    _ operation: PredicateLanguage.NSComparisonPredicate.Operator, _ value: HistoryConstant
  ) -> HistoryFilter? {
    guard case .one(let value?) = value, let uuid = asString(value) else { return nil }
    switch operation {
    case .equalTo: return .constant(uuid == storeUUID)
    case .notEqualTo: return .constant(uuid != storeUUID)
    default: return nil
    }
  }

  private func entity(
    _ operation: PredicateLanguage.NSComparisonPredicate.Operator, _ value: HistoryConstant
  ) -> HistoryFilter? {
    switch (operation, value) {
    case (.equalTo, .one(let one?)): asString(one).map { .entity([$0]) }
    case (.notEqualTo, .one(let one?)): asString(one).map { .not(.entity([$0])) }
    case (.in, .several(let several)): texts(several).map { .entity($0.compactMap(\.self)) }
    default: nil
    }
  }

  private mutating func object(
    _ operation: PredicateLanguage.NSComparisonPredicate.Operator, _ value: HistoryConstant
  ) -> HistoryFilter? {
    let identifiers: [NSManagedObjectID]
    switch (operation, value) {
    case (.equalTo, .one(let one as NSManagedObjectID)): identifiers = [one]
    case (.in, .several(let several)):
      identifiers = several.compactMap { $0 as? NSManagedObjectID }
      guard identifiers.count == several.count else { return nil }
    default: return nil
    }
    // Keys alone do not identify the store.
    isExact = false
    return .any(
      identifiers.filter { !$0.isTemporaryID }.map {
        .object(RowKey(key: $0.key, layoutIndex: Int32($0.layout.index)))
      }
    )
  }
}

/// A constant of a predicate.
enum HistoryConstant {
  case one(Any?)
  case several([Any?])

  init?(_ expression: PredicateLanguage.NSExpression) {
    switch expression.node {
    case .constant(let value?):
      if case .collection(let elements) = PredicateLanguage.Value(value) {
        self = .several(elements.values)
      } else {
        self = .one(value)
      }
    case .constant(nil): self = .one(nil)
    case .aggregate(let elements):
      var values: [Any?] = []
      for element in elements {
        guard case .constant(let value) = element.node else { return nil }
        values.append(value)
      }
      self = .several(values)
    default: return nil
    }
  }

  var hasEmptyText: Bool {
    switch self {
    case .one(let value): value == nil || value.flatMap(asString) == ""
    case .several(let values): values.contains { $0 == nil || $0.flatMap(asString) == "" }
    }
  }
}

extension PredicateLanguage.NSComparisonPredicate.Operator {
  fileprivate var comparison: HistoryFilter.Comparison? {
    switch self {
    case .lessThan: .less
    case .lessThanOrEqualTo: .lessOrEqual
    case .equalTo: .equal
    case .notEqualTo: .notEqual
    case .greaterThanOrEqualTo: .greaterOrEqual
    case .greaterThan: .greater
    default: nil
    }
  }

  /// The operator with its sides swapped.
  var mirrored: Self? {
    switch self {
    case .equalTo, .notEqualTo: self
    case .lessThan: .greaterThan
    case .lessThanOrEqualTo: .greaterThanOrEqualTo
    case .greaterThan: .lessThan
    case .greaterThanOrEqualTo: .lessThanOrEqualTo
    default: nil
    }
  }
}
