/// Percent-encoding of texts in addresses.
package enum PercentEncoding {
  /// Decodes a part of an address.
  ///
  /// Returns nil if it is malformed, not UTF-8, or contains a NUL.
  ///
  /// - Parameter plusIsSpace: Whether a plus sign means a space, as in submitted forms. It is false
  ///   for addresses, where some clients do not encode the plus signs of Base64 tokens.
  static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard !bytes.contains(0), let valid = try? UTF8Span(validating: bytes.span) else { return nil }
    return String(copying: valid)
  }

  /// Whether a part of an address decodes to a text.
  ///
  /// Most parts need no decoding.
  static func decodes(_ text: ArraySlice<UInt8>, to wanted: String) -> Bool {
    text.contains(UInt8(ascii: "%")) ? decode(text) == wanted : text.elementsEqual(wanted.utf8)
  }

  /// Encodes a text as a value in an address.
  ///
  /// Letters, digits and `-._~` stay unchanged.
  package static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let hexadecimal = Array("0123456789ABCDEF".utf8)

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
