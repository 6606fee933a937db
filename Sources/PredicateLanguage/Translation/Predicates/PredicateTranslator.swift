import Foundation

/// Turns the tree of a `#Predicate` or `#Expression` into predicates and expressions of Core Data.
///
/// What does not depend on the object is evaluated at once, so captured values, their properties
/// and conditions over them become constants. The rest is translated node by node
/// (``TranslatableNode``).
///
/// The result means what the Swift predicate means, with these exceptions, which are those of
/// predicates: texts are equal scalar by scalar rather than by canonical equivalence, and the
/// `count` of a text is that of its UTF-16 units.
struct PredicateTranslator {
  private var values: [PredicateExpressions.VariableID: Translated] = [:]
  private var iteratorCount = 0

  /// Gives a variable its meaning.
  mutating func bind<Output>(
    _ variable: PredicateExpressions.Variable<Output>, to value: Translated
  ) {
    values[variable.key] = value
  }

  /// The meaning of a variable.
  func value(of key: PredicateExpressions.VariableID) throws -> Translated {
    guard let value = values[key] else { throw PredicateTranslationError.unknownVariable }
    return value
  }

  /// A name for the variable of a subquery that no other has.
  mutating func makeIterator() -> String {
    iteratorCount += 1
    return "x\(iteratorCount)"
  }

  /// What a node becomes.
  mutating func translate<Node: PredicateExpression>(_ node: Node) throws -> Translated {
    if let value = try? node.evaluate(PredicateBindings()) { return .constant(unwrapped(value)) }
    guard let node = node as? any TranslatableNode else {
      throw PredicateTranslationError.unsupported(Node.self, "it is not known to this version.")
    }
    return try node.translated(by: &self)
  }

  /// A node whose value is wanted.
  mutating func expression(_ node: some PredicateExpression) throws -> NSExpression {
    try expression(translate(node), of: type(of: node))
  }

  /// A node whose truth is wanted.
  mutating func predicate(_ node: some PredicateExpression) throws -> NSPredicate {
    try predicate(translate(node), of: type(of: node))
  }

  /// What was translated, as a value.
  func expression(_ translated: Translated, of type: Any.Type) throws -> NSExpression {
    switch translated {
    case .constant(let value): return NSExpression(forConstantValue: value)
    case .expression(let expression): return expression
    case .predicate(let predicate): return truthValue(of: predicate)
    case .optionalPredicate(let predicate, let presence):
      return NSExpression(
        forConditional: presence, trueExpression: truthValue(of: predicate),
        falseExpression: NSExpression(forConstantValue: nil))
    case .order:
      throw PredicateTranslationError.unsupported(
        type, "an order can only be compared with a constant one.")
    case .range:
      throw PredicateTranslationError.unsupported(
        type, "a range can only be asked whether it contains a value.")
    }
  }

  /// What was translated, as a condition.
  func predicate(_ translated: Translated, of type: Any.Type) throws -> NSPredicate {
    switch translated {
    case .predicate(let predicate): return predicate
    case .optionalPredicate(let predicate, let presence): return .all([presence, predicate])
    case .constant(let value): return NSPredicate(value: value as? Bool ?? false)
    case .expression(let expression):
      return .comparing(expression, .equalTo, NSExpression(forConstantValue: true))
    case .order, .range:
      return try predicate(.expression(expression(translated, of: type)), of: type)
    }
  }

  private func truthValue(of predicate: NSPredicate) -> NSExpression {
    if case .constant(let value) = predicate.node { return NSExpression(forConstantValue: value) }
    return NSExpression(
      forConditional: predicate, trueExpression: NSExpression(forConstantValue: true),
      falseExpression: NSExpression(forConstantValue: false))
  }
}

/// A node of a Swift predicate that has a Core Data form.
protocol TranslatableNode {
  /// What the node becomes.
  func translated(by translator: inout PredicateTranslator) throws -> Translated
}
