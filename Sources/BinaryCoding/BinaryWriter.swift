/// Encodes values that are stored, sealed or signed.
///
/// Numbers are varints (LEB128). Texts and bytes are length-prefixed. A value has exactly one
/// encoding, so encodings can be compared instead of values.
package struct BinaryWriter {
  package private(set) var bytes: [UInt8]

  package init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Ends the writer and returns its bytes.
  package consuming func finish() -> [UInt8] { bytes }

  /// Creates a writer that appends to existing bytes.
  package init(continuing bytes: consuming [UInt8]) { self.bytes = bytes }

  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  package mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func count(_ value: Int) { number(UInt64(value)) }

  /// Appends a signed number.
  ///
  /// The encoding is zigzag, so small numbers of either sign are short.
  package mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  package mutating func double(_ value: Double) { word(value.bitPattern) }

  /// Appends a 64-bit word in little-endian byte order.
  package mutating func word(_ value: UInt64) {
    var bits = value.littleEndian
    unsafe withUnsafeBytes(of: &bits) { unsafe bytes.append(contentsOf: $0) }
  }

  package mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in
      count(utf8.count)
      unsafe bytes.append(contentsOf: utf8)
    }
  }

  package mutating func data(_ value: [UInt8]) {
    count(value.count)
    bytes.append(contentsOf: value)
  }

  /// Appends zeros as a placeholder for bytes that are computed later.
  package mutating func zeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Appends bytes whose number the reader knows.
  package mutating func fixed(_ value: [UInt8]) { bytes.append(contentsOf: value) }

  /// Appends bytes whose number the reader knows.
  package mutating func fixed(_ value: ArraySlice<UInt8>) { bytes.append(contentsOf: value) }

  /// Appends an optional text.
  ///
  /// The encoding is that of `optional`, which is slower across modules because it looks up the
  /// type on each call.
  package mutating func text(ifPresent value: String?) {
    guard let value else { return byte(0) }
    byte(1)
    text(value)
  }

  /// Appends an optional value: one byte that says whether it is present, then the value.
  package mutating func optional<Value>(
    _ value: Value?, _ write: (inout BinaryWriter, Value) -> Void
  ) {
    guard let value else { return byte(0) }
    byte(1)
    write(&self, value)
  }
}
