extension StorageKey {
  /// Appends a number that counts from zero.
  package mutating func append(unsigned number: UInt64) {
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a number that may be negative.
  package mutating func append(signed number: Int64) {
    append(unsigned: UInt64(bitPattern: number) ^ KeyBytes.signBit)
  }

  /// Appends a floating-point number: every one, infinities and NaNs included, has its place.
  package mutating func append(double number: Double) {
    append(unsigned: KeyBytes.ordered(number.bitPattern))
  }

  /// Appends a text, in the order of its scalars.
  package mutating func append(text: String) {
    append(escaped: text.utf8.span)
  }

  /// Appends a run of bytes.
  package mutating func append(bytes run: [UInt8]) {
    append(escaped: run.span)
  }

  /// Appends a run that ends; nearly all have nothing to escape and are copied as wholes.
  private mutating func append(escaped run: Span<UInt8>) {
    if KeyBytes.needEscapes(run) {
      appendEscaping(run)
    } else {
      unsafe run.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
    bytes.append(KeyBytes.end)
  }

  private mutating func appendEscaping(_ run: Span<UInt8>) {
    for index in run.indices {
      let byte = run[index]
      if byte <= KeyBytes.escape {
        bytes.append(KeyBytes.escape)
        bytes.append(byte + 1)
      } else {
        bytes.append(byte)
      }
    }
  }
}

/// The bytes and bits that the writer and the reader of keys agree on.
enum KeyBytes {
  /// Ends a text or run of bytes; it stands nowhere else in one.
  static let end: UInt8 = 0x00
  /// Stands before what 00 or 01 became: 01 or 02.
  static let escape: UInt8 = 0x01

  static let signBit: UInt64 = 1 << 63

  static func needEscapes(_ run: Span<UInt8>) -> Bool {
    for index in run.indices where run[index] <= escape { return true }
    return false
  }

  /// The bits of a double in an order that is the order of the numbers.
  static func ordered(_ bits: UInt64) -> UInt64 { bits & signBit == 0 ? bits | signBit : ~bits }

  /// The bits whose order was taken.
  static func unordered(_ bits: UInt64) -> UInt64 { bits & signBit == 0 ? ~bits : bits & ~signBit }
}
