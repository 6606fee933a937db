/// A source file split into tokens, with its brackets paired and its conditional blocks evaluated.
struct ScannedSource: Sendable {
  let file: SourceFile
  let bytes: [UInt8]
  let tokens: [Token]
  let comments: [Range<Int>]
  /// The index of each bracket token's partner.
  let partners: [Int: Int]
  let conditions: ConditionalBlocks
  /// The offsets of the line starts.
  let lineStarts: [Int]
  /// The line ending that the file uses.
  let newline: String

  init(_ file: SourceFile) throws(Diagnostic) {
    self.file = file
    bytes = Array(file.text.utf8)
    lineStarts = Self.lineStarts(of: bytes)
    newline = Self.newline(of: bytes)
    do throws(ScanFailure) {
      guard bytes.count <= Limits.sourceBytes else {
        throw ScanFailure(offset: 0, message: "the file is larger than \(Limits.sourceBytes) bytes")
      }
      var scanner = SourceScanner(bytes)
      try scanner.scan()
      tokens = scanner.tokens
      comments = scanner.comments
      partners = try Self.pairBrackets(of: scanner.tokens)
      conditions = try ConditionalBlocks(tokens: scanner.tokens)
    } catch {
      let (line, column) = Self.position(of: error.offset, lineStarts: lineStarts)
      throw Diagnostic(
        .error, path: file.path, line: line, column: column,
        message: error.message + "; the file is left as it is")
    }
  }

  // MARK: - Token queries

  func spelling(_ index: Int) -> String {
    tokens.indices.contains(index) ? tokens[index].spelling : ""
  }

  func isPunctuation(_ index: Int, _ mark: String) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .punctuation
      && tokens[index].spelling == mark
  }

  func isWord(_ index: Int, _ word: String) -> Bool {
    isKeyword(index) && tokens[index].spelling == word
  }

  func isDirective(_ index: Int, _ word: String) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .directive
      && tokens[index].spelling == word
  }

  /// Whether the token is a word that is not in backticks.
  func isKeyword(_ index: Int) -> Bool { isName(index) && !tokens[index].isQuoted }

  func isName(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .word
  }

  /// Whether the next token follows without whitespace.
  func isAdjacentToNext(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens.indices.contains(index + 1)
      && tokens[index].range.upperBound == tokens[index + 1].range.lowerBound
  }

  /// Whether the token is in code that is compiled only with the Objective-C runtime.
  func needsObjectiveC(_ index: Int) -> Bool { conditions.needsObjectiveC[index] }

  /// The bytes from the first to the last token.
  func bytes(from first: Int, through last: Int) -> Range<Int> {
    tokens[first].range.lowerBound..<tokens[last].range.upperBound
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func containsComment(_ range: Range<Int>) -> Bool { comments.contains { $0.overlaps(range) } }
}

extension ScannedSource {
  // MARK: - Lines

  /// The line and column of a byte, starting from one.
  func position(of offset: Int) -> (line: Int, column: Int) {
    Self.position(of: offset, lineStarts: lineStarts)
  }

  func lineStart(of offset: Int) -> Int { lineStarts[position(of: offset).line - 1] }

  /// The start of the next line, or the end of the file.
  func nextLineStart(after offset: Int) -> Int {
    let next = position(of: offset).line
    return next < lineStarts.count ? lineStarts[next] : bytes.count
  }

  /// The end of the line, before its line ending.
  func lineEnd(after offset: Int) -> Int {
    bytes[offset...].firstIndex(where: \.isLineEnd) ?? bytes.count
  }

  /// The whitespace at the start of the line.
  func indentation(of offset: Int) -> String {
    let start = lineStart(of: offset)
    let end = bytes[start...].firstIndex { !$0.isBlank } ?? bytes.count
    return text(start..<end)
  }

  /// Whether only whitespace precedes the token on its line.
  func startsItsLine(_ index: Int) -> Bool {
    let start = tokens[index].range.lowerBound
    return tokens[index].startsLine && bytes[lineStart(of: start)..<start].allSatisfy(\.isBlank)
  }

  /// The offset after the following whitespace.
  func skippingBlanks(_ offset: Int) -> Int {
    bytes[offset...].firstIndex { !$0.isBlank } ?? bytes.count
  }

  /// Whether only whitespace follows on the line.
  func endsLine(_ offset: Int) -> Bool {
    let next = skippingBlanks(offset)
    return next == bytes.count || bytes[next].isLineEnd
  }

  private static func newline(of bytes: [UInt8]) -> String {
    guard let first = bytes.firstIndex(where: \.isLineEnd) else { return "\n" }
    guard bytes[first] == UInt8(ascii: "\r") else { return "\n" }
    return bytes[(first + 1)...].first == UInt8(ascii: "\n") ? "\r\n" : "\r"
  }

  private static func lineStarts(of bytes: [UInt8]) -> [Int] {
    // The first line starts after the byte order mark.
    var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
    for (offset, byte) in bytes.enumerated() where byte.isLineEnd {
      let isHalf = byte == UInt8(ascii: "\r") && bytes[(offset + 1)...].first == UInt8(ascii: "\n")
      if !isHalf { starts.append(offset + 1) }
    }
    return starts
  }

  private static func position(of offset: Int, lineStarts: [Int]) -> (line: Int, column: Int) {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return (low + 1, max(offset - lineStarts[low], 0) + 1)
  }

  // MARK: - Brackets

  private static let closing = ["(": ")", "[": "]", "{": "}"]

  private static func pairBrackets(of tokens: [Token]) throws(ScanFailure) -> [Int: Int] {
    var partners: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() where token.kind == .punctuation {
      if closing[token.spelling] != nil {
        open.append(index)
        guard open.count <= Limits.bracketDepth else {
          throw ScanFailure(offset: token.range.lowerBound, message: "brackets are nested too deep")
        }
      } else if closing.values.contains(token.spelling) {
        guard let opening = open.popLast(), closing[tokens[opening].spelling] == token.spelling
        else {
          throw ScanFailure(
            offset: token.range.lowerBound, message: "this \(token.spelling) closes nothing")
        }
        partners[opening] = index
        partners[index] = opening
      }
    }
    if let opening = open.last {
      throw ScanFailure(
        offset: tokens[opening].range.lowerBound,
        message: "this \(tokens[opening].spelling) is never closed")
    }
    return partners
  }
}
