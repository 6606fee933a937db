import Foundation
import PredicateLanguage

/// Separates predicates and expressions into their shape and their values.
///
/// Expressions that depend on no row are evaluated here: `1 == 1` does not appear in the SQL;
/// `now()` and `2 * 60` become constants.
struct ShapeReader {
  /// The constants, in the order of their indexes in the shape.
  private(set) var constants: [ConstantValue] = []
  /// The source expressions of the constants, if they are recorded.
  private(set) var sources: [PredicateLanguage.NSExpression]?
  /// Whether another constant of the same kind would give the same shape.
  ///
  /// An expression that is evaluated here may have another value next time, and is not a constant
  /// of the predicate.
  private(set) var isFormFixed = true
  /// The constants whose values determine the shape, if sources are recorded.
  private(set) var decisive: [PredicateLanguage.NSExpression] = []

  /// Creates a reader.
  ///
  /// - Parameter notesSources: Whether to record the source expressions of the constants.
  init(notesSources: Bool = false) {
    if notesSources { sources = [] }
  }

  /// Records that the shape depends on more than the kinds of the constants.
  mutating func recordEvaluation() { isFormFixed = false }

  mutating func add(_ value: ConstantValue, of source: PredicateLanguage.NSExpression? = nil)
    -> Constant
  {
    constants.append(value)
    if let source { sources?.append(source) } else { recordEvaluation() }
    return Constant(index: constants.count - 1, kind: value.kind)
  }

  /// The shape of a predicate.
  mutating func condition(_ predicate: NSPredicate) throws(TranslationError) -> Condition {
    switch predicate.node {
    case .constant(let value): return .constant(value)
    case .comparison(let comparison): return try condition(comparison)
    case .and(let parts): return .all(try conditions(parts))
    case .or(let parts): return .any(try conditions(parts))
    case .not(let part): return try condition(part).negated
    case .opaque(let predicate):
      throw TranslationError(
        "Unsupported predicate \(predicate.formatText)",
        "A closure or a predicate class of your own has no SQL; filter the fetched objects with it."
      )
    }
  }

  private mutating func conditions(_ predicates: [NSPredicate]) throws(TranslationError)
    -> [Condition]
  {
    var conditions: [Condition] = []
    conditions.reserveCapacity(predicates.count)
    for predicate in predicates { conditions.append(try condition(predicate)) }
    return conditions
  }

  private mutating func condition(_ predicate: ComparisonPredicate) throws(TranslationError)
    -> Condition
  {
    guard predicate.predicateOperatorType != .customSelector else {
      return try methodCall(predicate)
    }
    let known = constants.count
    let left = try operand(predicate.leftExpression)
    if left.isConstant, predicate.rightExpression.isConstant {
      constants.removeLast(constants.count - known)
      recordEvaluation()
      return .constant(try evaluated(predicate))
    }
    let right = try operand(predicate.rightExpression, beside: left)
    return .comparison(
      Comparison(
        left: left, operation: predicate.predicateOperatorType, right: right,
        modifier: predicate.comparisonPredicateModifier, options: predicate.options))
  }

  /// The shape of a comparison by a method: a full-text search.
  private mutating func methodCall(_ predicate: ComparisonPredicate) throws(TranslationError)
    -> Condition
  {
    guard predicate.customSelectorName == ComparisonPredicate.fullTextSelectorName else {
      throw TranslationError(
        "unimplemented SQL generation for predicate : (\(predicate.formatText))",
        "A comparison by a method has no SQL; use the operators of the predicate language.")
    }
    let texts: [Operand]
    switch try operand(predicate.leftExpression) {
    case .list(let operands): texts = operands
    case let operand: texts = [operand]
    }
    guard case .constant(let query) = try operand(predicate.rightExpression) else {
      throw TranslationError(
        "Unsupported predicate \(predicate.formatText)", "The words of a search must be a text.")
    }
    return .fullText(FullTextSearch(texts: texts, query: query))
  }

  private func evaluated(_ predicate: ComparisonPredicate) throws(TranslationError) -> Bool {
    do {
      // A fetch needs no `allowEvaluation()` for a decoded predicate, and the copy is not
      // restricted.
      return try predicate.replacingExpressions { _ in nil }.evaluated(with: nil)
    } catch {
      throw TranslationError("Unsupported predicate \(predicate.formatText)", "\(error)")
    }
  }

  /// The right operand of a comparison.
  ///
  /// The SQL for comparing a count with 0 or 1 differs from that for other numbers.
  private mutating func operand(
    _ expression: PredicateLanguage.NSExpression, beside left: Operand
  ) throws(TranslationError) -> Operand {
    guard left.isCount, case .constant(let value?) = expression.node else {
      return try operand(expression)
    }
    if sources != nil { decisive.append(expression) }
    guard let number = Number(value), number.isInteger, let integer = number.integer,
      (0...1).contains(integer)
    else {
      return try operand(expression)
    }
    return .literal(Int64(integer))
  }
}
