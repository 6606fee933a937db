/// The mail server to which a program sends its mails.
package struct SMTPServer: Hashable, Sendable, CustomStringConvertible {
  /// The encryption of the connection.
  package enum Encryption: Hashable, Sendable {
    /// TLS from the beginning, by `smtps:`.
    case immediate
    /// STARTTLS by `smtp:`; without it, nothing is sent.
    case required
    /// None: by `smtp:` to this machine.
    case none
  }

  package var encryption: Encryption
  package let host: String
  package let port: UInt16
  package var user: String?
  package var password: String?
  /// A PEM file with the trusted authorities; nil for those of the system.
  package var authorityFile: String?

  /// Reads an address such as `smtps://user@mail.example.com:465`; nil if it is invalid.
  ///
  /// A password is invalid: others on the machine can read the arguments of a program.
  package init?(_ text: String) {
    guard let mark = text.firstRange(of: "://") else { return nil }
    var rest = text[mark.upperBound...]
    if rest.last == "/" { rest = rest.dropLast() }
    var user: String?
    if let at = rest.lastIndex(of: "@") {
      guard let name = Self.decoded(rest[..<at]), !name.isEmpty, !name.contains(":") else {
        return nil
      }
      user = name
      rest = rest[rest.index(after: at)...]
    }
    var port: UInt16?
    if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
      guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
      port = number
      rest = rest[..<colon]
    }
    guard !rest.isEmpty, rest.utf8.allSatisfy(Self.isHost) else { return nil }
    host = String(rest)
    self.user = user
    switch text[..<mark.lowerBound].lowercased() {
    case "smtps": (encryption, self.port) = (.immediate, port ?? 465)
    case "smtp":
      let isThisMachine = ["localhost", "127.0.0.1", "[::1]"].contains(host.lowercased())
      (encryption, self.port) = (isThisMachine ? .none : .required, port ?? 587)
    default: return nil
    }
  }

  private static func isHost(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".-[]:".utf8.contains(byte)
  }

  /// A user's name, which may hold percent-encoded characters such as `%40`.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        guard (0x21..<0x7F).contains(byte) else { return nil }
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
        value >= 0x20
      else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The address for libcurl, without the user.
  var address: String { "\(encryption == .immediate ? "smtps" : "smtp")://\(host):\(port)" }

  package var description: String { address }
}
