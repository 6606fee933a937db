import Foundation

extension Parser {
  /// The result of a grammar rule: a predicate or an expression, with the height of its tree.
  struct Part {
    enum Content {
      case predicate(NSPredicate)
      case expression(NSExpression)
    }

    let content: Content
    let height: Int
    /// The start of the part, for messages.
    let offset: Int

    static func predicate(_ predicate: NSPredicate, height: Int, offset: Int) -> Part {
      Part(content: .predicate(predicate), height: height, offset: offset)
    }

    static func expression(_ node: ExpressionNode, height: Int, offset: Int) -> Part {
      expression(NSExpression(node), height: height, offset: offset)
    }

    static func expression(_ expression: NSExpression, height: Int, offset: Int) -> Part {
      Part(content: .expression(expression), height: height, offset: offset)
    }
  }

  /// The predicate in a part.
  ///
  /// For an expression the error is at the next token, where the operator is missing.
  func predicate(_ part: Part) throws(PredicateParseError) -> NSPredicate {
    switch part.content {
    case .predicate(let predicate): return predicate
    case .expression: throw unexpected("a comparison operator such as == or CONTAINS")
    }
  }

  /// The expression in a part; throws for a predicate, which has no value to compare.
  func expression(_ part: Part) throws(PredicateParseError) -> NSExpression {
    switch part.content {
    case .expression(let expression): return expression
    case .predicate:
      throw error(
        .unexpectedToken,
        "expected a value, found a predicate; TERNARY(predicate, a, b) converts it to a value",
        at: part.offset)
    }
  }
}
