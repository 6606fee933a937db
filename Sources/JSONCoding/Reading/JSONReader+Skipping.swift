extension JSONReader {
  /// Skips and validates the next value.
  public mutating func skip() throws(JSONError) {
    try skip(toDepth: depth)
  }

  /// Skips the next value.
  ///
  /// - Returns: Its bytes in the document: one whole JSON value without surrounding white space.
  @_lifetime(copy self)
  public mutating func rawValue() throws(JSONError) -> Span<UInt8> {
    let start = try start()
    try skip()
    return slice(start..<position)
  }

  /// Moves to the next value, and returns its offset.
  mutating func start() throws(JSONError) -> Int {
    _ = try startValue()
    return position
  }

  /// Skips until at most `floor` containers are open and no value is expected.
  mutating func skip(toDepth floor: Int) throws(JSONError) {
    while true {
      if expectation == .value {
        try skipStep()
      } else if depth <= floor {
        return
      } else if frames[depth].isArray {
        _ = try nextElement()
      } else if try advance(closing: ASCII.closeBrace) {
        try checkEscapes(takeKey())
        try takeColon()
      }
    }
  }

  /// Skips a scalar, or enters a container.
  private mutating func skipStep() throws(JSONError) {
    switch JSONKind(firstByte: try startValue()) {
    case .object: try enter(isArray: false)
    case .array: try enter(isArray: true)
    case .string: try checkEscapes(takeStringValue())
    case .number: _ = try takeNumeral()
    case .boolean: _ = try bool()
    case .null: _ = try null()
    case nil: throw failure(.syntax, "expected a value", at: position)
    }
  }
}
