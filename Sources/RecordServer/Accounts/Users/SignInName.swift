package import CloudRecords

/// A sign-in name: an e-mail address or a plain name, in canonical form.
///
/// Case and surrounding white space are ignored. Only printable ASCII is allowed, because similar
/// letters of other scripts would let one person impersonate another.
package struct SignInName: Hashable, Sendable {
  package let text: String

  /// The maximum length of an address (RFC 5321).
  static let maximumBytes = 254
  static let minimumBytes = 2

  package init(_ typed: String) throws(CloudError) {
    let lowercased = typed.utf8.map { Self.isCapital($0) ? $0 | 0x20 : $0 }
    let start = lowercased.firstIndex { !Self.isSpace($0) } ?? lowercased.endIndex
    let end = lowercased.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start
    let bytes = lowercased[start..<end]
    if let defect = Self.defect(in: bytes) { throw CloudError(.badRequest, "The name \(defect).") }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The name as an e-mail address; nil if it is a plain name.
  package var emailAddress: String? { text.utf8.contains(UInt8(ascii: "@")) ? text : nil }

  // MARK: Rules

  private static func defect(in bytes: ArraySlice<UInt8>) -> String? {
    if bytes.count < minimumBytes { return "is shorter than \(minimumBytes) characters" }
    if bytes.count > maximumBytes { return "is longer than \(maximumBytes) characters" }
    guard bytes.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
      return "has characters other than printable ASCII, or spaces within"
    }
    let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    switch parts.count {
    case 1:
      return bytes.allSatisfy(isPlain)
        ? nil : "has characters other than letters, digits, dots, dashes and underscores"
    case 2: return isAddress(parts[0], parts[1]) ? nil : "is not an e-mail address"
    default: return "has more than one @"
    }
  }

  private static func isAddress(_ user: ArraySlice<UInt8>, _ host: ArraySlice<UInt8>) -> Bool {
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let excluded = Array(#""\()<>[],:;"#.utf8)
    return !user.isEmpty && !user.contains(where: excluded.contains)
      && labels.allSatisfy {
        !$0.isEmpty && $0.allSatisfy { isPlain($0) && $0 != UInt8(ascii: "_") }
      }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
