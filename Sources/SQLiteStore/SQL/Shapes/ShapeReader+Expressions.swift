import Foundation
import PredicateLanguage

extension ShapeReader {
  /// The shape of an expression.
  mutating func operand(_ expression: PredicateLanguage.NSExpression) throws(TranslationError)
    -> Operand
  {
    switch expression.node {
    case .constant(let value): return constant(value, of: expression)
    case .evaluatedObject: return .row(.object)
    case .variable(let name): return .row(.variable(name))
    case .keyPath(let path): return .path(.object, path)
    case .fetch where expression.isConstant: return constant(try value(of: expression))
    case .function, .aggregate, .conditional, .unionSet, .intersectSet, .minusSet:
      return expression.isConstant ? constant(try value(of: expression)) : try compound(expression)
    case .subquery(let collection, let variable, let predicate):
      return .subquery(try subquery(collection, variable, predicate))
    case .anyKey, .block, .custom, .fetch:
      throw TranslationError(
        "Unsupported function expression \(expression.formatText)",
        "A store cannot evaluate it; evaluate it for the fetched objects.")
    }
  }

  /// Returns the operand for a constant, and records its source if sources are recorded.
  ///
  /// - Parameter source: The expression with the value; nil if the value was computed.
  private mutating func constant(_ value: Any?, of source: PredicateLanguage.NSExpression? = nil)
    -> Operand
  {
    let constant = ConstantValue(value)
    if case .other = constant.kind, let range = value as? any ConstantRange {
      let bounds = range.bounds
      return .range(
        add(ConstantValue(bounds.lower)), add(ConstantValue(bounds.upper)),
        includesUpper: bounds.includesUpper)
    }
    return .constant(add(constant, of: source))
  }

  private func value(of expression: PredicateLanguage.NSExpression) throws(TranslationError) -> Any?
  {
    do {
      // A fetch needs no `allowEvaluation()` for a decoded expression, and the copy is not
      // restricted.
      return try expression.replacingExpressions { _ in nil }.evaluated(with: nil)
    } catch {
      throw .function(expression.formatText, "\(error)")
    }
  }

  /// The shape of a compound expression that depends on a row.
  private mutating func compound(_ expression: PredicateLanguage.NSExpression)
    throws(TranslationError) -> Operand
  {
    switch expression.node {
    case .function(let operand, let name, let arguments):
      if let (operand, path) = expression.node.keyPathOfOperand {
        return try self.path(path, of: operand, expression)
      }
      guard operand == nil else { throw unknownFunction(expression) }
      return try function(name, arguments, expression)
    case .aggregate(let elements): return .list(try operands(elements))
    case .conditional(let predicate, let first, let second):
      return .conditional(try condition(predicate), try operand(first), try operand(second))
    default:
      throw TranslationError(
        "Unsupported function expression \(expression.formatText)",
        "Sets that depend on the row cannot be combined in SQL; combine conditions with AND, OR and NOT instead."
      )
    }
  }

  private mutating func operands(_ expressions: [PredicateLanguage.NSExpression])
    throws(TranslationError) -> [Operand]
  {
    var operands: [Operand] = []
    for expression in expressions { operands.append(try operand(expression)) }
    return operands
  }

  private mutating func subquery(
    _ collection: PredicateLanguage.NSExpression, _ variable: String, _ predicate: NSPredicate
  ) throws(TranslationError) -> Subquery {
    Subquery(
      collection: try operand(collection), variable: variable, condition: try condition(predicate))
  }

  /// A path that starts at the value of another expression.
  private mutating func path(
    _ path: PropertyPath, of operand: PredicateLanguage.NSExpression,
    _ whole: PredicateLanguage.NSExpression
  ) throws(TranslationError) -> Operand {
    switch try self.operand(operand) {
    case .row(let root): return .path(root, path)
    case .path(let root, let start): return .path(root, PropertyPath("\(start.text).\(path.text)"))
    case .subquery(let subquery): return .subqueryPath(subquery, path)
    default: throw unknownFunction(whole)
    }
  }

  // MARK: Functions

  private mutating func function(
    _ name: String, _ arguments: [PredicateLanguage.NSExpression],
    _ whole: PredicateLanguage.NSExpression
  ) throws(TranslationError) -> Operand {
    guard let function = ExpressionFunction(rawValue: name) else { throw unknownFunction(whole) }
    switch function {
    case .cast: return try cast(arguments, whole)
    case .objectWithIndex:
      guard arguments.count == 2, case .function(nil, "size", _) = arguments[1].node else {
        throw unknownFunction(whole)
      }
      return .function(.count, [try operand(arguments[0])])
    default: return .function(function, try operands(arguments))
    }
  }

  private mutating func cast(
    _ arguments: [PredicateLanguage.NSExpression], _ whole: PredicateLanguage.NSExpression
  ) throws(TranslationError) -> Operand {
    guard arguments.count == 2, case .constant(let type?) = arguments[1].node,
      let name = asString(type)
    else {
      throw unknownFunction(whole)
    }
    return .cast(try operand(arguments[0]), type: name)
  }

  private func unknownFunction(_ expression: PredicateLanguage.NSExpression) -> TranslationError {
    .function(
      expression.formatText, "SQL has no such function; compute it for the fetched objects.")
  }
}

// MARK: - Constant expressions

extension PredicateLanguage.NSExpression {
  /// Whether its value is the same for every row.
  var isConstant: Bool {
    switch node {
    case .constant: true
    case .function(let operand, _, let arguments):
      operand?.isConstant ?? true && arguments.allSatisfy(\.isConstant)
    case .fetch(let request, let context, _): request.isConstant && context.isConstant
    case .aggregate(let elements): elements.allSatisfy(\.isConstant)
    case .conditional(let predicate, let first, let second):
      predicate.isConstant && first.isConstant && second.isConstant
    case .unionSet(let left, let right), .intersectSet(let left, let right),
      .minusSet(let left, let right):
      left.isConstant && right.isConstant
    case .evaluatedObject, .variable, .keyPath, .subquery, .anyKey, .block, .custom: false
    }
  }
}

extension NSPredicate {
  fileprivate var isConstant: Bool {
    switch node {
    case .constant: true
    case .comparison(let comparison):
      comparison.leftExpression.isConstant && comparison.rightExpression.isConstant
    case .and(let parts), .or(let parts): parts.allSatisfy(\.isConstant)
    case .not(let part): part.isConstant
    case .opaque: false
    }
  }
}

// MARK: - Ranges

/// A range of values as the right side of `IN` or `BETWEEN`.
private protocol ConstantRange {
  var bounds: (lower: Any, upper: Any, includesUpper: Bool) { get }
}

extension ClosedRange: ConstantRange {
  fileprivate var bounds: (lower: Any, upper: Any, includesUpper: Bool) {
    (lowerBound, upperBound, true)
  }
}

extension Range: ConstantRange {
  fileprivate var bounds: (lower: Any, upper: Any, includesUpper: Bool) {
    (lowerBound, upperBound, false)
  }
}
