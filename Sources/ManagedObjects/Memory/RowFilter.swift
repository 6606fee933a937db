import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The predicate of a fetch, split into candidate rows, slot comparisons, and the rest.
struct RowFilter {
  /// The keys of the only rows that can match, in ascending order; nil for all rows.
  private(set) var keys: [Int64]?
  private var comparisons: [SlotComparison] = []
  private var rest: [NSPredicate] = []
  private let object: (StoredRow) -> Any

  /// Prepares a predicate for rows.
  ///
  /// - Parameter predicate: A predicate with row identities in place of constant objects.
  init(_ predicate: NSPredicate, for query: MemoryQuery) throws(StoreError) {
    let contents = query.contents
    if let object = query.fetch.object, predicate.hasOpaqueParts {
      self.object = { object($0.row, $0.page) }
    } else {
      object = { RowView($0, in: contents) }
    }
    for part in predicate.conjuncts { add(part, layout: query.fetch.layout) }
  }

  func matches(_ stored: StoredRow) throws -> Bool {
    for comparison in comparisons where !comparison.holds(for: stored) { return false }
    guard !rest.isEmpty else { return true }
    let object = object(stored)
    for predicate in rest where try !predicate.evaluated(with: object) { return false }
    return true
  }

  private mutating func add(_ part: NSPredicate, layout: RowLayout) {
    if let named = part.namedRows {
      let wanted = Set(named.filter { $0.root == layout.rootIndex }.map(\.key))
      keys = (keys.map { wanted.intersection($0) } ?? wanted).sorted()
    } else if let comparison = SlotComparison(part, layout: layout) {
      comparisons.append(comparison)
    } else {
      rest.append(part)
    }
  }
}

extension NSPredicate {
  /// The predicates whose conjunction is this one.
  fileprivate var conjuncts: [NSPredicate] {
    switch node {
    case .and(let parts): parts.flatMap(\.conjuncts)
    case .constant(true): []
    default: [self]
    }
  }

  /// The rows that the predicate lists, if it only requires that `SELF` is one of them.
  fileprivate var namedRows: [RowIdentity]? {
    guard case .comparison(let comparison) = node,
      comparison.comparisonPredicateModifier == .direct,
      comparison.leftExpression.isEvaluatedObject,
      case .constant(let value?) = comparison.rightExpression.node
    else { return nil }
    switch (comparison.predicateOperatorType, value) {
    case (.equalTo, let row as RowIdentity): return [row]
    case (.in, let rows as [Any]):
      return rows.allSatisfy { $0 is RowIdentity } ? rows.compactMap { $0 as? RowIdentity } : nil
    default: return nil
    }
  }
}

extension PredicateLanguage.NSExpression {
  fileprivate var isEvaluatedObject: Bool {
    switch node {
    case .evaluatedObject: true
    case .keyPath(let path): path.text == "self" || path.text == "objectID"
    default: false
    }
  }
}
