/// The first line of a request: `METHOD SP TARGET SP VERSION`, with single spaces.
enum RequestLine {
  /// The longest request line that the limits allow.
  static let longest = Limits.methodBytes + 1 + Limits.targetBytes + 1 + 8 + 2

  static func read(
    _ line: Range<Int>, of bytes: Span<UInt8>, into head: inout ParsedHead
  ) throws(HTTPParseError) {
    var place = line.lowerBound
    head.method = try readMethod(&place, to: line.upperBound, of: bytes)
    let target = try readTarget(&place, to: line.upperBound, of: bytes)
    head.version = try readVersion(place..<line.upperBound, of: bytes)
    try RequestTarget.read(target, of: bytes, into: &head)
  }

  private static func readMethod(
    _ place: inout Int, to end: Int, of bytes: Span<UInt8>
  ) throws(HTTPParseError) -> Range<Int> {
    let start = place
    while place < end, ByteClass.isToken(bytes[place]) { place += 1 }
    guard place > start, place < end, bytes[place] == ByteClass.space else {
      throw .malformedRequestLine
    }
    let method = start..<place
    guard method.count <= Limits.methodBytes, !bytes.matches("connect", in: method) else {
      throw .methodUnsupported
    }
    place += 1
    return method
  }

  private static func readTarget(
    _ place: inout Int, to end: Int, of bytes: Span<UInt8>
  ) throws(HTTPParseError) -> Range<Int> {
    let start = place
    while place < end, ByteClass.isTarget(bytes[place]) { place += 1 }
    guard place - start <= Limits.targetBytes else { throw .targetTooLong }
    guard place > start, place < end else { throw .malformedRequestLine }
    guard bytes[place] == ByteClass.space else { throw .malformedTarget }
    defer { place += 1 }
    return start..<place
  }

  private static func readVersion(_ range: Range<Int>, of bytes: Span<UInt8>) throws(HTTPParseError)
    -> HTTPVersion
  {
    let start = range.lowerBound
    guard range.count == 8, bytes.isEqual("HTTP/", in: start..<start + 5),
      ByteClass.isDigit(bytes[start + 5]),
      bytes[start + 6] == UInt8(ascii: "."), ByteClass.isDigit(bytes[start + 7])
    else { throw .malformedRequestLine }
    switch (bytes[start + 5], bytes[start + 7]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "1")): return .http11
    case (UInt8(ascii: "1"), UInt8(ascii: "0")): return .http10
    default: throw .versionUnsupported
    }
  }
}

extension Span<UInt8> {
  /// Whether the bytes of a range equal a text, ignoring case.
  ///
  /// The text is in lower case.
  func matches(_ text: StaticString, in range: Range<Int>) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { expected in
      for offset in 0..<expected.count
      where unsafe ByteClass.lowercased(self[range.lowerBound + offset]) != expected[offset] {
        return false
      }
      return true
    }
  }

  /// Whether the bytes of a range equal a text.
  func isEqual(_ text: StaticString, in range: Range<Int>) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { expected in
      for offset in 0..<expected.count
      where unsafe self[range.lowerBound + offset] != expected[offset] {
        return false
      }
      return true
    }
  }
}
