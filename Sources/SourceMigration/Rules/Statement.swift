/// A statement without braces, attributes and modifiers that is alone on its lines, so that it can
/// be duplicated.
struct Statement {
  /// The indices of its first and last token.
  let tokens: ClosedRange<Int>

  /// The statement around a token, if its bounds are certain.
  init?(around index: Int, in source: ScannedSource) {
    guard let start = Self.start(before: index, in: source),
      let end = Self.end(after: start, in: source),
      end >= index, source.startsItsLine(start), source.isName(start),
      !Self.wordsOfBlocks.contains(source.spelling(start)),
      !DeclarationPrefix.modifiers.contains(source.spelling(start)),
      DeclarationPrefix(before: start, in: source).elementsWithConditional(
        before: start, in: source
      ).isEmpty
    else { return nil }
    tokens = start...end
  }

  /// Whether a statement begins at a token: nothing before it continues an expression.
  static func begins(at start: Int, in source: ScannedSource) -> Bool {
    let before = start - 1
    guard source.tokens.indices.contains(before) else { return true }
    guard source.tokens[start].startsLine else {
      return ["{", ";"].contains(source.spelling(before))
    }
    if source.isPunctuation(before, ">") { return !source.isPunctuation(before - 1, "-") }
    return source.tokens[before].kind == .punctuation
      ? ["{", "}", ";", ")", "]", "?", "!"].contains(source.spelling(before))
      : !wordsBeforeValues.contains(source.spelling(before))
  }

  private static let wordsBeforeValues: Set<String> = [
    "return", "try", "await", "throw", "case", "yield", "consume",
  ]

  private static let wordsOfBlocks: Set<String> = [
    "if", "guard", "while", "for", "switch", "case", "else", "default", "do", "catch", "repeat",
    "func", "class",
  ]

  private static func start(before index: Int, in source: ScannedSource) -> Int? {
    var position = index
    while position >= 0 {
      let continues =
        source.isPunctuation(position, ".") || source.isPunctuation(position, "?")
        || source.isPunctuation(position, "{")
      if source.tokens[position].startsLine, !continues, !isInParentheses(position, in: source),
        begins(at: position, in: source)
      {
        return position
      }
      position -= 1
      if source.isPunctuation(position, "{") { return nil }
      if let partner = source.partners[position], partner < position { position = partner }
    }
    return nil
  }

  /// Whether the nearest bracket around a token is not a brace.
  private static func isInParentheses(_ index: Int, in source: ScannedSource) -> Bool {
    var position = index - 1
    while position >= 0 {
      if let partner = source.partners[position] {
        guard partner < position else { return !source.isPunctuation(position, "{") }
        position = partner
      }
      position -= 1
    }
    return false
  }

  /// The last token before the next statement; nil if a brace opens or something else shares the
  /// last line.
  private static func end(after start: Int, in source: ScannedSource) -> Int? {
    var position = start
    while source.tokens.indices.contains(position) {
      if source.isPunctuation(position, "{") { return nil }
      if let partner = source.partners[position], partner > position {
        guard !(position...partner).contains(where: { source.isPunctuation($0, "{") }) else {
          return nil
        }
        position = partner
      }
      let next = position + 1
      guard source.tokens.indices.contains(next) else { return position }
      if source.isPunctuation(next, ";")
        || source.isPunctuation(next, "}") && !source.tokens[next].startsLine
      {
        return nil
      }
      if source.isPunctuation(next, "}")
        || source.tokens[next].kind == .directive && source.tokens[next].startsLine
      {
        return position
      }
      let continues =
        source.tokens[next].kind == .punctuation
        && !["@", "(", "[", "{"].contains(source.spelling(next))
      if source.tokens[next].startsLine, !continues, begins(at: next, in: source) {
        return position
      }
      position = next
    }
    return nil
  }
}
