/// Splits Swift source text into tokens, without comments and the contents of strings.
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
    let isMultiline = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
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

  private func follows(_ byte: UInt8, count: Int, at offset: Int) -> Bool {
    (0..<count).allSatisfy { peek(offset + $0) == byte }
  }

  /// Skips the expression in `\(…)`, whose strings may contain parentheses.
  ///
  /// An unclosed one ends with the text.
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
