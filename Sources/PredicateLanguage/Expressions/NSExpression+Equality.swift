import Foundation

extension NSExpression {
  /// Whether two expressions have the same form and equal values.
  func isStructurallyEqual(to other: NSExpression) -> Bool {
    self === other || node.isEqual(to: other.node)
  }

  /// Feeds the form to the hasher, without the values: equal values can have different types.
  func hashForm(into hasher: inout Hasher) {
    switch node {
    case .keyPath(let path): hasher.combine(path)
    case .variable(let name): hasher.combine(name)
    case .function(_, let name, let arguments):
      guard name != ExpressionFunction.cast.name else { return }
      hasher.combine(name)
      for argument in arguments { argument.hashForm(into: &hasher) }
    default: break
    }
  }
}

extension ExpressionNode {
  /// The form for comparisons: a constant instead of a cast of a literal or a list of constants.
  ///
  /// So an expression equals the result of parsing its format string.
  fileprivate var canonical: ExpressionNode {
    switch self {
    case .function(nil, ExpressionFunction.cast.name, let arguments):
      guard arguments.count == 2, case .constant(let type?) = arguments[1].node,
        let name = asString(type)
      else {
        break
      }
      return CastFunction.node(casting: NSExpression(arguments[0].node.canonical), to: name)
    case .aggregate(let elements):
      let constants = elements.compactMap(\.constantOrNull)
      if constants.count == elements.count { return .constant(constants) }
    default: break
    }
    return self
  }

  fileprivate func isEqual(to other: ExpressionNode) -> Bool {
    switch (canonical, other.canonical) {
    case (.constant(let left), .constant(let right)): areEqualConstants(Value(left), Value(right))
    case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): true
    case (.variable(let left), .variable(let right)): left == right
    case (.keyPath(let left), .keyPath(let right)): left == right
    case (
      .function(let operand, let name, let arguments),
      .function(let otherOperand, let otherName, let others)
    ):
      name == otherName && areEqual(operand, otherOperand) && areEqual(arguments, others)
    case (.aggregate(let left), .aggregate(let right)): areEqual(left, right)
    case (.unionSet(let left, let right), .unionSet(let otherLeft, let otherRight)),
      (.intersectSet(let left, let right), .intersectSet(let otherLeft, let otherRight)),
      (.minusSet(let left, let right), .minusSet(let otherLeft, let otherRight)):
      left.isStructurallyEqual(to: otherLeft) && right.isStructurallyEqual(to: otherRight)
    case (
      .subquery(let left, let variable, let predicate),
      .subquery(let right, let otherVariable, let other)
    ):
      variable == otherVariable && left.isStructurallyEqual(to: right)
        && predicate.isStructurallyEqual(to: other)
    case (
      .fetch(let request, let context, let countOnly),
      .fetch(let otherRequest, let otherContext, let otherCountOnly)
    ):
      countOnly == otherCountOnly && areEqual([request, context], [otherRequest, otherContext])
    case (
      .conditional(let predicate, let first, let second),
      .conditional(let other, let otherFirst, let otherSecond)
    ):
      predicate.isStructurallyEqual(to: other)
        && areEqual([first, second], [otherFirst, otherSecond])
    default: false
    }
  }

  /// Whether two constants are equal.
  ///
  /// A set at any depth equals the list that it prints as.
  private func areEqualConstants(_ left: Value, _ right: Value) -> Bool {
    if left.isEqual(to: right) { return true }
    guard case .collection = left, case .collection = right else { return false }
    return ConstantText.text(of: left) == ConstantText.text(of: right)
  }

  private func areEqual(_ left: [NSExpression], _ right: [NSExpression]) -> Bool {
    left.elementsEqual(right) { $0.isStructurallyEqual(to: $1) }
  }

  private func areEqual(_ left: NSExpression?, _ right: NSExpression?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.isStructurallyEqual(to: right)
    default: false
    }
  }
}

extension NSExpression {
  /// The value of a constant, of a list of constants, or of a cast of a constant.
  ///
  /// It is `NSNull` for the null constant, and nil for any other expression.
  fileprivate var constantOrNull: Any? {
    guard case .constant(let value) = node.canonical else { return nil }
    return value ?? NSNull()
  }
}
