extension JSONReader {
  /// Returns the kind of the next value without consuming it.
  public mutating func peek() throws(JSONError) -> JSONKind {
    let byte = try startValue()
    guard let kind = JSONKind(firstByte: byte) else {
      throw failure(.syntax, "expected a value", at: position)
    }
    return kind
  }

  /// Reads `true` or `false`.
  public mutating func bool() throws(JSONError) -> Bool {
    switch try startValue() {
    case ASCII.t:
      try takeWord("true")
      return true
    case ASCII.f:
      try takeWord("false")
      return false
    default: throw wrongKind(.boolean)
    }
  }

  /// Consumes `null` and returns true, or returns false before any other value.
  public mutating func null() throws(JSONError) -> Bool {
    guard try startValue() == ASCII.n else { return false }
    try takeWord("null")
    return true
  }

  /// Consumes a JSON literal.
  mutating func takeWord(_ word: StaticString) throws(JSONError) {
    let length = word.utf8CodeUnitCount
    for index in 0..<length {
      guard position + index < count else { throw truncated() }
      guard unsafe byte(at: position + index) == word.utf8Start[index] else {
        throw failure(.syntax, "expected “\(word)”", at: position)
      }
    }
    position += length
    expectation = .rest
  }

  /// Validates the unread rest, and checks that nothing follows the value.
  mutating func finish() throws(JSONError) {
    try skip(toDepth: 0)
    if peekByte() != nil {
      throw failure(.trailingBytes, "bytes follow the document's value", at: position)
    }
  }
}
