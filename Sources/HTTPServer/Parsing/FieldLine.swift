/// One header field: `name: value`, in one line, with no space before the colon.
enum FieldLine {
  static func read(_ line: Range<Int>, of bytes: Span<UInt8>) throws(HTTPParseError)
    -> ParsedHead.Field
  {
    var place = line.lowerBound
    let first = bytes[place]
    guard first != ByteClass.space, first != ByteClass.tab else { throw .foldedField }
    while place < line.upperBound, ByteClass.isToken(bytes[place]) { place += 1 }
    let name = line.lowerBound..<place
    guard !name.isEmpty, place < line.upperBound, bytes[place] == ByteClass.colon else {
      throw .malformedFieldName
    }
    return ParsedHead.Field(
      name: name, value: try readValue(place + 1..<line.upperBound, of: bytes))
  }

  /// Returns the range of the value without the surrounding white space.
  private static func readValue(_ range: Range<Int>, of bytes: Span<UInt8>) throws(HTTPParseError)
    -> Range<Int>
  {
    for place in range where !ByteClass.isFieldValue(bytes[place]) {
      throw bytes[place] == ByteClass.carriageReturn ? .malformedLineEnd : .malformedFieldValue
    }
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, isWhiteSpace(bytes[start]) { start += 1 }
    while end > start, isWhiteSpace(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  @inline(__always)
  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == ByteClass.space || byte == ByteClass.tab
  }
}
