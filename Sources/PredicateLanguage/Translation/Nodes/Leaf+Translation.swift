import Foundation

// Values and `nil` need no translation: everything that does not depend on the object is evaluated.

extension PredicateExpressions.Variable: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    try translator.value(of: key)
  }
}

extension PredicateExpressions.KeyPath: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let owner = try translator.expression(root)
    if let kind { return try member(kind, of: owner) }
    let name: String
    do {
      name = try keyPath.propertyPath()
    } catch {
      throw PredicateTranslationError.nameless(error)
    }
    return .expression(name == "self" ? owner : owner.appending(name))
  }

  /// A property that every collection has.
  private func member(_ kind: CommonKeyPathKind, of owner: NSExpression) throws -> Translated {
    let isText = Root.Output.self is any StringProtocol.Type
    let nothing = NSExpression(forConstantValue: isText ? "" : 0)
    switch kind {
    case .collectionCount: return .expression(isText ? owner.length : owner.appending("@count"))
    case .collectionIsEmpty:
      return .predicate(.comparing(isText ? owner : owner.appending("@count"), .equalTo, nothing))
    case .collectionFirst where !isText: return .expression(owner.appending("@firstObject"))
    case .bidirectionalCollectionLast where !isText:
      return .expression(owner.appending("@lastObject"))
    default:
      throw PredicateTranslationError.unsupported(
        Self.self, "a character of a text has no counterpart.")
    }
  }
}

extension NSExpression {
  /// The value at a path from this expression's value.
  func appending(_ path: String) -> NSExpression {
    switch node {
    case .evaluatedObject: return NSExpression(.keyPath(PropertyPath(path)))
    case .keyPath(let start): return NSExpression(.keyPath(PropertyPath("\(start.text).\(path)")))
    default:
      if let (operand, start) = node.keyPathOfOperand {
        return NSExpression(
          KeyPathFunction.node(of: operand, path: PropertyPath("\(start.text).\(path)")))
      }
      return NSExpression(KeyPathFunction.node(of: self, path: PropertyPath(path)))
    }
  }

  /// The length of this expression's text.
  fileprivate var length: NSExpression { .calling(.length, [self]) }

  /// The result of a function.
  static func calling(_ function: ExpressionFunction, _ arguments: [NSExpression]) -> NSExpression {
    NSExpression(.function(operand: nil, name: function.name, arguments: arguments))
  }
}
