extension Lexer {
  // MARK: Strings

  /// Reads a string in single or double quotes, and decodes its escapes.
  mutating func readString() throws(PredicateParseError) -> String {
    let start = position
    let quote = bytes[position]
    var content: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote { return String(decoding: content, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        content += try readEscape()
      } else {
        content.append(byte)
      }
    }
    throw error("the string has no closing \(quote == UInt8(ascii: "'") ? "'" : "\"")", at: start)
  }

  /// Reads the characters of an escape.
  ///
  /// A backslash before a character that forms no escape remains, and so does that character. So
  /// the escapes of LIKE and MATCHES need no second backslash.
  private mutating func readEscape() throws(PredicateParseError) -> [UInt8] {
    let start = position - 1
    guard position < bytes.count else {
      throw error("the string ends after a backslash", at: start)
    }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): return [byte]
    case UInt8(ascii: "x"): return try readScalar(digits: 2, radix: 16, from: start)
    case UInt8(ascii: "u"): return try readUTF16Escape(from: start)
    case UInt8(ascii: "U"): return try readScalar(digits: 8, radix: 16, from: start)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      position -= 1
      return try readOctal(from: start)
    default: return [UInt8(ascii: "\\"), byte]
    }
  }

  /// Reads one to three octal digits.
  private mutating func readOctal(from start: Int) throws(PredicateParseError) -> [UInt8] {
    var count = 0
    while count < 3, position + count < bytes.count,
      (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[position + count])
    {
      count += 1
    }
    return try readScalar(digits: count, radix: 8, from: start)
  }

  private mutating func readScalar(
    digits: Int, radix: Int, from start: Int
  ) throws(PredicateParseError) -> [UInt8] {
    guard let value = readDigits(digits, radix: radix), let scalar = UnicodeScalar(value) else {
      throw error("the escape does not name a character; it takes \(digits) digits", at: start)
    }
    return Array(String(Character(scalar)).utf8)
  }

  /// Reads `\uXXXX`, or two of them that form a surrogate pair.
  private mutating func readUTF16Escape(from start: Int) throws(PredicateParseError) -> [UInt8] {
    guard let first = readDigits(4, radix: 16) else {
      throw error("the escape does not name a character; it takes 4 digits", at: start)
    }
    if let scalar = UnicodeScalar(first) { return Array(String(Character(scalar)).utf8) }
    if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      position += 2
      if (0xD800...0xDBFF).contains(first), let second = readDigits(4, radix: 16),
        (0xDC00...0xDFFF).contains(second),
        let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return Array(String(Character(scalar)).utf8)
      }
    }
    throw error("the escape is half of a surrogate pair; write both halves", at: start)
  }

  private mutating func readDigits(_ count: Int, radix: Int) -> UInt32? {
    guard count > 0, position + count <= bytes.count else { return nil }
    let digits = bytes[position..<position + count]
    guard digits.allSatisfy({ $0.isHexDigit }) else { return nil }
    position += count
    return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
  }

  // MARK: Numbers

  /// Whether the dot at the position begins a number rather than the next key of a path.
  var startsFraction: Bool {
    guard position + 1 < bytes.count, bytes[position + 1].isDigit else { return false }
    guard let last = tokens.last, last.range.upperBound == position else { return true }
    switch last.kind {
    case .sign(let sign): return ![.closeBracket, .closeParenthesis, .closeBrace].contains(sign)
    default: return false
    }
  }

  /// Reads a number: `1`, `1.5`, `.5`, `1e3`, `0x1F`, `0b11`, `0o7`.
  mutating func readNumber() throws(PredicateParseError) -> NumberLiteral {
    let start = position
    let literal = radixPrefix.map { readInteger(radix: $0) } ?? readDecimal()
    guard let literal, position >= bytes.count || !bytes[position].continuesWord else {
      throw error("the number is not well formed", at: start)
    }
    return literal
  }

  private var radixPrefix: Int? {
    guard bytes[position] == UInt8(ascii: "0"), position + 1 < bytes.count else { return nil }
    switch bytes[position + 1] | 0x20 {
    case UInt8(ascii: "x"): return 16
    case UInt8(ascii: "o"): return 8
    case UInt8(ascii: "b"): return 2
    default: return nil
    }
  }

  private mutating func readInteger(radix: Int) -> NumberLiteral? {
    position += 2
    let start = position
    while position < bytes.count, bytes[position].isHexDigit { position += 1 }
    return NumberLiteral(
      digits: String(decoding: bytes[start..<position], as: UTF8.self), radix: radix)
  }

  private mutating func readDecimal() -> NumberLiteral? {
    let start = position
    skipDigits()
    var isInteger = true
    if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "."), bytes[position + 1].isDigit
    {
      isInteger = false
      position += 1
      skipDigits()
    }
    if skipExponent() { isInteger = false }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger { return NumberLiteral(digits: text, radix: 10) }
    return Double(text).map(NumberLiteral.double)
  }

  private mutating func skipDigits() {
    while position < bytes.count, bytes[position].isDigit { position += 1 }
  }

  private mutating func skipExponent() -> Bool {
    guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return false }
    var next = position + 1
    if next < bytes.count, bytes[next] == UInt8(ascii: "+") || bytes[next] == UInt8(ascii: "-") {
      next += 1
    }
    guard next < bytes.count, bytes[next].isDigit else { return false }
    position = next
    skipDigits()
    return true
  }

  // MARK: Placeholders

  /// Reads `%@`, `%K`, or a C conversion.
  mutating func readPlaceholder() throws(PredicateParseError) -> Placeholder {
    let start = position
    position += 1
    let length =
      Placeholder.lengthModifiers.first { bytes[position...].starts(with: $0.utf8) } ?? ""
    position += length.utf8.count
    guard position < bytes.count,
      let placeholder = Placeholder(lengthModifier: length, letter: bytes[position])
    else {
      throw error(
        "not a placeholder; they are %@, %K and C’s conversions without width or precision, such as %d",
        at: start)
    }
    position += 1
    return placeholder
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }
}
