/// The escapes of texts in XML stores: `\u3c00` for `<`, a UTF-16 unit with its low byte first.
enum XMLStoreText {
  /// The text with escapes for characters that XML does not allow or gives a meaning.
  ///
  /// A backslash is escaped too, so that a text that looks like an escape stays what it is.
  static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isEscaped(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text with each escape replaced by its UTF-16 unit.
  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    let units = Array(text.utf16)
    var result: [UInt16] = []
    result.reserveCapacity(units.count)
    var index = 0
    while index < units.count {
      if let unit = unit(at: index, in: units) {
        result.append(unit)
        index += escapeLength
      } else {
        result.append(units[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF16.self)
  }

  private static let escapeLength = 6

  /// The unit that the escape at an index represents; nil if there is no escape.
  private static func unit(at index: Int, in units: [UInt16]) -> UInt16? {
    guard units[index] == UInt16(UInt8(ascii: "\\")), index + escapeLength <= units.count,
      units[index + 1] == UInt16(UInt8(ascii: "u"))
    else { return nil }
    let digits = String(decoding: units[(index + 2)..<(index + escapeLength)], as: UTF16.self)
    guard digits.utf8.allSatisfy(isHexadecimal) else { return nil }
    return UInt16(digits, radix: 16)?.byteSwapped
  }

  private static func isHexadecimal(_ digit: UInt8) -> Bool {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "<", ">", "&", "\\", "\u{FFFE}", "\u{FFFF}": true
    case "\n", "\t": false
    default: scalar.value < 0x20
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(UInt16(scalar.value).byteSwapped, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
