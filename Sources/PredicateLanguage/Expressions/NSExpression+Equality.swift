import Foundation

extension NSExpression {
  /// Whether two expressions have the same form and equal values.
  func isStructurallyEqual(to other: NSExpression) -> Bool {
    self === other || node.isEqual(to: other.node)
  }

  /// Feeds the form to the hasher, without the values, which may be equal in different types.
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
  /// A cast of a literal is the constant it makes, which is how it is read back.
  private var plain: ExpressionNode {
    guard case .function(nil, ExpressionFunction.cast.name, let arguments) = self, arguments.count == 2,
      case .constant(let type?) = arguments[1].node, let name = asString(type)
    else { return self }
    return CastFunction.node(casting: arguments[0], to: name)
  }

  fileprivate func isEqual(to other: ExpressionNode) -> Bool {
    switch (plain, other.plain) {
    case (.constant(let left), .constant(let right)): Value(left).isEqual(to: Value(right))
    case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): true
    case (.variable(let left), .variable(let right)): left == right
    case (.keyPath(let left), .keyPath(let right)): left == right
    case (.function(let operand, let name, let arguments), .function(let otherOperand, let otherName, let others)):
      name == otherName && areEqual(operand, otherOperand) && areEqual(arguments, others)
    case (.aggregate(let left), .aggregate(let right)): areEqual(left, right)
    case (.unionSet(let left, let right), .unionSet(let otherLeft, let otherRight)),
      (.intersectSet(let left, let right), .intersectSet(let otherLeft, let otherRight)),
      (.minusSet(let left, let right), .minusSet(let otherLeft, let otherRight)):
      left.isStructurallyEqual(to: otherLeft) && right.isStructurallyEqual(to: otherRight)
    case (.subquery(let left, let variable, let predicate), .subquery(let right, let otherVariable, let other)):
      variable == otherVariable && left.isStructurallyEqual(to: right) && predicate.isStructurallyEqual(to: other)
    case (.conditional(let predicate, let first, let second), .conditional(let other, let otherFirst, let otherSecond)):
      predicate.isStructurallyEqual(to: other) && areEqual([first, second], [otherFirst, otherSecond])
    default: false
    }
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
