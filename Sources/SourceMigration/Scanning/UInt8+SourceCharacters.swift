extension UInt8 {
  var isDecimalDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// Whether the byte may be in a name.
  ///
  /// Every byte of a character outside of ASCII may: keywords and relevant punctuation are ASCII.
  var isNamePart: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: isDecimalDigit
    }
  }
}
