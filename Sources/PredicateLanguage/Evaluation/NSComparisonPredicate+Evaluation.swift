import Foundation
import Synchronization
import TextMatching

extension NSComparisonPredicate {
  /// Whether the comparison is true with given inputs.
  ///
  /// It checks its own permission, because it may be the decoded part of a predicate that was not
  /// decoded.
  func holds(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> Bool {
    if isRestricted.load(ordering: .relaxed) { throw EvaluationPermission.error(formatText) }
    let left = try leftExpression.value(with: inputs)
    switch comparisonPredicateModifier {
    case .direct:
      return try compare(Value(left), with: inputs)
    case .any:
      for element in try quantified(left) where try compare(Value(element), with: inputs) {
        return true
      }
      return false
    case .all:
      for element in try quantified(left) where try !compare(Value(element), with: inputs) {
        return false
      }
      return true
    }
  }

  /// The elements that ANY and ALL test.
  ///
  /// `nil` is an empty collection.
  private func quantified(_ left: Any?) throws(PredicateEvaluationError) -> [Any?] {
    guard let left else { return [] }
    guard let elements = Elements(left) else {
      throw PredicateEvaluationError(
        .notACollection,
        "ANY and ALL need a collection on the left; \(leftExpression.formatText) is a value of type \(type(of: left))."
      )
    }
    return elements.values
  }

  private func compare(_ left: Value, with inputs: EvaluationInputs)
    throws(PredicateEvaluationError) -> Bool
  {
    if predicateOperatorType == .in, let list = constantList {
      return list.contains(left.comparable) || left.dateCounterpart.map(list.contains) ?? false
    }
    let right = Value(try rightExpression.value(with: inputs))
    switch predicateOperatorType {
    case .equalTo: return try areEqual(left, right)
    case .notEqualTo: return try !areEqual(left, right)
    case .lessThan: return try order(left, right) == .orderedAscending
    case .greaterThan: return try order(left, right) == .orderedDescending
    case .lessThanOrEqualTo: return try order(left, right).map { $0 != .orderedDescending } ?? false
    case .greaterThanOrEqualTo:
      return try order(left, right).map { $0 != .orderedAscending } ?? false
    case .beginsWith: return try matches(left, right, .beginsWith)
    case .endsWith: return try matches(left, right, .endsWith)
    case .like: return try matches(left, right, .like)
    case .matches: return try matches(left, right, .matches)
    case .contains: return try contains(left, right)
    case .in: return try contains(right, left)
    case .between: return try isBetween(left, right)
    case .customSelector: return try call(left, right)
    }
  }

  var operatorName: String { FormatPrinter.name(of: self) }
}

// MARK: - Equality and order

extension NSComparisonPredicate {
  private var textOptions: TextOptions { TextOptions(rawValue: options.rawValue) }

  private func areEqual(_ left: Value, _ right: Value) throws(PredicateEvaluationError) -> Bool {
    let (left, right) = (left.comparable, right.comparable)
    guard options.foldsText, case .string(let left) = left, case .string(let right) = right else {
      return left.isEqual(to: right) || isEqualAsDate(left, right)
    }
    return try preparation.pattern(.equal, right, textOptions).matches(left)
  }

  /// Whether a date equals a number of seconds, as it does in a store.
  private func isEqualAsDate(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.date(let date), .number(let seconds)), (.number(let seconds), .date(let date)):
      date.timeIntervalSinceReferenceDate == seconds.double
    default: false
    }
  }

  private func order(_ left: Value, _ right: Value) throws(PredicateEvaluationError)
    -> ComparisonResult?
  {
    try Ordering(options).compare(left, right, by: operatorName)
  }

  private func isBetween(_ value: Value, _ bounds: Value) throws(PredicateEvaluationError) -> Bool {
    if case .null = bounds { return false }
    if case .other(let range) = bounds, let range = range as? any ValueRange {
      return range.contains(value)
    }
    guard case .collection(let bounds) = bounds, bounds.values.count == 2 else {
      throw .incomparable(value.any, "BETWEEN, which needs two bounds,", bounds.any)
    }
    let lower = try order(value, Value(bounds.values[0]))
    let upper = try order(value, Value(bounds.values[1]))
    guard let lower, let upper else { return false }
    return lower != .orderedAscending && upper != .orderedDescending
  }
}

// MARK: - Texts and collections

extension NSComparisonPredicate {
  private func matches(
    _ left: Value, _ right: Value, _ operation: TextOperator
  ) throws(PredicateEvaluationError) -> Bool {
    switch (left.comparable, right.comparable) {
    case (.null, _), (_, .null): return false
    case (.string(let text), .string(let pattern)):
      return try preparation.pattern(operation, pattern, textOptions).matches(text)
    default: throw .incomparable(left.any, "\(operatorName), which needs strings,", right.any)
    }
  }

  /// Evaluates CONTAINS, and IN with its sides exchanged.
  private func contains(_ whole: Value, _ part: Value) throws(PredicateEvaluationError) -> Bool {
    switch whole.comparable {
    case .null: return false
    case .string: return try matches(whole, part, .contains)
    case .collection(let elements):
      for element in elements.values where try areEqual(part, Value(element)) { return true }
      return false
    case .other(let range):
      if let range = range as? any ValueRange { return range.contains(part) }
    default: break
    }
    throw .incomparable(
      part.any, "\(operatorName), which needs a collection or a string,", whole.any)
  }

  /// The index of the right side, if it is a list of constants.
  private var constantList: MembershipIndex? {
    preparation.list(options.foldsText ? TextFolding(textOptions) : nil) {
      rightExpression.constantElements?.map { element -> Any? in
        Value(element).textOfURL ?? element
      }
    }
  }
}

extension Value {
  /// The number of seconds of a date, or the date of a number of seconds: the other value that
  /// equals this one.
  fileprivate var dateCounterpart: Value? {
    switch self {
    case .date(let date): .number(.double(date.timeIntervalSinceReferenceDate))
    case .number(let number): .date(Date(timeIntervalSinceReferenceDate: number.double))
    default: nil
    }
  }
}

extension NSExpression {
  /// The elements of a constant collection, or of an aggregate of constants.
  fileprivate var constantElements: [Any?]? {
    switch node {
    case .constant(let value?): return Elements(value)?.values
    case .aggregate(let elements):
      var values: [Any?] = []
      for element in elements {
        guard case .constant(let value) = element.node else { return nil }
        values.append(value)
      }
      return values
    default: return nil
    }
  }
}
