/// The range of a string in the document.
struct StringExtent {
  /// The offset of the first byte after the opening quote.
  let start: Int
  /// The offset of the closing quote.
  let end: Int
  let hasEscapes: Bool
}

extension JSONReader {
  /// Reads a string.
  public mutating func string() throws(JSONError) -> String {
    try string(takeStringValue())
  }

  /// Reads a string as a case of an enumeration.
  ///
  /// - Returns: The case, or nil for any other string.
  @inlinable
  public mutating func word<Word: JSONKey>(_: Word.Type) throws(JSONError) -> Word? {
    let table = Word.table
    let number = try wordNumber(in: table.names)
    return number < 0 ? nil : table.keys[number]
  }

  @usableFromInline
  mutating func wordNumber(in names: JSONNames) throws(JSONError) -> Int {
    try find(takeStringValue(), in: names)
  }
}

// MARK: - Scanning

extension JSONReader {
  @inline(__always)
  mutating func takeStringValue() throws(JSONError) -> StringExtent {
    guard try startValue() == ASCII.quote else { throw wrongKind(.string) }
    let extent = try takeString()
    expectation = .rest
    return extent
  }

  /// Scans the string whose opening quote is next.
  ///
  /// Escapes are skipped, not validated.
  @inline(__always)
  mutating func takeString() throws(JSONError) -> StringExtent {
    let start = position + 1
    var hasEscapes = false
    var offset = start
    while true {
      offset = SpecialBytes.next(in: bytes, from: offset)
      guard offset < count else { throw truncated() }
      let byte = byte(at: offset)
      if byte == ASCII.quote { break }
      guard byte == ASCII.backslash else {
        throw failure(.syntax, "a control character in a string is not escaped", at: offset)
      }
      hasEscapes = true
      offset += 2
    }
    guard offset - start <= limits.maximumStringBytes else {
      throw failure(
        .limit, "a string of more than \(limits.maximumStringBytes) bytes", at: position)
    }
    position = offset + 1
    return StringExtent(start: start, end: offset, hasEscapes: hasEscapes)
  }
}

// MARK: - Meaning

extension JSONReader {
  @inline(__always)
  mutating func string(_ extent: StringExtent) throws(JSONError) -> String {
    guard extent.hasEscapes else {
      return unsafe String(
        copying: UTF8Span(unchecked: slice(extent.start..<extent.end), isKnownASCII: isASCII))
    }
    try unescape(extent)
    return unsafe String(copying: UTF8Span(unchecked: scratch.span))
  }

  /// Returns the number of the name that equals a string, or -1 if there is none.
  @inline(__always)
  mutating func find(_ extent: StringExtent, in names: JSONNames) throws(JSONError) -> Int {
    guard extent.hasEscapes else { return names.find(slice(extent.start..<extent.end)) }
    try unescape(extent)
    return names.find(scratch.span)
  }

  /// Validates the escapes of a skipped string.
  @inline(__always)
  mutating func checkEscapes(_ extent: StringExtent) throws(JSONError) {
    if extent.hasEscapes { try unescape(extent) }
  }
}
