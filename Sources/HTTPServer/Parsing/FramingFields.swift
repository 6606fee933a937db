/// The fields that determine the end of a request, and whether its connection stays open.
///
/// Request smuggling abuses these fields, so each may appear only once and in one form.
struct FramingFields: Sendable {
  private var contentLength: Int?
  private var isChunked = false
  private var hasHost = false
  private var closes = false
  private var asksForKeepAlive = false
  private var expectsContinue = false

  mutating func take(
    _ field: ParsedHead.Field, of bytes: Span<UInt8>, into head: inout ParsedHead
  ) throws(HTTPParseError) {
    let name = field.name
    switch name.count {
    case 4 where bytes.matches("host", in: name): try takeHost(field.value, of: bytes, into: &head)
    case 6 where bytes.matches("expect", in: name): try takeExpect(field.value, of: bytes)
    case 10 where bytes.matches("connection", in: name): takeConnection(field.value, of: bytes)
    case 14 where bytes.matches("content-length", in: name):
      try takeContentLength(field.value, of: bytes)
    case 17 where bytes.matches("transfer-encoding", in: name):
      try takeTransferEncoding(field.value, of: bytes)
    default: break
    }
  }

  /// Checks the conditions that depend on all fields, at the end of the head.
  func finish(_ head: inout ParsedHead) throws(HTTPParseError) {
    if isChunked {
      guard contentLength == nil else { throw .ambiguousLength }
      guard head.version == .http11 else { throw .malformedTransferEncoding }
      head.framing = .chunked
    } else if let contentLength, contentLength > 0 {
      head.framing = .length(contentLength)
    }
    guard hasHost || head.version == .http10 else { throw .missingHost }
    head.keepsAlive = !closes && (head.version == .http11 || asksForKeepAlive)
    // A client of HTTP/1.0 would mistake an interim response for the final one.
    head.expectsContinue = expectsContinue && head.version == .http11 && head.framing != .none
  }

  private mutating func takeHost(
    _ value: Range<Int>, of bytes: Span<UInt8>, into head: inout ParsedHead
  ) throws(HTTPParseError) {
    guard !hasHost else { throw .repeatedHost }
    guard !value.isEmpty else { throw .malformedHost }
    for place in value where !ByteClass.isAuthority(bytes[place]) { throw .malformedHost }
    hasHost = true
    if head.authority.isEmpty { head.authority = value }
  }

  private mutating func takeContentLength(_ value: Range<Int>, of bytes: Span<UInt8>)
    throws(HTTPParseError)
  {
    guard contentLength == nil else { throw .repeatedContentLength }
    guard 1...18 ~= value.count else { throw .malformedContentLength }
    var length = 0
    for place in value {
      guard ByteClass.isDigit(bytes[place]) else { throw .malformedContentLength }
      length = length * 10 + Int(bytes[place] - UInt8(ascii: "0"))
    }
    contentLength = length
  }

  private mutating func takeTransferEncoding(_ value: Range<Int>, of bytes: Span<UInt8>)
    throws(HTTPParseError)
  {
    guard !isChunked else { throw .malformedTransferEncoding }
    guard bytes.matches("chunked", in: value) else { throw .transferEncodingUnsupported }
    isChunked = true
  }

  private mutating func takeExpect(_ value: Range<Int>, of bytes: Span<UInt8>)
    throws(HTTPParseError)
  {
    guard bytes.matches("100-continue", in: value) else { throw .expectationUnsupported }
    expectsContinue = true
  }

  /// Reads a list of connection options, and ignores unknown ones.
  private mutating func takeConnection(_ value: Range<Int>, of bytes: Span<UInt8>) {
    var start = value.lowerBound
    while start < value.upperBound {
      var end = start
      while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
      takeOption(start..<end, of: bytes)
      start = end + 1
    }
  }

  private mutating func takeOption(_ range: Range<Int>, of bytes: Span<UInt8>) {
    var option = range
    while let first = option.first, FieldLine.isWhiteSpace(bytes[first]) {
      option = option.dropFirst()
    }
    while let last = option.last, FieldLine.isWhiteSpace(bytes[last]) { option = option.dropLast() }
    if bytes.matches("close", in: option) { closes = true }
    if bytes.matches("keep-alive", in: option) { asksForKeepAlive = true }
  }
}
