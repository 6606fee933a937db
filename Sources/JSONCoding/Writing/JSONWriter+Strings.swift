extension JSONWriter {
  /// Appends a text in quotes.
  @inline(__always)
  mutating func put(quoted text: String) {
    var text = text
    text.withUTF8 { bytes in unsafe put(quoted: bytes) }
  }

  /// Appends the bytes of a text in quotes.
  @inline(__always)
  mutating func put(quoted bytes: UnsafeBufferPointer<UInt8>) {
    buffer.reserve(bytes.count &+ 2)
    buffer.put(ASCII.quote)
    unsafe put(text: bytes)
    buffer.reserve(1)
    buffer.put(ASCII.quote)
  }

  /// Appends a text in runs of bytes that need no escape.
  ///
  /// The caller has reserved its length.
  @inline(__always)
  private mutating func put(text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return }
    let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(text))
    var offset = 0
    while true {
      let end = SpecialBytes.next(in: bytes, from: offset)
      unsafe buffer.put(start + offset, end &- offset)
      guard end < text.count else { return }
      unsafe putEscape(for: start[end], reserving: text.count)
      offset = end &+ 1
    }
  }

  /// Appends an escape, and reserves room for the rest of the text up to its next escape.
  @inline(never)
  private mutating func putEscape(for byte: UInt8, reserving rest: Int) {
    buffer.reserve(rest &+ 16)
    buffer.put(ASCII.backslash)
    switch byte {
    case ASCII.quote, ASCII.backslash: buffer.put(byte)
    case ASCII.newline: buffer.put(ASCII.n)
    case ASCII.carriageReturn: buffer.put(UInt8(ascii: "r"))
    case ASCII.tab: buffer.put(ASCII.t)
    case 0x08: buffer.put(UInt8(ascii: "b"))
    case 0x0C: buffer.put(UInt8(ascii: "f"))
    default:
      buffer.put(ASCII.u)
      buffer.put(ASCII.zero)
      buffer.put(ASCII.zero)
      buffer.put(ASCII.zero + (byte >> 4))
      buffer.put(Self.hexadecimalDigit(byte & 0x0F))
    }
  }

  private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? ASCII.zero + value : UInt8(ascii: "a") + value - 10
  }

  /// Whether a key has a pointer representation and needs no escapes.
  static func isPlain(_ key: StaticString) -> Bool {
    key.hasPointerRepresentation
      && !(0..<key.utf8CodeUnitCount).contains { unsafe SpecialBytes.contains(key.utf8Start[$0]) }
  }
}
