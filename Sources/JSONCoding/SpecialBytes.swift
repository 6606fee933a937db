/// The bytes that end a run of plain text in a string: quotes, backslashes and control characters.
enum SpecialBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func contains(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash
  }

  /// Marks such bytes among eight.
  ///
  /// The lowest flag is right; those above it may be wrong, since a subtraction carries over. Zero means none.
  @inline(__always)
  static func flags(in word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* UInt64(ASCII.quote))
    let backslashes = word ^ (ones &* UInt64(ASCII.backslash))
    let found =
      ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
    return found & highBits
  }
}
