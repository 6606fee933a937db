/// The bytes that end a run of plain text in a string: quotes, backslashes and control characters.
enum SpecialBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func contains(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash
  }

  /// Returns the offset of the first special byte at or after an offset, or the end.
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

  /// Whether one of sixteen bytes is special.
  ///
  /// Sixteen at once take a third of the time of eight twice. The vectors are explicit because
  /// comparisons with a scalar are not specialized.
  @inline(__always)
  private static func contains(oneOf group: SIMD16<UInt8>) -> Bool {
    let found =
      (group .< SIMD16<UInt8>(repeating: 0x20)) .| (group .== SIMD16<UInt8>(repeating: ASCII.quote))
      .| (group .== SIMD16<UInt8>(repeating: ASCII.backslash))
    let words = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }

  /// Marks the special bytes among eight.
  ///
  /// Only the lowest flag is reliable, because the subtraction carries into higher ones. Zero means
  /// none.
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
