import Foundation
import TextMatching

/// Determines which of two values comes first.
struct Ordering {
  private let folding: TextFolding?
  private let collation: TextCollation?

  /// The order of texts with these options: by scalars, by the scalars of folded texts, or by
  /// locale.
  init(_ options: NSComparisonPredicate.Options) {
    let text = TextOptions(rawValue: options.rawValue)
    folding = options.foldsText ? TextFolding(text) : nil
    collation = options.contains(.localeSensitive) ? TextCollation(.localized) : nil
  }

  /// The order of two values of one kind; nil if either is null or NaN.
  ///
  /// URLs are ordered as texts.
  func compare(
    _ left: Value, _ right: Value, by operation: String
  ) throws(PredicateEvaluationError) -> ComparisonResult? {
    switch (left.comparable, right.comparable) {
    case (.null, _), (_, .null): return nil
    case (.number(let left), .number(let right)): return left.compare(right)
    case (.string(let left), .string(let right)): return compare(left, right)
    case (.date(let left), .date(let right)): return left.compare(right)
    // A store keeps dates as their seconds, and compares them with numbers.
    case (.date(let left), .number(let right)): return seconds(left).compare(right)
    case (.number(let left), .date(let right)): return left.compare(seconds(right))
    case (.uuid(let left), .uuid(let right)): return compare(left.uuidString, right.uuidString)
    case (.other(let left), .other(let right)):
      if let left = left as? any Comparable, let result = order(left, right) { return result }
    default: break
    }
    throw .incomparable(left.any, operation, right.any)
  }

  private func seconds(_ date: Date) -> Number { .double(date.timeIntervalSinceReferenceDate) }

  private func compare(_ left: String, _ right: String) -> ComparisonResult {
    let left = folding?.fold(left) ?? left
    let right = folding?.fold(right) ?? right
    return (collation ?? Self.binary).compare(left, right)
  }

  private static let binary = TextCollation(.binary)

  private func order<Left: Comparable>(_ left: Left, _ right: Any) -> ComparisonResult? {
    guard let right = right as? Left else { return nil }
    return left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
  }

  /// The smallest (`orderedAscending`) or largest value, ignoring nulls.
  static func extreme(of values: [Any?], _ wanted: ComparisonResult)
    throws(PredicateEvaluationError) -> Any?
  {
    let ordering = Ordering([])
    var best: Any?
    for case let value? in values {
      guard let current = best else {
        best = value
        continue
      }
      let name = wanted == .orderedAscending ? "min" : "max"
      if try ordering.compare(Value(value), Value(current), by: name) == wanted { best = value }
    }
    return best
  }
}

extension NSComparisonPredicate.Options {
  /// Whether texts are folded before they are compared.
  var foldsText: Bool {
    !contains(.normalized) && !isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
  }
}

extension Value {
  /// The value without its classification.
  var any: Any? {
    switch self {
    case .null: nil
    case .number(let value): value.boxed
    case .string(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .collection(let value): value.values
    case .other(let value): value
    }
  }
}
