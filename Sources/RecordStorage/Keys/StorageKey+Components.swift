extension StorageKey {
  /// Appends a number that counts from zero.
  package mutating func append(unsigned number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
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

  private mutating func append(escaped run: Span<UInt8>) {
    for index in run.indices {
      let byte = run[index]
      if byte <= KeyBytes.escape {
        bytes.append(KeyBytes.escape)
        bytes.append(byte + 1)
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(KeyBytes.end)
  }
}

/// The bytes and bits that the writer and the reader of keys agree on.
enum KeyBytes {
  /// Ends a text or run of bytes; it stands nowhere else in one.
  static let end: UInt8 = 0x00
  /// Stands before what 00 or 01 became: 01 or 02.
  static let escape: UInt8 = 0x01

  static let signBit: UInt64 = 1 << 63

  /// The bits of a double in an order that is the order of the numbers.
  static func ordered(_ bits: UInt64) -> UInt64 { bits & signBit == 0 ? bits | signBit : ~bits }

  /// The bits whose order was taken.
  static func unordered(_ bits: UInt64) -> UInt64 { bits & signBit == 0 ? ~bits : bits & ~signBit }
}
