private import Glibc

/// Parses the head of a request strictly (RFC 9110, RFC 9112), and rejects ambiguous input.
///
/// A head may arrive in any number of pieces. Each call of `parse` gets all bytes so far and
/// continues at the last position, so a client that sends single bytes costs no more than others.
package struct HTTPHeadParser: Sendable {
  private var head = ParsedHead()
  private var framing = FramingFields()
  /// The start of the incomplete line.
  private var lineStart = 0
  /// The position up to which the line's end was searched.
  private var searched = 0
  private var hasRequestLine = false
  private var hasSkippedEmptyLine = false

  /// Creates a parser at the beginning of a head.
  package init() {
    head.fields.reserveCapacity(16)
  }

  /// Returns the head, or nil if more bytes are needed.
  ///
  /// - Parameter bytes: All bytes since the previous head. The result's `byteCount` is the number
  ///   of bytes that belong to this head.
  package mutating func parse(_ bytes: Span<UInt8>) throws(HTTPParseError) -> ParsedHead? {
    while let end = try lineEnd(in: bytes) {
      let line = lineStart..<end
      lineStart = end + 2
      searched = lineStart
      if try read(line, of: bytes) { return head }
    }
    try checkUnfinishedLine(of: bytes)
    return nil
  }

  /// Returns the position of the carriage return that ends the line at `lineStart`, or nil.
  private mutating func lineEnd(in bytes: Span<UInt8>) throws(HTTPParseError) -> Int? {
    guard let lineFeed = bytes.firstLineFeed(from: searched) else {
      searched = bytes.count
      guard bytes.count <= Limits.headBytes else { throw tooLong }
      return nil
    }
    guard lineFeed < Limits.headBytes else { throw tooLong }
    guard lineFeed > lineStart, bytes[lineFeed - 1] == ByteClass.carriageReturn else {
      throw .malformedLineEnd
    }
    return lineFeed - 1
  }

  private var tooLong: HTTPParseError { hasRequestLine ? .headTooLong : .targetTooLong }

  /// Reads one line.
  ///
  /// Returns true for the empty line that ends the head.
  private mutating func read(_ line: Range<Int>, of bytes: Span<UInt8>) throws(HTTPParseError)
    -> Bool
  {
    guard hasRequestLine else {
      try readFirstLine(line, of: bytes)
      return false
    }
    guard line.isEmpty else {
      try readField(line, of: bytes)
      return false
    }
    try framing.finish(&head)
    head.byteCount = lineStart
    return true
  }

  /// Reads the request line.
  ///
  /// Skips one empty line before it, which some clients send after a body.
  private mutating func readFirstLine(_ line: Range<Int>, of bytes: Span<UInt8>)
    throws(HTTPParseError)
  {
    if line.isEmpty, !hasSkippedEmptyLine {
      hasSkippedEmptyLine = true
      return
    }
    try RequestLine.read(line, of: bytes, into: &head)
    hasRequestLine = true
  }

  private mutating func readField(_ line: Range<Int>, of bytes: Span<UInt8>) throws(HTTPParseError)
  {
    guard head.fields.count < Limits.fieldCount else { throw .tooManyFields }
    let field = try FieldLine.read(line, of: bytes)
    head.fields.append(field)
    try framing.take(field, of: bytes, into: &head)
  }

  /// Rejects early what cannot become a request line: another protocol, or a target that is too
  /// long.
  private func checkUnfinishedLine(of bytes: Span<UInt8>) throws(HTTPParseError) {
    guard !hasRequestLine, bytes.count > lineStart else { return }
    guard bytes.count - lineStart <= RequestLine.longest else { throw .targetTooLong }
    if bytes[lineStart] == ByteClass.carriageReturn, bytes.count == lineStart + 1 { return }
    guard ByteClass.isToken(bytes[lineStart]) else { throw .malformedRequestLine }
  }
}

extension Span<UInt8> {
  /// Returns the position of the first line feed at or after a position.
  func firstLineFeed(from start: Int) -> Int? {
    guard start < count else { return nil }
    return unsafe withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress,
        let found = unsafe memchr(base + start, CInt(ByteClass.lineFeed), buffer.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
  }
}
