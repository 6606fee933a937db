extension JSONWriter {
  /// Writes bytes as a base64 string with padding.
  public mutating func base64(_ bytes: Span<UInt8>) {
    beginValue(reserving: Base64.encodedCount(bytes.count) + 2)
    buffer.put(ASCII.quote)
    var index = 0
    while index + 3 <= bytes.count {
      putDigits(
        UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]), 4)
      index += 3
    }
    putRest(bytes.extracting(index..<bytes.count))
    buffer.put(ASCII.quote)
  }

  /// Appends the last zero, one or two bytes.
  private mutating func putRest(_ rest: Span<UInt8>) {
    switch rest.count {
    case 1:
      putDigits(UInt32(rest[0]) << 16, 2)
      buffer.put(ASCII.equals)
      buffer.put(ASCII.equals)
    case 2:
      putDigits(UInt32(rest[0]) << 16 | UInt32(rest[1]) << 8, 3)
      buffer.put(ASCII.equals)
    default: break
    }
  }

  /// Appends the first digits of 24 bits.
  @inline(__always)
  private mutating func putDigits(_ bits: UInt32, _ count: Int) {
    for digit in 0..<count {
      let value = Int(bits >> UInt32(18 - 6 * digit) & 0x3F)
      unsafe buffer.put(Base64.alphabet.utf8Start[value])
    }
  }
}
