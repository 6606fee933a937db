import Foundation

/// Translates the tree of a `#Predicate` or `#Expression` to predicates and expressions of Core
/// Data.
///
/// Subtrees that do not depend on the object are evaluated, so captured values, their properties
/// and conditions over them become constants. The rest is translated node by node
/// (``TranslatableNode``).
///
/// The result is equivalent to the Swift predicate, with three exceptions:
///
/// - Texts are compared scalar by scalar instead of by canonical equivalence.
/// - The `count` of a text counts UTF-16 units.
/// - In a SQLite store, `$0.name != "x"` excludes objects without a name too.
struct PredicateTranslator {
  private var values: [PredicateExpressions.VariableID: Translated] = [:]
  private var iteratorCount = 0

  /// Binds a variable to its translation.
  mutating func bind<Output>(
    _ variable: PredicateExpressions.Variable<Output>, to value: Translated
  ) {
    values[variable.key] = value
  }

  /// The translation of a variable.
  func value(of key: PredicateExpressions.VariableID) throws -> Translated {
    guard let value = values[key] else { throw PredicateTranslationError.unknownVariable }
    return value
  }

  /// A unique name for the variable of a subquery.
  mutating func makeIterator() -> String {
    iteratorCount += 1
    return "x\(iteratorCount)"
  }

  /// Translates a node.
  mutating func translate<Node: PredicateExpression>(_ node: Node) throws -> Translated {
    if let value = try? node.evaluate(PredicateBindings()) { return .constant(unwrapped(value)) }
    guard let node = node as? any TranslatableNode else {
      throw PredicateTranslationError.unsupported(Node.self, "it is not supported.")
    }
    return try node.translated(by: &self)
  }

  /// Translates a node to an expression.
  mutating func expression(_ node: some PredicateExpression) throws -> NSExpression {
    try expression(translate(node), of: type(of: node))
  }

  /// Translates a node to a predicate.
  mutating func predicate(_ node: some PredicateExpression) throws -> NSPredicate {
    try predicate(translate(node), of: type(of: node))
  }

  /// Converts a translated node to an expression.
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
        type, "a range can only be tested for a value.")
    }
  }

  /// Converts a translated node to a predicate.
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
  /// Translates the node.
  func translated(by translator: inout PredicateTranslator) throws -> Translated
}
