/// The bytes that end a run of plain text in a string: quotes, backslashes and control characters.
enum SpecialBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func contains(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash
  }

  /// Where the first such byte is at a place or behind it; the end where there is none.
  @inline(__always)
  static func next(in bytes: RawSpan, from start: Int) -> Int {
    var offset = start
    while offset &+ 16 <= bytes.byteCount {
      let group = unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
      if contains(oneOf: group) { break }
      offset &+= 16
    }
    while offset &+ 8 <= bytes.byteCount {
      let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
      let found = flags(in: UInt64(littleEndian: word))
      if found != 0 { return offset &+ found.trailingZeroBitCount >> 3 }
      offset &+= 8
    }
    while offset < bytes.byteCount,
      !contains(unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
    { offset &+= 1 }
    return offset
  }

  /// Whether one of sixteen bytes is such a one.
  ///
  /// Sixteen at once take a third of the time of two times eight. The vectors are spelt out:
  /// comparisons with a number are not specialised.
  @inline(__always)
  private static func contains(oneOf group: SIMD16<UInt8>) -> Bool {
    let found =
      (group .< SIMD16<UInt8>(repeating: 0x20)) .| (group .== SIMD16<UInt8>(repeating: ASCII.quote))
      .| (group .== SIMD16<UInt8>(repeating: ASCII.backslash))
    let words = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }

  /// Marks such bytes among eight.
  ///
  /// The lowest flag is right; those above it may be wrong, since a subtraction carries over. Zero
  /// means none.
  @inline(__always)
  private static func flags(in word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* UInt64(ASCII.quote))
    let backslashes = word ^ (ones &* UInt64(ASCII.backslash))
    let found =
      ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes)
      | ((backslashes &- ones) & ~backslashes)
    return found & highBits
  }
}
