import CloudWire

/// URL-safe Base64 without padding (RFC 4648, section 5).
enum Base64Address {
  static func text(_ bytes: [UInt8]) -> String {
    let text = Base64Text.text(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }
    return String(decoding: text.map(inAddress), as: UTF8.self)
  }

  /// Decodes a text; nil if it is invalid.
  static func bytes(_ text: String) -> [UInt8]? {
    guard text.utf8.allSatisfy({ !foreign.contains($0) }) else { return nil }
    return Base64Text.bytes(String(decoding: text.utf8.map(inBase64), as: UTF8.self))
  }

  private static let foreign = Array("+/=".utf8)

  private static func inAddress(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: digit
    }
  }

  private static func inBase64(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: digit
    }
  }
}
