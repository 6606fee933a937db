/// Splits a format string into tokens.
struct Lexer {
  let text: String
  let bytes: [UInt8]
  var position = 0
  var tokens: [Token] = []

  /// All tokens of the text; the last is `end`.
  static func tokens(of text: String) throws(PredicateParseError) -> [Token] {
    var lexer = Lexer(text: text, bytes: Array(text.utf8))
    guard lexer.bytes.count <= Limits.formatBytes else {
      throw PredicateParseError(
        code: .limitExceeded,
        message: "the text has \(lexer.bytes.count) bytes; at most \(Limits.formatBytes) are read. "
          + "Pass long lists as arguments for %@.",
        text: text, byteOffset: 0)
    }
    while try lexer.readToken() {}
    return lexer.tokens
  }

  /// Reads the next token; returns false at the end of the text.
  private mutating func readToken() throws(PredicateParseError) -> Bool {
    while position < bytes.count, bytes[position].isSpace { position += 1 }
    let start = position
    guard position < bytes.count else {
      append(.end, from: start)
      return false
    }
    append(try readKind(), from: start)
    return true
  }

  private mutating func append(_ kind: Token.Kind, from start: Int) {
    tokens.append(Token(kind: kind, range: start..<position))
  }

  private mutating func readKind() throws(PredicateParseError) -> Token.Kind {
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return .string(try readString())
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .number(try readNumber())
    case UInt8(ascii: "."):
      return startsFraction ? .number(try readNumber()) : try readSign()
    case UInt8(ascii: "$"):
      position += 1
      return .variable(try readWord(after: "$", "a variable's name"))
    case UInt8(ascii: "#"):
      position += 1
      return .escapedWord(try readWord(after: "#", "a key"))
    case UInt8(ascii: "@"):
      return try readAfterAtSign()
    case UInt8(ascii: "%"):
      return .placeholder(try readPlaceholder())
    case _ where byte.startsWord:
      return readWordOrSelector()
    default:
      return try readSign()
    }
  }

  // MARK: Words

  private mutating func readWord(after sign: String, _ wanted: String) throws(PredicateParseError)
    -> String
  {
    guard position < bytes.count, bytes[position].startsWord else {
      throw error("expected \(wanted) after “\(sign)”", at: position)
    }
    return readWordCharacters()
  }

  private mutating func readWordCharacters() -> String {
    let start = position
    while position < bytes.count, bytes[position].continuesWord { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func readWordOrSelector() -> Token.Kind {
    let start = position
    var colons = 0
    _ = readWordCharacters()
    while position < bytes.count, bytes[position] == UInt8(ascii: ":") {
      position += 1
      colons += 1
      _ = readWordCharacters()
    }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    return colons == 0 ? .word(word) : .selector(word)
  }

  private mutating func readAfterAtSign() throws(PredicateParseError) -> Token.Kind {
    position += 1
    if position < bytes.count,
      bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
    {
      let literal = try readString()
      return .pathLiteral(
        literal.split(separator: ".", omittingEmptySubsequences: false).map(unescaped).joined(
          separator: "."))
    }
    return .collectionOperator(
      "@"
        + (try readWord(after: "@", "a collection operator such as “count”, or a quoted key path")))
  }

  /// A key of a quoted path without its leading `#`.
  private func unescaped(_ key: Substring) -> Substring { key.first == "#" ? key.dropFirst() : key }

  // MARK: Signs

  private mutating func readSign() throws(PredicateParseError) -> Token.Kind {
    for length in [2, 1] where position + length <= bytes.count {
      let text = String(decoding: bytes[position..<position + length], as: UTF8.self)
      if let sign = Token.Sign(rawValue: text) {
        position += length
        return .sign(sign)
      }
    }
    let character =
      String(decoding: bytes[position...].prefix(4), as: UTF8.self).first.map(String.init) ?? ""
    throw error(
      "“\(character)” is not allowed here; quote text, and pass values as arguments for %@",
      at: position)
  }

  func error(_ message: String, at offset: Int) -> PredicateParseError {
    PredicateParseError(code: .malformedToken, message: message, text: text, byteOffset: offset)
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether the byte is a letter, the underscore, or part of a character outside ASCII.
  var startsWord: Bool {
    self == UInt8(ascii: "_") || self >= 0x80
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }

  var continuesWord: Bool { startsWord || isDigit }
}
