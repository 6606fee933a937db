extension JSONReader {
  /// Decodes a string with escapes into `scratch`.
  @inline(never)
  mutating func unescape(_ extent: StringExtent) throws(JSONError) {
    scratch.removeAll(keepingCapacity: true)
    var offset = extent.start
    while offset < extent.end {
      let run = offset
      // A scanned string has no special bytes except backslashes, and a quote follows it.
      offset = SpecialBytes.next(in: bytes, from: run)
      appendToScratch(run..<offset)
      if offset < extent.end { offset = try unescape(at: offset, end: extent.end) }
    }
  }

  private mutating func appendToScratch(_ run: Range<Int>) {
    let text = slice(run)
    unsafe text.withUnsafeBufferPointer { unsafe scratch.append(contentsOf: $0) }
  }

  /// Appends the characters of the escape at an offset.
  ///
  /// - Returns: The offset after the escape.
  private mutating func unescape(at offset: Int, end: Int) throws(JSONError) -> Int {
    let letter = byte(at: offset + 1)
    if letter == ASCII.u { return try unescapeUnits(at: offset, end: end) }
    guard let byte = Self.meaning(of: letter) else {
      throw failure(.syntax, "an unknown escape", at: offset)
    }
    scratch.append(byte)
    return offset + 2
  }

  private static func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case ASCII.quote, ASCII.backslash, ASCII.slash: letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case ASCII.n: ASCII.newline
    case UInt8(ascii: "r"): ASCII.carriageReturn
    case ASCII.t: ASCII.tab
    default: nil
    }
  }

  /// Appends the character of one `\uXXXX` or of a surrogate pair.
  ///
  /// - Returns: The offset after the escape.
  private mutating func unescapeUnits(at offset: Int, end: Int) throws(JSONError) -> Int {
    let first = try unit(at: offset, end: end)
    if let scalar = Unicode.Scalar(first) {
      scratch.append(contentsOf: scalar.utf8)
      return offset + 6
    }
    let next = offset + 6
    guard first < 0xDC00, next + 1 < end, byte(at: next) == ASCII.backslash,
      byte(at: next + 1) == ASCII.u
    else { throw loneSurrogate(at: offset) }
    let second = try unit(at: next, end: end)
    guard 0xDC00..<0xE000 ~= second,
      let scalar = Unicode.Scalar(0x1_0000 + ((first - 0xD800) << 10 | (second - 0xDC00)))
    else { throw loneSurrogate(at: offset) }
    scratch.append(contentsOf: scalar.utf8)
    return next + 6
  }

  /// Returns the code unit of the `\uXXXX` at an offset.
  private func unit(at offset: Int, end: Int) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for index in offset + 2..<offset + 6 {
      guard index < end, let digit = Self.digit(byte(at: index)) else {
        throw failure(.syntax, "expected four hexadecimal digits in the escape", at: offset)
      }
      unit = unit << 4 | digit
    }
    return unit
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case ASCII.zero...ASCII.nine: UInt32(byte - ASCII.zero)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private func loneSurrogate(at offset: Int) -> JSONError {
    failure(.encoding, "half of a surrogate pair", at: offset)
  }
}
