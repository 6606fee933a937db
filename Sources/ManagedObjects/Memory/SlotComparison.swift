import Foundation
import ObjectRows
import PredicateLanguage

/// A comparison of an attribute with a constant, on the bytes of the row.
///
/// It gives the same result as evaluating the predicate.
struct SlotComparison {
  typealias Operator = PredicateLanguage.NSComparisonPredicate.Operator

  private let ordinal: Int
  private let test: (RowLayout, RowSlot, RowReference) -> Bool

  func holds(for stored: StoredRow) -> Bool {
    test(stored.layout, stored.layout.slot(ordinal), stored.row)
  }

  /// Creates the comparison; nil if the predicate is not such a comparison.
  init?(_ predicate: NSPredicate, layout: RowLayout) {
    guard case .comparison(let comparison) = predicate.node,
      comparison.comparisonPredicateModifier == .direct,
      comparison.options == [], case .keyPath(let path) = comparison.leftExpression.node,
      path.components.count == 1,
      case .constant(let constant) = comparison.rightExpression.node,
      let ordinal = layout.ordinal(of: path.text),
      let test = Self.test(layout.slot(ordinal).kind, comparison.predicateOperatorType, constant)
    else { return nil }
    self.ordinal = ordinal
    self.test = test
  }

  private static func test(
    _ kind: SlotKind, _ operation: Operator, _ constant: Any?
  ) -> ((RowLayout, RowSlot, RowReference) -> Bool)? {
    let value = Value(constant)
    if case .null = value { return nullTest(kind, operation) }
    switch (kind, value) {
    case (.bool, .number(.integer(let number))):
      return ordered(operation, Int64(number)) { $1.load(from: $2, as: Bool.self) ? 1 : 0 }
    case (.int16, .number(.integer(let number))):
      return ordered(operation, Int64(number)) { Int64($1.load(from: $2, as: Int16.self)) }
    case (.int32, .number(.integer(let number))):
      return ordered(operation, Int64(number)) { Int64($1.load(from: $2, as: Int32.self)) }
    case (.int64, .number(.integer(let number))):
      return ordered(operation, Int64(number)) { $1.load(from: $2, as: Int64.self) }
    case (.double, .number(.double(let number))):
      return ordered(operation, number) { $1.load(from: $2, as: Double.self) }
    case (.date, .date(let date)):
      return ordered(operation, date.timeIntervalSinceReferenceDate) {
        $1.load(from: $2, as: Double.self)
      }
    case (.uuid, .uuid(let uuid)):
      return same(operation) { $1.load(from: $2, as: UUID.self) == uuid }
    case (.string, .string(let text)):
      return same(operation) { $1.text(in: $2)?.utf8.elementsEqual(text.utf8) ?? false }
    case (.toOne, .other(let row as RowIdentity)): return leads(operation, to: row)
    default: return nil
    }
  }

  private static func nullTest(
    _ kind: SlotKind, _ operation: Operator
  ) -> ((RowLayout, RowSlot, RowReference) -> Bool)? {
    // A to-one destination may have been deleted, which only the store's contents can tell.
    guard kind != .none, kind != .toOne, kind != .boxed else { return nil }
    switch operation {
    case .equalTo: return { $1.isNull(in: $2) }
    case .notEqualTo: return { !$1.isNull(in: $2) }
    default: return nil
    }
  }

  /// Returns a test for equality or inequality, in which a missing value equals no constant.
  private static func same(
    _ operation: Operator, _ isEqual: @escaping (RowLayout, RowSlot, RowReference) -> Bool
  ) -> ((RowLayout, RowSlot, RowReference) -> Bool)? {
    switch operation {
    case .equalTo: return { !$1.isNull(in: $2) && isEqual($0, $1, $2) }
    case .notEqualTo: return { $1.isNull(in: $2) || !isEqual($0, $1, $2) }
    default: return nil
    }
  }

  private static func ordered<Content: Comparable>(
    _ operation: Operator, _ constant: Content,
    _ load: @escaping (RowLayout, RowSlot, RowReference) -> Content
  ) -> ((RowLayout, RowSlot, RowReference) -> Bool)? {
    switch operation {
    case .lessThan: return { !$1.isNull(in: $2) && load($0, $1, $2) < constant }
    case .lessThanOrEqualTo: return { !$1.isNull(in: $2) && load($0, $1, $2) <= constant }
    case .greaterThan: return { !$1.isNull(in: $2) && load($0, $1, $2) > constant }
    case .greaterThanOrEqualTo: return { !$1.isNull(in: $2) && load($0, $1, $2) >= constant }
    default: return same(operation) { load($0, $1, $2) == constant }
    }
  }

  private static func leads(
    _ operation: Operator, to row: RowIdentity
  ) -> ((RowLayout, RowSlot, RowReference) -> Bool)? {
    guard operation == .equalTo, row.root >= 0 else { return nil }
    // Keys are unique among the possible destinations of a relationship, which all have one root.
    return { !$1.isNull(in: $2) && $1.load(from: $2, as: ToOneValue.self).key == row.key }
  }
}
