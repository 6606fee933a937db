/// An e-mail address that can stand in a mail's header and in SMTP as it is.
///
/// It has the plain form of nearly all addresses, `local@domain` in ASCII. Quoted local parts,
/// comments and address literals are refused. They could contain a line break, a space or an angle
/// bracket, with which their author could add header fields.
package struct MailAddress: Hashable, Sendable {
  package let text: String

  /// Creates an address; nil if the text is not an address, or not a plain one.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].utf8.count), text.utf8.count <= 254,
      parts[0].utf8.allSatisfy(Self.isLocal), Self.areLabels(parts[0], Self.isLocal),
      Self.areLabels(parts[1], Self.isHost)
    else { return nil }
    self.text = text
  }

  package var domain: String { String(text.drop { $0 != "@" }.dropFirst()) }

  /// Whether a text is dot-separated labels: nonempty, of good bytes, without a hyphen in front.
  private static func areLabels(_ text: Substring, _ isGood: (UInt8) -> Bool) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0.first != UInt8(ascii: "-") && $0.allSatisfy { isGood($0) }
    }
  }

  private static func isLocal(_ byte: UInt8) -> Bool {
    isHost(byte) || "!#$%&'*+/=?^_`{|}~.".utf8.contains(byte)
  }

  private static func isHost(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
  }
}
