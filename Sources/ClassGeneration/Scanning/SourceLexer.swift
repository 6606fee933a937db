/// Splits Swift source text into tokens, without the contents of strings and without comments,
/// except those for `modelc`.
///
/// It accepts any text. If the text is not valid Swift, the tokens are meaningless, and the
/// compiler reports the error.
struct SourceLexer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var atLineStart = true
  private var tokens: [SourceToken] = []

  private init(_ source: String) { bytes = Array(source.utf8) }

  static func tokens(of source: String) -> [SourceToken] {
    var lexer = SourceLexer(source)
    lexer.run()
    return lexer.tokens
  }

  private mutating func run() {
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"): newline()
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): lineComment()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): blockComment()
      case UInt8(ascii: "/"): slash()
      case UInt8(ascii: "\""): string(hashes: 0)
      case UInt8(ascii: "#"): numberSign()
      case UInt8(ascii: "`"): escapedWord()
      case _ where Self.isWordByte(byte): word()
      default:
        add(.punctuation, String(decoding: [byte], as: UTF8.self))
        position += 1
      }
    }
  }

  private func peek(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private mutating func newline() {
    position += 1
    line += 1
    atLineStart = true
  }

  private mutating func add(_ kind: SourceToken.Kind, _ text: String, line startLine: Int? = nil) {
    tokens.append(
      SourceToken(kind: kind, text: text, line: startLine ?? line, startsLine: atLineStart))
    atLineStart = false
  }

  private func text(from start: Int) -> String {
    String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: byte >= 0x80
    }
  }

  private mutating func word() {
    let start = position
    while let byte = peek(), Self.isWordByte(byte) { position += 1 }
    let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[start])
    add(isNumber ? .literal : .word, text(from: start))
  }

  private mutating func escapedWord() {
    position += 1
    let start = position
    while let byte = peek(), byte != UInt8(ascii: "`"), byte != UInt8(ascii: "\n") { position += 1 }
    add(.escapedWord, text(from: start))
    if peek() == UInt8(ascii: "`") { position += 1 }
  }
}

// MARK: - Comments

extension SourceLexer {
  /// The prefix of comments for the generator.
  private static let annotationPrefix = "modelc:"

  private mutating func lineComment() {
    position += 2
    let start = position
    while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
    let comment = text(from: start).drop { $0 == " " || $0 == "\t" || $0 == "/" }
    if comment.hasPrefix(Self.annotationPrefix) {
      add(.annotation, String(comment.dropFirst(Self.annotationPrefix.count)))
    }
  }

  private mutating func blockComment() {
    var depth = 0
    repeat {
      if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
      } else if peek() == UInt8(ascii: "\n") {
        newline()
      } else {
        position += 1
      }
    } while depth > 0 && position < bytes.count
  }
}

// MARK: - Regular expressions

extension SourceLexer {
  private static let wordsBeforeValues: Set<String> = [
    "await", "case", "else", "guard", "if", "in", "is", "return", "switch", "throw", "try", "where",
    "while", "yield",
  ]

  /// Reads an operator, or skips a regular expression between slashes.
  private mutating func slash() {
    if let end = regularExpressionEnd() {
      add(.literal, "")
      position = end
    } else {
      add(.punctuation, "/")
      position += 1
    }
  }

  /// Returns the end of the regular expression that starts here; nil if the slash is an operator.
  ///
  /// An expression starts only where a value may begin, neither starts nor ends with a space, and
  /// ends on its line. In a character class a slash does not end it.
  private func regularExpressionEnd() -> Int? {
    var end = position + 1
    guard mayBeginValue, !isBlank(end) else { return nil }
    var isInClass = false
    var groups = 0
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
      switch bytes[end] {
      case UInt8(ascii: "\\"): end += 1
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case _ where isInClass: break
      case UInt8(ascii: "("): groups += 1
      case UInt8(ascii: ")") where groups == 0: return nil
      case UInt8(ascii: ")"): groups -= 1
      case UInt8(ascii: "/"): return isBlank(end - 1) ? nil : end + 1
      default: break
      }
      end += 1
    }
    return nil
  }

  /// Whether a value may follow the previous token, so that a slash is not a division.
  private var mayBeginValue: Bool {
    guard !atLineStart, let last = tokens.last else { return true }
    return switch last.kind {
    case .word: Self.wordsBeforeValues.contains(last.text)
    // Without a space the slash is part of an operator such as `./`.
    case .punctuation:
      "([{,:;".contains(last.text) || isBlank(position - 1) && !")]}".contains(last.text)
    default: false
    }
  }

  private func isBlank(_ offset: Int) -> Bool {
    offset < bytes.count && [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(bytes[offset])
  }
}

// MARK: - Strings and directives

extension SourceLexer {
  private mutating func numberSign() {
    var hashes = 0
    while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
    if peek(hashes) == UInt8(ascii: "\"") {
      position += hashes
      return string(hashes: hashes)
    }
    if peek(hashes) == UInt8(ascii: "/"), skipRegularExpression(hashes: hashes) { return }
    position += 1
    let start = position
    while let byte = peek(), Self.isWordByte(byte) { position += 1 }
    guard hashes == 1, let directive = SourceToken.Directive(rawValue: text(from: start)) else {
      return add(.literal, "#" + text(from: start))
    }
    let conditionStart = position
    while let byte = peek(), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") || peek(1) == UInt8(ascii: "*") {
        break
      }
      position += 1
    }
    add(.directive(directive), text(from: conditionStart).trimmingSpaces())
  }

  /// Skips `#/…/#`.
  ///
  /// Returns false, without advancing, if there is no regular expression.
  private mutating func skipRegularExpression(hashes: Int) -> Bool {
    var end = position + hashes + 1
    let closing = [UInt8(ascii: "/")] + Array(repeating: UInt8(ascii: "#"), count: hashes)
    while end + closing.count <= bytes.count {
      if Array(bytes[end..<end + closing.count]) == closing {
        let startLine = line
        line += bytes[position..<end].count { $0 == UInt8(ascii: "\n") }
        position = end + closing.count
        add(.literal, "", line: startLine)
        return true
      }
      end += 1
    }
    return false
  }

  /// Skips a string literal of any kind, with its interpolations.
  private mutating func string(hashes: Int) {
    let startLine = line
    let isMultiline = opensMultilineString(hashes: hashes)
    let quotes = isMultiline ? 3 : 1
    position += quotes
    while let byte = peek() {
      if byte == UInt8(ascii: "\\"), follows(UInt8(ascii: "#"), count: hashes, at: 1) {
        position += 1 + hashes
        if peek() == UInt8(ascii: "(") {
          interpolation()
        } else if peek() != UInt8(ascii: "\n") {
          position += 1
        }
      } else if follows(UInt8(ascii: "\""), count: quotes, at: 0),
        follows(UInt8(ascii: "#"), count: hashes, at: quotes)
      {
        position += quotes + hashes
        break
      } else if byte == UInt8(ascii: "\n") {
        guard isMultiline else { break }
        position += 1
        line += 1
      } else {
        position += 1
      }
    }
    add(.literal, "", line: startLine)
  }

  /// Whether three quotes open a multi-line literal.
  ///
  /// In `#"""#` they do not: a raw string that ends on its line has one line.
  private func opensMultilineString(hashes: Int) -> Bool {
    guard follows(UInt8(ascii: "\""), count: 3, at: 0) else { return false }
    guard hashes > 0 else { return true }
    var offset = 1
    while let byte = peek(offset), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\""), follows(UInt8(ascii: "#"), count: hashes, at: offset + 1) {
        return false
      }
      offset += 1
    }
    return true
  }

  private func follows(_ byte: UInt8, count: Int, at offset: Int) -> Bool {
    (0..<count).allSatisfy { peek(offset + $0) == byte }
  }

  /// Skips the expression in `\(…)`, whose strings may contain parentheses.
  ///
  /// An unclosed interpolation ends with the text.
  private mutating func interpolation() {
    var nested = SourceLexer.Interpolation()
    position += 1
    while let byte = peek() {
      if byte == UInt8(ascii: "\n") { line += 1 }
      let isDone = nested.read(byte)
      position += 1
      if isDone { return }
    }
  }

  /// Finds the end of an interpolated expression.
  ///
  /// It tracks strings, and their interpolations only as far as the parentheses require.
  private struct Interpolation {
    private enum Level { case parenthesis, string }
    private var levels: [Level] = [.parenthesis]
    private var isEscaped = false

    mutating func read(_ byte: UInt8) -> Bool {
      let wasEscaped = isEscaped
      isEscaped = false
      switch (levels.last, byte) {
      case (.string, UInt8(ascii: "\\")): isEscaped = !wasEscaped
      case (.string, UInt8(ascii: "(")) where wasEscaped: levels.append(.parenthesis)
      case (.string, UInt8(ascii: "\"")) where !wasEscaped: levels.removeLast()
      case (.parenthesis, UInt8(ascii: "\"")): levels.append(.string)
      case (.parenthesis, UInt8(ascii: "(")): levels.append(.parenthesis)
      case (.parenthesis, UInt8(ascii: ")")): levels.removeLast()
      default: break
      }
      return levels.isEmpty
    }
  }
}

extension String {
  fileprivate func trimmingSpaces() -> String {
    var text = self[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }
}
