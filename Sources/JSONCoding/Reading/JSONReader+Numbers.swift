extension JSONReader {
  /// Reads an integer.
  ///
  /// The value counts, not its notation: `3.0` and `3e0` are three. A number with a fraction or out
  /// of range is an error. Nothing is rounded.
  public mutating func int64() throws(JSONError) -> Int64 {
    try int64(takeNumber())
  }

  /// Reads the double nearest to a number, or throws if the number is out of range.
  public mutating func double() throws(JSONError) -> Double {
    try double(takeNumber())
  }

  /// Reads a number: an integer if its text has neither a fraction nor an exponent, otherwise a
  /// double.
  ///
  /// Such an integer that does not fit is an error, not an approximate double.
  public mutating func number() throws(JSONError) -> JSONNumber {
    let numeral = try takeNumber()
    return try numeral.isPlainInteger ? .integer(int64(numeral)) : .double(double(numeral))
  }

  /// Reads an integer that may also be in a string, as written by programs whose numbers are all
  /// doubles.
  public mutating func int64OrText() throws(JSONError) -> Int64 {
    try int64(takeNumberOrText())
  }

  /// Reads a double that may also be in a string.
  public mutating func doubleOrText() throws(JSONError) -> Double {
    try double(takeNumberOrText())
  }
}

// MARK: - Taking the text

extension JSONReader {
  @inline(__always)
  private mutating func takeNumber() throws(JSONError) -> Numeral {
    let byte = try startValue()
    guard byte &- ASCII.zero <= 9 || byte == ASCII.minus else { throw wrongKind(.number) }
    return try takeNumeral()
  }

  private mutating func takeNumberOrText() throws(JSONError) -> Numeral {
    guard try startValue() == ASCII.quote else { return try takeNumber() }
    let extent = try takeStringValue()
    let end = position
    position = extent.start
    // Any string is valid JSON, so this is not a syntax error.
    guard let numeral = try? takeNumeral(), position == extent.end else {
      throw invalidValue("expected a number in the string")
    }
    position = end
    return numeral
  }

  /// Parses the number that begins here.
  @inline(__always)
  mutating func takeNumeral() throws(JSONError) -> Numeral {
    let start = position
    var numeral = Numeral()
    if byte(at: position) == ASCII.minus {
      numeral.isNegative = true
      position += 1
    }
    try takeIntegerDigits(into: &numeral)
    if position < count, byte(at: position) == ASCII.dot {
      position += 1
      try takeDigits(into: &numeral, isFraction: true)
    }
    if position < count, byte(at: position) | 0x20 == UInt8(ascii: "e") {
      position += 1
      try takeExponent(into: &numeral)
    }
    guard position - start <= limits.maximumNumberBytes else {
      throw failure(.limit, "a number of more than \(limits.maximumNumberBytes) bytes", at: start)
    }
    numeral.range = start..<position
    expectation = .rest
    return numeral
  }

  /// Parses `0`, or digits that do not begin with it.
  @inline(__always)
  private mutating func takeIntegerDigits(into numeral: inout Numeral) throws(JSONError) {
    if position < count, byte(at: position) == ASCII.zero {
      position += 1
      guard position == count || byte(at: position) &- ASCII.zero > 9 else {
        throw failure(.syntax, "a number has a leading zero", at: position - 1)
      }
    } else {
      try takeDigits(into: &numeral, isFraction: false)
    }
  }

  /// Parses one or more digits.
  @inline(__always)
  private mutating func takeDigits(into numeral: inout Numeral, isFraction: Bool) throws(JSONError)
  {
    let start = position
    while position < count {
      let digit = byte(at: position) &- ASCII.zero
      guard digit <= 9 else { break }
      numeral.append(digit: digit, isFraction: isFraction)
      position += 1
    }
    if isFraction { numeral.isPlainInteger = false }
    guard position > start else { throw expectedDigit() }
  }

  private mutating func takeExponent(into numeral: inout Numeral) throws(JSONError) {
    numeral.isPlainInteger = false
    var isNegative = false
    if position < count, byte(at: position) == ASCII.plus || byte(at: position) == ASCII.minus {
      isNegative = byte(at: position) == ASCII.minus
      position += 1
    }
    let start = position
    var exponent = 0
    while position < count {
      let digit = byte(at: position) &- ASCII.zero
      guard digit <= 9 else { break }
      exponent = min(exponent * 10 + Int(digit), Limits.greatestExponent)
      position += 1
    }
    guard position > start else { throw expectedDigit() }
    numeral.exponent += isNegative ? -exponent : exponent
  }

  private func expectedDigit() -> JSONError {
    position < count ? failure(.syntax, "expected a digit", at: position) : truncated()
  }
}

// MARK: - Meaning

extension JSONReader {
  @inline(__always)
  private func int64(_ numeral: Numeral) throws(JSONError) -> Int64 {
    do throws(Numeral.IntegerFailure) {
      return try numeral.int64()
    } catch {
      throw notAnInteger(error)
    }
  }

  private func notAnInteger(_ reason: Numeral.IntegerFailure) -> JSONError {
    switch reason {
    case .notIntegral:
      failure(.notIntegral, "expected an integer, not a number with a fraction", at: valueStart)
    case .outOfRange: failure(.outOfRange, "an integer does not fit 64 bits", at: valueStart)
    }
  }

  @inline(__always)
  private func double(_ numeral: Numeral) throws(JSONError) -> Double {
    if let double = numeral.quickDouble { return double }
    return try parsedDouble(numeral)
  }

  /// Returns the nearest double from the standard library, which handles all cases.
  private func parsedDouble(_ numeral: Numeral) throws(JSONError) -> Double {
    let text = unsafe String(copying: UTF8Span(unchecked: slice(numeral.range), isKnownASCII: true))
    guard let double = Double(text), double.isFinite else {
      throw failure(.outOfRange, "a number is too large for a double", at: valueStart)
    }
    return double
  }
}
