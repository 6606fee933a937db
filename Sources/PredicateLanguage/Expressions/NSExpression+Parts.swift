public import Foundation

/// The accessors, each for one or two kinds of expressions.
extension NSExpression {
  /// The value of a constant expression.
  public var constantValue: Any? {
    guard case .constant(let value) = node else { notA("constant", "constantValue") }
    return value
  }

  /// The dotted path of a key path expression.
  public var keyPath: String {
    guard case .keyPath(let path) = node else { notA("key path", "keyPath") }
    return path.text
  }

  /// The name of a function expression, such as `add:to:`.
  public var function: String {
    guard case .function(_, let name, _) = node else { notA("function", "function") }
    return name
  }

  /// The name of a variable or of a subquery's iterator, without the dollar sign.
  public var variable: String {
    switch node {
    case .variable(let name), .subquery(_, let name, _): return name
    default: notA("variable or subquery", "variable")
    }
  }

  /// The expression that a function is applied to.
  ///
  /// For a predefined function, the evaluated object.
  public var operand: NSExpression {
    guard case .function(let operand, _, _) = node else { notA("function", "operand") }
    return operand ?? .expressionForEvaluatedObject()
  }

  /// The arguments of a function or block expression.
  public var arguments: [NSExpression]? {
    switch node {
    case .function(_, _, let arguments), .block(_, let arguments): return arguments
    default: notA("function or block", "arguments")
    }
  }

  /// The elements of an aggregate (an array of expressions), or the collection of a subquery (an
  /// expression).
  public var collection: Any {
    switch node {
    case .aggregate(let elements): return elements
    case .subquery(let collection, _, _): return collection
    default: notA("aggregate or subquery", "collection")
    }
  }

  /// The predicate of a subquery or conditional expression.
  public var predicate: NSPredicate {
    switch node {
    case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
    default: notA("subquery or conditional", "predicate")
    }
  }

  /// The left side of a set expression.
  public var left: NSExpression {
    switch node {
    case .unionSet(let left, _), .intersectSet(let left, _), .minusSet(let left, _): return left
    default: notA("set", "left")
    }
  }

  /// The right side of a set expression.
  public var right: NSExpression {
    switch node {
    case .unionSet(_, let right), .intersectSet(_, let right), .minusSet(_, let right): return right
    default: notA("set", "right")
    }
  }

  /// The result of a conditional expression if its predicate is true.
  public var `true`: NSExpression {
    guard case .conditional(_, let expression, _) = node else { notA("conditional", "true") }
    return expression
  }

  /// The result of a conditional expression if its predicate is false.
  public var `false`: NSExpression {
    guard case .conditional(_, _, let expression) = node else { notA("conditional", "false") }
    return expression
  }

  /// The closure of a block expression.
  public var expressionBlock: Block {
    guard case .block(let block, _) = node else { notA("block", "expressionBlock") }
    return block
  }

  private func notA(_ kind: String, _ property: String) -> Never {
    preconditionFailure(
      "NSExpression.\(property) belongs to \(kind) expressions; this one is of type \(expressionType): \(description)"
    )
  }
}
