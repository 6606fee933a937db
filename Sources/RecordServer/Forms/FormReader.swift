/// Why bytes are not the stored form they should be: the storage is damaged, or newer than this server.
struct FormDamage: Error, Hashable, CustomStringConvertible {
  var what: String
  var offset: Int

  var description: String { "A stored value is damaged: \(what) at byte \(offset)." }
}

/// Takes the parts of a stored form from bytes.
///
/// It never reads past their end, whatever they say.
struct FormReader {
  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  func damage(_ what: String) -> FormDamage { FormDamage(what: what, offset: offset) }

  mutating func byte() throws(FormDamage) -> UInt8 {
    guard offset < bytes.count else { throw damage("the end comes too early") }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func number() throws(FormDamage) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw damage("a number is too long") }
      value |= UInt64(next & 0x7F) << shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
  }

  /// A number of parts that follow, each at least one byte long.
  mutating func count() throws(FormDamage) -> Int {
    let value = try number()
    guard value <= UInt64(bytes.count - offset) else { throw damage("a length reaches past the end") }
    return Int(value)
  }

  mutating func signed() throws(FormDamage) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func double() throws(FormDamage) -> Double {
    let range = try take(8)
    var bits: UInt64 = 0
    for byte in bytes[range].reversed() { bits = bits << 8 | UInt64(byte) }
    return Double(bitPattern: bits)
  }

  mutating func text() throws(FormDamage) -> String {
    let range = try take(try count())
    guard let text = try? UTF8Span(validating: bytes.span.extracting(range)) else {
      throw damage("a text is not UTF-8")
    }
    return String(copying: text)
  }

  mutating func skipText() throws(FormDamage) { _ = try take(try count()) }

  mutating func data() throws(FormDamage) -> [UInt8] {
    Array(bytes[try take(try count())])
  }

  mutating func optional<Value>(
    _ read: (inout FormReader) throws(FormDamage) -> Value
  ) throws(FormDamage) -> Value? {
    switch try byte() {
    case 0: return nil
    case 1: return try read(&self)
    default: throw damage("a mark of presence is neither 0 nor 1")
    }
  }

  private mutating func take(_ count: Int) throws(FormDamage) -> Range<Int> {
    guard count <= bytes.count - offset else { throw damage("the end comes too early") }
    defer { offset += count }
    return offset..<(offset + count)
  }
}
