import Foundation

/// Parses a format string by recursive descent, without backtracking.
///
/// A parenthesis may contain a predicate or an expression; only the text after it decides. So every
/// rule returns a `Part`, which is either, and the caller that needs one of them checks it.
struct Parser {
  let text: String
  let tokens: [Token]
  var position = 0
  var arguments: PlaceholderArguments
  /// The number of open constructs at the position.
  var depth = 0

  init(_ text: String, arguments: PlaceholderArguments) throws(PredicateParseError) {
    self.text = text
    self.arguments = arguments
    tokens = try Lexer.tokens(of: text)
  }

  /// Parses the whole text as a predicate.
  static func predicate(
    _ text: String, _ arguments: PlaceholderArguments
  ) throws(PredicateParseError) -> NSPredicate {
    var parser = try Parser(text, arguments: arguments)
    let part = try parser.readPart()
    let predicate = try parser.predicate(part)
    try parser.expectEnd("AND, OR, or the end of the text")
    return predicate
  }

  /// Parses the whole text as an expression.
  static func expression(
    _ text: String, _ arguments: PlaceholderArguments
  ) throws(PredicateParseError) -> NSExpression {
    var parser = try Parser(text, arguments: arguments)
    let part = try parser.readOperation()
    let expression = try parser.expression(part)
    try parser.expectEnd("an arithmetic operator or the end of the text")
    return expression
  }

  private func expectEnd(_ expected: String) throws(PredicateParseError) {
    guard case .end = current.kind else { throw unexpected(expected) }
  }
}

// MARK: - Tokens

extension Parser {
  var current: Token { tokens[position] }

  /// The token after the current one, or the last token.
  var following: Token { tokens[min(position + 1, tokens.count - 1)] }

  mutating func advance() {
    position = min(position + 1, tokens.count - 1)
  }

  func isAt(_ sign: Token.Sign) -> Bool {
    if case .sign(sign) = current.kind { return true }
    return false
  }

  func isFollowed(by sign: Token.Sign) -> Bool {
    if case .sign(sign) = following.kind { return true }
    return false
  }

  /// The keyword at the position, if there is one.
  var keyword: Keyword? {
    if case .word(let word) = current.kind { return Keyword(word: word) }
    return nil
  }

  mutating func take(_ sign: Token.Sign) -> Bool {
    guard isAt(sign) else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: Token.Sign, _ purpose: String) throws(PredicateParseError) {
    guard take(sign) else { throw unexpected("“\(sign.rawValue)” \(purpose)") }
  }
}

// MARK: - Errors

extension Parser {
  func unexpected(_ expected: String) -> PredicateParseError {
    PredicateParseError(
      code: .unexpectedToken, message: "expected \(expected), found \(current.name)\(hint)",
      expected: expected,
      text: text,
      byteOffset: current.range.lowerBound)
  }

  /// A hint for the message: an unexpected keyword is often intended as a property's name.
  private var hint: String {
    guard case .word(let word) = current.kind, Keyword(word: word) != nil else { return "" }
    return "; write #\(word) to name a property like a keyword"
  }

  func error(_ code: PredicateParseError.Code, _ message: String, at offset: Int)
    -> PredicateParseError
  {
    PredicateParseError(code: code, message: message, text: text, byteOffset: offset)
  }

  /// Enters a deeper level, or throws beyond the limit.
  ///
  /// The rule that enters it calls `leave()` at its end.
  mutating func enter() throws(PredicateParseError) {
    guard depth < Limits.nesting else { throw tooDeep }
    depth += 1
  }

  mutating func leave() { depth -= 1 }

  var tooDeep: PredicateParseError {
    error(
      .limitExceeded,
      "the text is nested more than \(Limits.nesting) levels deep; split it into several predicates",
      at: current.range.lowerBound)
  }

  /// The height of a tree with these children; throws beyond the limit.
  func height(over children: Int...) throws(PredicateParseError) -> Int {
    let height = (children.max() ?? 0) + 1
    guard height <= Limits.nesting else { throw tooDeep }
    return height
  }
}
