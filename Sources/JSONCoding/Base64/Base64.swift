/// Base64 with the standard alphabet of RFC 4648.
///
/// The writer pads. The reader accepts complete padding or none. It rejects white space, other
/// alphabets, and bits other than zero after the last byte. So two texts of the same length never
/// mean the same bytes.
enum Base64 {
  static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// The entry in `values` of a byte that is not in the alphabet.
  static let invalid: UInt8 = 0xFF

  /// The value of each byte as a digit of six bits, or `invalid`.
  static let values: [UInt8] = {
    var values = [UInt8](repeating: invalid, count: 256)
    for index in 0..<64 { unsafe values[Int(alphabet.utf8Start[index])] = UInt8(index) }
    return values
  }()

  static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }
}

// MARK: - Decoding

extension Base64 {
  /// Decodes a text, or returns nil if it is not base64.
  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard let digits = digitCount(of: text) else { return nil }
    var isValid = true
    let bytes = [UInt8](capacity: digits / 4 * 3 + max(0, digits % 4 - 1)) { output in
      isValid = decode(text.extracting(0..<digits), into: &output)
    }
    return isValid ? bytes : nil
  }

  /// Returns the number of digits in a text, without padding, or nil for an invalid length.
  private static func digitCount(of text: Span<UInt8>) -> Int? {
    var digits = text.count
    if text.count.isMultiple(of: 4), digits > 0, text[digits - 1] == ASCII.equals {
      digits -= text[digits - 2] == ASCII.equals ? 2 : 1
    }
    return digits % 4 == 1 ? nil : digits
  }

  private static func decode(_ digits: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
    let values = values.span
    var unknown: UInt8 = 0
    var index = 0
    while index + 4 <= digits.count {
      let (first, second) = (values[Int(digits[index])], values[Int(digits[index + 1])])
      let (third, fourth) = (values[Int(digits[index + 2])], values[Int(digits[index + 3])])
      unknown |= first | second | third | fourth
      output.append(first << 2 | second >> 4)
      output.append(second << 4 | third >> 2)
      output.append(third << 6 | fourth)
      index += 4
    }
    return unknown & 0xC0 == 0 && decodeRest(digits, from: index, into: &output)
  }

  /// Decodes the last one or two bytes.
  private static func decodeRest(
    _ digits: Span<UInt8>, from index: Int, into output: inout OutputSpan<UInt8>
  ) -> Bool {
    guard index < digits.count else { return true }
    let (first, second) = (values[Int(digits[index])], values[Int(digits[index + 1])])
    output.append(first << 2 | second >> 4)
    guard index + 2 < digits.count else {
      return (first | second) & 0xC0 == 0 && second & 0x0F == 0
    }
    let third = values[Int(digits[index + 2])]
    output.append(second << 4 | third >> 2)
    return (first | second | third) & 0xC0 == 0 && third & 0x03 == 0
  }
}
