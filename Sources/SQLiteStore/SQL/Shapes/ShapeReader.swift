import Foundation
import PredicateLanguage

/// Takes predicates and expressions apart into their form and their values.
///
/// What does not depend on a row is evaluated here: `1 == 1` is no part of the SQL, `now()` and `2
/// * 60` are constants.
struct ShapeReader {
  /// The constants, in the order in which the form counts them.
  private(set) var constants: [ConstantValue] = []
  /// The expressions that the constants are the values of, where somebody wants to know.
  private(set) var sources: [PredicateLanguage.NSExpression]?
  /// Whether another value for a constant would give the same form, if it is of the same kind.
  ///
  /// What is evaluated here may be another value the next time, and is not a constant of the
  /// predicate.
  private(set) var isFormFixed = true
  /// The constants whose values the form depends on, where the sources are noted.
  private(set) var decisive: [PredicateLanguage.NSExpression] = []

  /// - Parameter notesSources: Whether the expressions of the constants are noted.
  init(notesSources: Bool = false) {
    if notesSources { sources = [] }
  }

  /// Notes that the form depends on more than the kinds of the constants.
  mutating func noteEvaluation() { isFormFixed = false }

  mutating func add(_ value: ConstantValue, of source: PredicateLanguage.NSExpression? = nil)
    -> Constant
  {
    constants.append(value)
    if let source { sources?.append(source) } else { noteEvaluation() }
    return Constant(index: constants.count - 1, kind: value.kind)
  }

  /// The form of a predicate.
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
      throw TranslationError(
        "unimplemented SQL generation for predicate : (\(predicate.formatText))",
        "A comparison by a method has no SQL; use the operators of the predicate language.")
    }
    let known = constants.count
    let left = try operand(predicate.leftExpression)
    if left.isConstant, predicate.rightExpression.isConstant {
      constants.removeLast(constants.count - known)
      noteEvaluation()
      return .constant(try evaluated(predicate))
    }
    let right = try operand(predicate.rightExpression, beside: left)
    return .comparison(
      Comparison(
        left: left, operation: predicate.predicateOperatorType, right: right,
        modifier: predicate.comparisonPredicateModifier, options: predicate.options))
  }

  private func evaluated(_ predicate: ComparisonPredicate) throws(TranslationError) -> Bool {
    do {
      return try predicate.evaluated(with: nil)
    } catch {
      throw TranslationError("Unsupported predicate \(predicate.formatText)", "\(error)")
    }
  }

  /// The right operand of a comparison.
  ///
  /// A count is compared with 0 and 1 in other ways than with other numbers.
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
