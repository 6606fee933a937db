/// Appends the parts of a stored form to bytes.
///
/// Numbers are variable in length (seven bits a byte, lowest first); texts and bytes follow their length.
struct FormWriter {
  private(set) var bytes: [UInt8]

  init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func count(_ value: Int) { number(UInt64(value)) }

  /// A number that may be negative: small ones of either sign are short.
  mutating func signed(_ value: Int64) { number(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

  mutating func double(_ value: Double) {
    var bits = value.bitPattern.littleEndian
    unsafe withUnsafeBytes(of: &bits) { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in
      count(utf8.count)
      unsafe bytes.append(contentsOf: utf8)
    }
  }

  mutating func data(_ value: [UInt8]) {
    count(value.count)
    bytes.append(contentsOf: value)
  }

  /// A value that may be missing: a byte that says so, then the value.
  mutating func optional<Value>(_ value: Value?, _ write: (inout FormWriter, Value) -> Void) {
    guard let value else { return byte(0) }
    byte(1)
    write(&self, value)
  }
}
