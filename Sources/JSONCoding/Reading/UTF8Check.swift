/// Validates the UTF-8 of a document once, so that later code can rely on it.
enum UTF8Check {
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Checks that a document is UTF-8 without a byte order mark.
  ///
  /// - Returns: Whether it is ASCII.
  static func isASCII(_ text: Span<UInt8>) throws(JSONError) -> Bool {
    var offset = endOfASCII(in: text, from: 0)
    guard offset < text.count else { return true }
    if offset == 0, text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      throw JSONError(.encoding, "the document begins with a byte order mark", offset: 0, path: "")
    }
    while offset < text.count {
      let length = lengthOfCharacter(in: text, at: offset)
      guard length > 0 else {
        throw JSONError(.encoding, "the bytes are not UTF-8", offset: offset, path: "")
      }
      offset += length
      // Characters beyond ASCII often follow each other, so the search for the end of an ASCII run
      // starts only at an ASCII byte.
      if offset < text.count, text[offset] < 0x80 { offset = endOfASCII(in: text, from: offset) }
    }
    return false
  }

  /// Returns the offset of the first byte that is not ASCII, or the end.
  @inline(__always)
  private static func endOfASCII(in text: Span<UInt8>, from start: Int) -> Int {
    let bytes = unsafe text.bytes
    var offset = start
    while offset &+ 32 <= bytes.byteCount {
      guard
        high(bytes, offset) | high(bytes, offset &+ 8) | high(bytes, offset &+ 16)
          | high(bytes, offset &+ 24) == 0
      else { break }
      offset &+= 32
    }
    while offset &+ 8 <= bytes.byteCount {
      let high = high(bytes, offset)
      guard high == 0 else { return offset &+ high.trailingZeroBitCount >> 3 }
      offset &+= 8
    }
    while offset < text.count, text[offset] < 0x80 { offset &+= 1 }
    return offset
  }

  /// Returns the highest bits of eight bytes.
  @inline(__always)
  private static func high(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    UInt64(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: offset, as: UInt64.self)) & highBits
  }

  /// Returns the length of a character that begins with a non-ASCII byte.
  ///
  /// Returns 0 if the character is malformed (Unicode, table 3-7).
  @inline(__always)
  private static func lengthOfCharacter(in text: Span<UInt8>, at offset: Int) -> Int {
    let rest = text.count - offset
    switch text[offset] {
    case 0xC2...0xDF:
      return rest >= 2 && isContinuation(text[offset + 1]) ? 2 : 0
    case 0xE0...0xEF:
      guard rest >= 3, isContinuation(text[offset + 2]) else { return 0 }
      return isSecond(text[offset + 1], ofThreeAfter: text[offset]) ? 3 : 0
    case 0xF0...0xF4:
      guard rest >= 4, isContinuation(text[offset + 2]), isContinuation(text[offset + 3]) else {
        return 0
      }
      return isSecond(text[offset + 1], ofFourAfter: text[offset]) ? 4 : 0
    default: return 0
    }
  }

  @inline(__always)
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Whether the second byte begins neither an overlong form nor a surrogate.
  @inline(__always)
  private static func isSecond(_ byte: UInt8, ofThreeAfter first: UInt8) -> Bool {
    switch first {
    case 0xE0: 0xA0...0xBF ~= byte
    case 0xED: 0x80...0x9F ~= byte
    default: isContinuation(byte)
    }
  }

  /// Whether the second byte begins neither an overlong form nor a character above U+10FFFF.
  @inline(__always)
  private static func isSecond(_ byte: UInt8, ofFourAfter first: UInt8) -> Bool {
    switch first {
    case 0xF0: 0x90...0xBF ~= byte
    case 0xF4: 0x80...0x8F ~= byte
    default: isContinuation(byte)
    }
  }
}
