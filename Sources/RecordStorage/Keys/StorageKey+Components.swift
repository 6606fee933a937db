extension StorageKey {
  /// Appends an unsigned integer.
  package mutating func append(unsigned number: UInt64) {
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a signed integer.
  package mutating func append(signed number: Int64) {
    append(unsigned: UInt64(bitPattern: number) ^ KeyBytes.signBit)
  }

  /// Appends a floating-point number.
  ///
  /// Infinities and NaNs have a defined order too.
  package mutating func append(double number: Double) {
    append(unsigned: KeyBytes.ordered(number.bitPattern))
  }

  /// Appends a string, ordered by its Unicode scalars.
  package mutating func append(text: String) {
    append(escaped: text.utf8.span)
  }

  /// Appends a byte string.
  package mutating func append(bytes run: [UInt8]) {
    append(escaped: run.span)
  }

  /// Appends a terminated byte string.
  ///
  /// Most need no escaping and are copied in one piece.
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

/// Constants and conversions that the key writer and the key reader share.
enum KeyBytes {
  /// Terminates a string or byte string, and never occurs inside one.
  static let end: UInt8 = 0x00
  /// Precedes an escaped 00 or 01, which is written as 01 or 02.
  static let escape: UInt8 = 0x01

  static let signBit: UInt64 = 1 << 63

  static func needEscapes(_ run: Span<UInt8>) -> Bool {
    for index in run.indices where run[index] <= escape { return true }
    return false
  }

  /// Maps the bits of a double so that they sort like the numbers.
  static func ordered(_ bits: UInt64) -> UInt64 { bits & signBit == 0 ? bits | signBit : ~bits }

  /// The inverse of `ordered(_:)`.
  static func unordered(_ bits: UInt64) -> UInt64 { bits & signBit == 0 ? ~bits : bits & ~signBit }
}
