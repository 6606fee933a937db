/// Splits Swift source into tokens and comments.
///
/// It recognizes everything that the migration must not mistake for code: nested comments, string
/// literals of every form, regular expression literals. The code in interpolations is scanned like
/// any other. Nesting is on an explicit stack, so that no input can exhaust the program's stack.
struct SourceScanner {
  enum Frame {
    /// Between the quotes of a string literal that began at `start`.
    case literal(StringDelimiter, start: Int)
    /// In an interpolation; `brackets` counts the open parentheses, including its own.
    case interpolation(brackets: Int, start: Int)
  }

  let bytes: [UInt8]
  var position = 0
  var tokens: [Token] = []
  var comments: [Range<Int>] = []
  var frames: [Frame] = []
  var startsLine = true

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Scans the whole text.
  ///
  /// It throws at the first position that cannot be Swift.
  mutating func scan() throws(ScanFailure) {
    skipByteOrderMark()
    if starts(with: "#!") { skipLineComment() }
    while true {
      if case .literal(let delimiter, let start) = frames.last {
        try scanLiteralPart(delimiter, start: start)
      } else if position < bytes.count {
        try scanCode()
      } else {
        break
      }
    }
    if case .interpolation(_, let start) = frames.last {
      throw ScanFailure(
        offset: start, message: "this string interpolation has no closing parenthesis")
    }
  }

  // MARK: - Code

  private mutating func scanCode() throws(ScanFailure) {
    switch bytes[position] {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      startsLine = true
      position += 1
    case UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C, 0:
      position += 1
    case UInt8(ascii: "/"):
      try scanSlash()
    case UInt8(ascii: "\""):
      try beginLiteral(numberSigns: 0)
    case UInt8(ascii: "#"):
      try scanNumberSign()
    case UInt8(ascii: "`"):
      try scanQuotedName()
    case let byte where byte.isDecimalDigit:
      scanNumber()
    case let byte where byte.isNamePart:
      scanWord(kind: .word, from: position)
    default:
      scanPunctuation()
    }
  }

  private mutating func scanSlash() throws(ScanFailure) {
    if starts(with: "//") {
      skipLineComment()
    } else if starts(with: "/*") {
      try skipBlockComment()
    } else if let end = patternEnd() {
      emit(.regularExpression, upTo: end)
    } else {
      scanPunctuation()
    }
  }

  private mutating func scanNumberSign() throws(ScanFailure) {
    var after = position
    while after < bytes.count, bytes[after] == UInt8(ascii: "#") { after += 1 }
    let signs = after - position
    switch byte(at: after) {
    case UInt8(ascii: "\""):
      try beginLiteral(numberSigns: signs)
    case UInt8(ascii: "/"):
      try scanExtendedPattern(numberSigns: signs)
    case let next? where signs == 1 && next.isNamePart && !next.isDecimalDigit:
      scanWord(kind: .directive, from: after)
    default:
      scanPunctuation()
    }
  }

  private mutating func scanQuotedName() throws(ScanFailure) {
    var end = position + 1
    while let next = byte(at: end), next != UInt8(ascii: "`") {
      guard !next.isLineEnd else { break }
      end += 1
    }
    guard byte(at: end) == UInt8(ascii: "`") else {
      throw ScanFailure(offset: position, message: "this name in backticks has no closing backtick")
    }
    let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
    emit(.word, spelling: name, upTo: end + 1, isQuoted: true)
  }

  private mutating func scanNumber() {
    var end = position
    while let next = byte(at: end) {
      let isFraction = next == UInt8(ascii: ".") && (byte(at: end + 1)?.isDecimalDigit ?? false)
      guard next.isNamePart || isFraction else { break }
      end += 1
    }
    emit(.number, upTo: end)
  }

  private mutating func scanWord(kind: Token.Kind, from first: Int) {
    var end = first
    while let next = byte(at: end), next.isNamePart { end += 1 }
    emit(kind, spelling: String(decoding: bytes[position..<end], as: UTF8.self), upTo: end)
  }

  private mutating func scanPunctuation() {
    let mark = bytes[position]
    emit(.punctuation, spelling: String(decoding: [mark], as: UTF8.self), upTo: position + 1)
    guard case .interpolation(let brackets, let start) = frames.last else { return }
    if mark == UInt8(ascii: "(") {
      frames[frames.count - 1] = .interpolation(brackets: brackets + 1, start: start)
    } else if mark == UInt8(ascii: ")") {
      frames.removeLast()
      if brackets > 1 { frames.append(.interpolation(brackets: brackets - 1, start: start)) }
    }
  }

  // MARK: - Comments

  private mutating func skipLineComment() {
    let start = position
    while let next = byte(at: position), !next.isLineEnd { position += 1 }
    comments.append(start..<position)
  }

  private mutating func skipBlockComment() throws(ScanFailure) {
    let start = position
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        position += 2
      } else if starts(with: "*/") {
        depth -= 1
        position += 2
      } else if let next = byte(at: position) {
        if next.isLineEnd { startsLine = true }
        position += 1
      } else {
        throw ScanFailure(offset: start, message: "this comment has no closing */")
      }
      guard depth <= Limits.commentDepth else {
        throw ScanFailure(
          offset: position, message: "comments are nested deeper than \(Limits.commentDepth) levels"
        )
      }
    } while depth > 0
    comments.append(start..<position)
  }

  private mutating func skipByteOrderMark() {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  // MARK: - Reading and writing

  func byte(at offset: Int) -> UInt8? {
    bytes.indices.contains(offset) ? bytes[offset] : nil
  }

  func starts(with text: StaticString) -> Bool {
    bytes[position...].starts(with: text.description.utf8)
  }

  mutating func emit(
    _ kind: Token.Kind, spelling: String = "", upTo end: Int, isQuoted: Bool = false
  ) {
    tokens.append(
      Token(
        kind: kind, spelling: spelling, range: position..<end, startsLine: startsLine,
        isQuoted: isQuoted))
    startsLine = false
    position = end
  }
}
