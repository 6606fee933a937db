extension JSONReader {
  /// Skips the next value, and checks it as if it were read.
  public mutating func skip() throws(JSONError) {
    try skip(toDepth: depth)
  }

  /// Skips the next value.
  ///
  /// - Returns: Its bytes as they stand in the document: one whole JSON value, without white space
  ///   around it.
  @_lifetime(copy self)
  public mutating func rawValue() throws(JSONError) -> Span<UInt8> {
    let start = try start()
    try skip()
    return slice(start..<position)
  }

  /// Where the next value begins.
  mutating func start() throws(JSONError) -> Int {
    _ = try startValue()
    return position
  }

  /// Reads on without a decoder, until no more than `floor` containers are open and no value is
  /// awaited.
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

  /// Takes a scalar, or enters a container.
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
