/// Decodes values from bytes, strictly.
///
/// An encoding that a `BinaryWriter` would not produce is an error. The reader never reads past the
/// end of the bytes.
package struct BinaryReader {
  private var bytes: [UInt8]
  package private(set) var offset = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Starts reading other bytes, and reuses the reader's memory.
  package mutating func begin(_ form: Span<UInt8>) {
    offset = 0
    bytes.removeAll(keepingCapacity: true)
    unsafe form.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  package var isAtEnd: Bool { offset == bytes.count }

  /// The bytes that were read so far.
  package var consumed: [UInt8] { Array(bytes[..<offset]) }

  package func error(_ reason: String) -> BinaryCodingError {
    BinaryCodingError(reason: reason, offset: offset)
  }

  package mutating func byte() throws(BinaryCodingError) -> UInt8 {
    guard offset < bytes.count else { throw error("the data ends too early") }
    defer { offset += 1 }
    return bytes[offset]
  }

  package mutating func number() throws(BinaryCodingError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw error("a number is too long") }
      value |= UInt64(next & 0x7F) << shift
      if next & 0x80 == 0 {
        guard next != 0 || shift == 0 else {
          throw error("a number has more bytes than it needs")
        }
        return value
      }
      shift += 7
    }
  }

  /// Reads the count of the elements that follow, each of which is at least one byte long.
  package mutating func count() throws(BinaryCodingError) -> Int {
    let value = try number()
    guard value <= UInt64(bytes.count - offset) else {
      throw error("a length reaches past the end")
    }
    return Int(value)
  }

  package mutating func signed() throws(BinaryCodingError) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  package mutating func double() throws(BinaryCodingError) -> Double {
    Double(bitPattern: try word())
  }

  /// Reads a 64-bit word in little-endian byte order.
  package mutating func word() throws(BinaryCodingError) -> UInt64 {
    let range = try take(8)
    return unsafe bytes.withUnsafeBytes { bytes in
      UInt64(
        littleEndian: unsafe bytes.loadUnaligned(
          fromByteOffset: range.lowerBound, as: UInt64.self))
    }
  }

  /// Reads eight 64-bit words, each in little-endian byte order.
  package mutating func eightWords() throws(BinaryCodingError) -> SIMD8<UInt64> {
    let range = try take(64)
    var words = unsafe bytes.withUnsafeBytes { bytes in
      unsafe bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: SIMD8<UInt64>.self)
    }
    for index in words.indices { words[index] = UInt64(littleEndian: words[index]) }
    return words
  }

  package mutating func text() throws(BinaryCodingError) -> String {
    let range = try take(try count())
    guard let text = try? UTF8Span(validating: bytes.span.extracting(range)) else {
      throw error("a text is not UTF-8")
    }
    return String(copying: text)
  }

  /// Reads a text that probably equals a known one, and returns the known one if it does.
  package mutating func text(likely known: String) throws(BinaryCodingError) -> String {
    let start = offset
    let range = try take(try count())
    if isText(known, in: range) { return known }
    offset = start
    return try text()
  }

  private func isText(_ known: String, in range: Range<Int>) -> Bool {
    let (utf8, text) = (known.utf8.span, bytes.span.extracting(range))
    guard utf8.count == text.count else { return false }
    for index in utf8.indices where utf8[index] != text[index] { return false }
    return true
  }

  /// Calls a closure with the UTF-8 bytes of a text.
  package mutating func withText(_ body: (Span<UInt8>) -> Void) throws(BinaryCodingError) {
    let range = try take(try count())
    let text = bytes.span.extracting(range)
    guard (try? UTF8Span(validating: text)) != nil else { throw error("a text is not UTF-8") }
    body(text)
  }

  /// Calls a closure with length-prefixed bytes.
  package mutating func withData(_ body: (Span<UInt8>) -> Void) throws(BinaryCodingError) {
    let range = try take(try count())
    body(bytes.span.extracting(range))
  }

  /// Skips a fixed number of bytes.
  package mutating func skip(_ count: Int) throws(BinaryCodingError) { _ = try take(count) }

  /// Skips a text, or other length-prefixed bytes.
  package mutating func skipText() throws(BinaryCodingError) { _ = try take(try count()) }

  package mutating func data() throws(BinaryCodingError) -> [UInt8] {
    Array(bytes[try take(try count())])
  }

  /// Reads a fixed number of bytes.
  package mutating func fixed(_ count: Int) throws(BinaryCodingError) -> [UInt8] {
    Array(bytes[try take(count)])
  }

  package mutating func list<Value>(
    _ read: (inout BinaryReader) throws(BinaryCodingError) -> Value
  ) throws(BinaryCodingError) -> [Value] {
    var values: [Value] = []
    for _ in 0..<(try count()) { values.append(try read(&self)) }
    return values
  }

  package mutating func optional<Value>(
    _ read: (inout BinaryReader) throws(BinaryCodingError) -> Value
  ) throws(BinaryCodingError) -> Value? {
    switch try byte() {
    case 0: return nil
    case 1: return try read(&self)
    default: throw error("a mark of presence is neither 0 nor 1")
    }
  }

  package func requireEnd() throws(BinaryCodingError) {
    guard isAtEnd else { throw error("there are bytes after the end") }
  }

  private mutating func take(_ count: Int) throws(BinaryCodingError) -> Range<Int> {
    guard count <= bytes.count - offset else { throw error("the data ends too early") }
    defer { offset += count }
    return offset..<(offset + count)
  }
}
