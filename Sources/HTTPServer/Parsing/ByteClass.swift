/// The sets of bytes in the syntax of HTTP (RFC 9110).
enum ByteClass {
  static let carriageReturn = UInt8(ascii: "\r")
  static let lineFeed = UInt8(ascii: "\n")
  static let space = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")
  static let colon = UInt8(ascii: ":")

  /// Whether a byte may be in a method or a field name (`tchar`).
  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool {
    if byte < 64 { return tokens.0 &>> UInt64(byte) & 1 == 1 }
    return byte < 128 && tokens.1 &>> UInt64(byte &- 64) & 1 == 1
  }

  /// Whether a byte may be in a field value: `field-vchar`, space or tab.
  ///
  /// Other control characters, such as line ends, are not allowed.
  @inline(__always)
  static func isFieldValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == tab
  }

  /// Whether a byte may be in a request target: visible ASCII except `#`.
  ///
  /// Clients must not send fragments. Browsers do not encode some characters, such as `|`, although
  /// RFC 3986 requires it.
  @inline(__always)
  static func isTarget(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
  }

  /// Whether a byte may be in a host and its port, which include IPv6 brackets and percent signs.
  @inline(__always)
  static func isAuthority(_ byte: UInt8) -> Bool {
    isTarget(byte) && !notInAuthorities.contains(byte)
  }

  /// Returns the value of a hexadecimal digit, or nil for other bytes.
  @inline(__always)
  static func hexadecimalValue(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte &- UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte &- UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte &- UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Returns an ASCII letter in lower case, and any other byte unchanged.
  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  private static let notInAuthorities = Array("/?\\^`{|}<>\"@,".utf8)

  private static let tokens: (UInt64, UInt64) = {
    let marks = "!#$%&'*+-.^_`|~"
    let letters = "abcdefghijklmnopqrstuvwxyz"
    var words: (UInt64, UInt64) = (0, 0)
    for byte in (marks + "0123456789" + letters + letters.uppercased()).utf8 {
      if byte < 64 { words.0 |= 1 << UInt64(byte) } else { words.1 |= 1 << UInt64(byte - 64) }
    }
    return words
  }()
}
