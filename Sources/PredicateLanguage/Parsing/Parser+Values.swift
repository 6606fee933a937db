import Foundation

/// The operands: literals, key paths, variables, placeholders, collections, parentheses.
extension Parser {
  mutating func readPrimary() throws(PredicateParseError) -> Part {
    let token = current
    let offset = token.range.lowerBound
    switch token.kind {
    case .string(let text): return constant(text)
    case .number(let literal): return constant(literal.value)
    case .variable(let name): return leaf(.variable(name))
    case .pathLiteral(let text): return leaf(.keyPath(try path(text, offset)))
    case .collectionOperator(let text), .escapedWord(let text):
      return leaf(.keyPath(try path(text, offset)))
    case .placeholder(let placeholder): return try readPlaceholder(placeholder)
    case .selector: return try readFunction()
    case .word(let word): return try readWord(word)
    case .sign(.openParenthesis): return try readParenthesis()
    case .sign(.openBrace): return try readAggregate()
    default: throw unexpected("a value")
    }
  }

  /// Consumes a token that is a whole expression.
  private mutating func leaf(_ node: ExpressionNode) -> Part {
    let offset = current.range.lowerBound
    advance()
    return .expression(node, height: 1, offset: offset)
  }

  private mutating func constant(_ value: Any?) -> Part { leaf(.constant(value)) }

  private mutating func readWord(_ word: String) throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    if isFollowed(by: .openParenthesis), Keyword(word: word) == nil { return try readFunction() }
    switch Keyword(word: word) {
    case nil: return leaf(.keyPath(PropertyPath(word)))
    case .self: return leaf(.evaluatedObject)
    case .null, .nil: return constant(nil)
    case .true, .yes: return constant(true)
    case .false, .no: return constant(false)
    case .anyKey: return leaf(.anyKey)
    case .truePredicate, .falsePredicate:
      advance()
      let value = Keyword(word: word) == .truePredicate
      return .predicate(NSPredicate(value: value), height: 1, offset: offset)
    default: throw unexpected("a value")
    }
  }

  /// Reads a predicate or an expression in parentheses.
  ///
  /// The next token decides which of them is valid.
  private mutating func readParenthesis() throws(PredicateParseError) -> Part {
    advance()
    let part = try readPart()
    try expect(.closeParenthesis, "to close the parenthesis")
    return part
  }

  private mutating func readAggregate() throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    advance()
    var elements: [NSExpression] = []
    var tallest = 0
    while !isAt(.closeBrace) {
      if !elements.isEmpty { try expect(.comma, "or “}” after an element") }
      let element = try readNestedOperation()
      elements.append(try expression(element))
      tallest = max(tallest, element.height)
    }
    advance()
    return .expression(.aggregate(elements), height: try height(over: tallest), offset: offset)
  }
}

// MARK: - Placeholders

extension Parser {
  private mutating func readPlaceholder(_ placeholder: Placeholder) throws(PredicateParseError)
    -> Part
  {
    let offset = current.range.lowerBound
    let value = try takeArgument(placeholder)
    guard placeholder.conversion == .keyPath else {
      if let expression = value as? NSExpression {
        return .expression(expression, height: 1, offset: offset)
      }
      return .expression(.constant(value), height: 1, offset: offset)
    }
    let text = value as? String ?? ""
    if Keyword(word: text) == .self {
      return .expression(.evaluatedObject, height: 1, offset: offset)
    }
    return .expression(.keyPath(try path(text, offset)), height: 1, offset: offset)
  }

  /// Consumes the placeholder at the position and returns its argument.
  mutating func takeArgument(_ placeholder: Placeholder) throws(PredicateParseError) -> Any? {
    do throws(PlaceholderArguments.Mismatch) {
      let value = try arguments.take(for: placeholder)
      if placeholder.conversion == .keyPath, !(value is String) {
        throw PlaceholderArguments.Mismatch(message: "the argument for %K is not a string")
      }
      advance()
      return value
    } catch {
      throw self.error(.badArgument, error.message, at: current.range.lowerBound)
    }
  }
}
