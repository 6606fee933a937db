/// Splits a schema's text into tokens, and skips comments.
///
/// It works on bytes: keywords and names are ASCII, and comments may contain anything.
struct SchemaLexer: ~Copyable {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var column = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Skips a byte order mark, which some editors write.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  private var position: TextPosition { TextPosition(line: line, column: column) }

  mutating func next() throws(SchemaIssue) -> LocatedToken {
    try skipSpaceAndComments()
    let start = position
    guard let byte = peek() else { return LocatedToken(token: .end, position: start) }
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: ","),
      UInt8(ascii: ";"):
      advance()
      return LocatedToken(token: .sign(Character(UnicodeScalar(byte))), position: start)
    case UInt8(ascii: "\""): return LocatedToken(token: .quoted(try quotedName()), position: start)
    case _ where Self.belongsToWord(byte):
      return LocatedToken(token: .word(word()), position: start)
    default: throw unexpected(byte, at: start)
    }
  }

  // MARK: Parts

  private mutating func word() -> String {
    let start = index
    while let byte = peek(), Self.belongsToWord(byte) { advance() }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func quotedName() throws(SchemaIssue) -> String {
    let start = position
    advance()
    let first = index
    while let byte = peek(), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\"") {
        let name = String(decoding: bytes[first..<index], as: UTF8.self)
        advance()
        return name
      }
      advance()
    }
    throw SchemaIssue(
      "The line does not close the quote of this name.",
      remedy: "Write the second quote after the name.",
      at: start)
  }

  private mutating func skipSpaceAndComments() throws(SchemaIssue) {
    while let byte = peek() {
      switch (byte, peek(1)) {
      case (UInt8(ascii: " "), _), (UInt8(ascii: "\t"), _), (UInt8(ascii: "\r"), _),
        (UInt8(ascii: "\n"), _):
        advance()
      case (UInt8(ascii: "/"), UInt8(ascii: "/")), (UInt8(ascii: "-"), UInt8(ascii: "-")):
        skipLine()
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): try skipBlock()
      default: return
      }
    }
  }

  private mutating func skipLine() {
    while let byte = peek(), byte != UInt8(ascii: "\n") { advance() }
  }

  private mutating func skipBlock() throws(SchemaIssue) {
    let start = position
    advance()
    advance()
    while let byte = peek() {
      advance()
      if byte == UInt8(ascii: "*"), peek() == UInt8(ascii: "/") { return advance() }
    }
    throw SchemaIssue(
      "This comment does not end.", remedy: "Write */ after it.", at: start)
  }

  // MARK: Bytes

  private func peek(_ distance: Int = 0) -> UInt8? {
    index + distance < bytes.count ? bytes[index + distance] : nil
  }

  private mutating func advance() {
    let byte = bytes[index]
    index += 1
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if index == bytes.count || bytes[index] & 0xC0 != 0x80 {
      // A character counts once, however many bytes it has.
      column += 1
    }
  }

  /// Whether a byte belongs to a word.
  ///
  /// Digits may begin a word, and dots are part of it, so that errors show the whole name.
  private static func belongsToWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: false
    }
  }

  private func unexpected(_ byte: UInt8, at position: TextPosition) -> SchemaIssue {
    let isVisible = (0x21..<0x7F).contains(byte)
    let what =
      isVisible ? "'\(Character(UnicodeScalar(byte)))'" : "A character that is not visible ASCII"
    return SchemaIssue(
      "\(what) has no meaning here.",
      remedy:
        "Outside of comments, only words, names in double quotes, and the signs ( ) < > , ; are allowed.",
      at: position)
  }
}
