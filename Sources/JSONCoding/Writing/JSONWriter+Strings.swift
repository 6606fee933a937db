extension JSONWriter {
  /// Appends a text in quotes.
  @inline(__always)
  mutating func put(quoted text: String) {
    var text = text
    text.withUTF8 { bytes in
      // Eight more, since words are copied whole.
      buffer.reserve(bytes.count &+ 10)
      buffer.put(ASCII.quote)
      if let start = bytes.baseAddress { unsafe put(text: start, bytes.count) }
      buffer.reserve(1)
      buffer.put(ASCII.quote)
    }
  }

  /// Appends a text, eight bytes at a time as long as none needs an escape.
  @inline(__always)
  private mutating func put(text start: UnsafePointer<UInt8>, _ length: Int) {
    var offset = 0
    while offset &+ 8 <= length {
      let word = UInt64(
        littleEndian: unsafe UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self))
      let flags = SpecialBytes.flags(in: word)
      if flags == 0 {
        buffer.put(word, keeping: 8)
        offset &+= 8
      } else {
        let plain = flags.trailingZeroBitCount >> 3
        buffer.put(word, keeping: plain)
        unsafe putEscape(for: start[offset &+ plain], reserving: length)
        offset &+= plain &+ 1
      }
    }
    while offset < length {
      let byte = unsafe start[offset]
      if SpecialBytes.contains(byte) { putEscape(for: byte, reserving: length) } else { buffer.put(byte) }
      offset &+= 1
    }
  }

  /// Appends an escape, and reserves what the rest of the text needs at least.
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

  /// Whether a key has an address, and nothing in it needs an escape.
  static func isPlain(_ key: StaticString) -> Bool {
    key.hasPointerRepresentation
      && !(0..<key.utf8CodeUnitCount).contains { unsafe SpecialBytes.contains(key.utf8Start[$0]) }
  }
}
