import JSONCoding

/// Base64 texts outside of JSON.
package enum Base64Text {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var bits: UInt32 = 0
      for place in 0..<3 { bits = bits << 8 | (place < count ? UInt32(bytes[index + place]) : 0) }
      for place in 0..<4 {
        text.append(
          place <= count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text, or returns nil if it is not base64.
  ///
  /// Padding may be missing. Unused bits must be zero.
  package static func bytes(_ text: String) -> [UInt8]? {
    var digits = Array(text.utf8)
    if digits.count % 4 == 0, digits.last == UInt8(ascii: "=") {
      digits.removeLast()
      if digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var (bits, length): (UInt32, Int) = (0, 0)
    for digit in digits {
      guard let value = values[Int(digit)] else { return nil }
      bits = bits << 6 | UInt32(value)
      length += 6
      guard length >= 8 else { continue }
      length -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(length)))
      bits &= (1 << UInt32(length)) - 1
    }
    return bits == 0 ? bytes : nil
  }
}
