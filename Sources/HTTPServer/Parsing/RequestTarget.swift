/// The forms of a request target that this server supports (RFC 9112, 3.2).
///
///     /path?query                    the form for servers
///     http://host:port/path?query    the form for proxies, which servers must understand
///     *                              with OPTIONS
enum RequestTarget {
  static func read(
    _ target: Range<Int>, of bytes: Span<UInt8>, into head: inout ParsedHead
  ) throws(HTTPParseError) {
    if bytes[target.lowerBound] == UInt8(ascii: "/") {
      readPath(target, of: bytes, into: &head)
    } else if target.count == 1, bytes[target.lowerBound] == UInt8(ascii: "*"),
      bytes.isEqual("OPTIONS", in: head.method)
    {
      head.path = target
    } else {
      try readAbsolute(target, of: bytes, into: &head)
    }
  }

  private static func readPath(
    _ range: Range<Int>, of bytes: Span<UInt8>, into head: inout ParsedHead
  ) {
    var mark = range.lowerBound
    while mark < range.upperBound, bytes[mark] != UInt8(ascii: "?") { mark += 1 }
    head.path = range.lowerBound..<mark
    head.query = mark < range.upperBound ? mark + 1..<range.upperBound : nil
  }

  private static func readAbsolute(
    _ target: Range<Int>, of bytes: Span<UInt8>, into head: inout ParsedHead
  ) throws(HTTPParseError) {
    guard let start = authorityStart(of: target, of: bytes) else { throw .malformedTarget }
    var end = start
    while end < target.upperBound, ByteClass.isAuthority(bytes[end]) { end += 1 }
    // A target without a path is rejected, because no range could represent the implied “/”.
    guard end > start, end < target.upperBound, bytes[end] == UInt8(ascii: "/") else {
      throw .malformedTarget
    }
    head.authority = start..<end
    readPath(end..<target.upperBound, of: bytes, into: &head)
  }

  private static func authorityStart(of target: Range<Int>, of bytes: Span<UInt8>) -> Int? {
    let start = target.lowerBound
    if target.count > 7, bytes.matches("http://", in: start..<start + 7) { return start + 7 }
    if target.count > 8, bytes.matches("https://", in: start..<start + 8) { return start + 8 }
    return nil
  }
}
