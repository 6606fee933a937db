private import Glibc

/// Reads the head of a request, strictly (RFC 9110, RFC 9112): what two readers could take for
/// different things is refused.
///
/// A head may come in any number of pieces: `parse` is called with all bytes so far, and goes on
/// where it had to stop, so that a client who sends single bytes costs no more than one who sends
/// the whole.
package struct HTTPHeadParser: Sendable {
  private var head = ParsedHead()
  private var framing = FramingFields()
  /// Where the line begins that is not whole yet.
  private var lineStart = 0
  /// How far its end was looked for already.
  private var searched = 0
  private var hasRequestLine = false
  private var hasSkippedEmptyLine = false

  /// A parser at the beginning of a head.
  package init() {
    head.fields.reserveCapacity(16)
  }

  /// The head, once it is whole; nil where more bytes are needed.
  ///
  /// - Parameter bytes: All bytes since the last head ended; `byteCount` of the result says how
  ///   many belong to this one.
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

  /// Where the line ends that begins at `lineStart`: the place of its carriage return.
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

  /// Reads one line; true where it was the empty one that ends the head.
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

  /// Reads the request line, and lets one empty line pass before it, which some clients send after
  /// a body.
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

  /// Refuses early what cannot become a request line: another protocol, or a target that is too
  /// long already.
  private func checkUnfinishedLine(of bytes: Span<UInt8>) throws(HTTPParseError) {
    guard !hasRequestLine, bytes.count > lineStart else { return }
    guard bytes.count - lineStart <= RequestLine.longest else { throw .targetTooLong }
    if bytes[lineStart] == ByteClass.carriageReturn, bytes.count == lineStart + 1 { return }
    guard ByteClass.isToken(bytes[lineStart]) else { throw .malformedRequestLine }
  }
}

extension Span<UInt8> {
  /// The place of the first line feed at or behind a place.
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
