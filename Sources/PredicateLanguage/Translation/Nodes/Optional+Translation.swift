import Foundation

extension PredicateExpressions.OptionalFlatMap: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let wrapped = try translator.translate(self.wrapped)
    translator.bind(variable, to: wrapped)
    let result = try translator.translate(transform)
    if case .constant = wrapped { return result }
    let value = try translator.expression(wrapped, of: Self.self)
    switch result {
    case .predicate(let predicate): return .optionalPredicate(predicate, when: .isPresent(value))
    case .optionalPredicate(let predicate, let presence):
      return .optionalPredicate(predicate, when: .all([.isPresent(value), presence]))
    case .constant(let constant as Bool):
      return .optionalPredicate(NSPredicate(value: constant), when: .isPresent(value))
    case .expression(let expression) where expression.isPath(from: value): return result
    case .expression, .constant:
      return .expression(
        NSExpression(
          forConditional: .isPresent(value),
          trueExpression: try translator.expression(result, of: Self.self),
          falseExpression: NSExpression(forConstantValue: nil)))
    case .order, .range: return result
    }
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let value = try translator.translate(lhs)
    if case .constant(nil) = value { return try translator.translate(rhs) }
    if case .optionalPredicate(let predicate, let presence) = value {
      return .predicate(
        .any([
          .all([presence, predicate]), .all([presence.negated, try translator.predicate(rhs)]),
        ]))
    }
    let expression = try translator.expression(value, of: Self.self)
    let presence = NSPredicate.isPresent(expression)
    if Output.self == Bool.self {
      let predicate = NSPredicate.comparing(
        expression, .equalTo, NSExpression(forConstantValue: true))
      let absence = NSPredicate.comparing(expression, .equalTo, NSExpression(forConstantValue: nil))
      return .predicate(.any([predicate, .all([absence, try translator.predicate(rhs)])]))
    }
    return .expression(
      NSExpression(
        forConditional: presence, trueExpression: expression,
        falseExpression: try translator.expression(rhs)))
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let value = try translator.translate(inner)
    guard case .optionalPredicate(let predicate, let presence) = value else { return value }
    return .predicate(.all([presence, predicate]))
  }
}

extension NSExpression {
  /// Whether this is the value at a path from another expression, and so `nil` when that is `nil`.
  fileprivate func isPath(from other: NSExpression) -> Bool {
    if isEqual(other) { return true }
    switch (node, other.node) {
    case (.keyPath(let path), .keyPath(let start)):
      return path.components.starts(with: start.components)
        && !path.components.contains { $0.hasPrefix("@") }
    case (_, .keyPath), (_, .evaluatedObject): return false
    default:
      guard let (operand, path) = node.keyPathOfOperand else { return false }
      if let (otherOperand, otherPath) = other.node.keyPathOfOperand {
        return operand.isEqual(otherOperand) && path.components.starts(with: otherPath.components)
      }
      return operand.isEqual(other)
    }
  }
}
