import Foundation

/// A share that the server's invitation page hands over to a program.
struct HandedShare: Hashable, Sendable {
  /// The share's link.
  var link: URL
  var container: String
  var environment: String
  /// The server's proof that the user chose the share on its page.
  var token: String

  /// The URL scheme of programs that wait for invitations.
  static let scheme = "parhelion-share"

  /// Reads an address of the scheme; nil if it is not an invitation.
  init?(_ url: URL) {
    let text = url.absoluteString
    guard text.utf8.count <= Self.longest, text.hasPrefix("\(Self.scheme):open?") else {
      return nil
    }
    self.init(query: String(text.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }))
  }

  /// Reads the parameters of an address; nil if one is missing or given twice.
  init?(query: String) {
    guard query.utf8.count <= Self.longest else { return nil }
    let values = Self.values(query)
    func value(_ name: String) -> String? {
      let all = values.filter { $0.name == name }
      return all.count == 1 ? all[0].value : nil
    }
    guard let address = value("url"), let link = URL(string: address),
      ["http", "https"].contains(link.scheme?.lowercased() ?? ""), link.fragment == nil,
      let container = value("container"), let environment = value("environment"),
      let token = value("handover"), !token.isEmpty, token.utf8.allSatisfy(Self.isPlain)
    else { return nil }
    (self.link, self.container) = (link, container)
    (self.environment, self.token) = (environment, token)
  }

  /// The names and values of a query.
  ///
  /// `URLComponents` is not used, because it traps on some malformed queries.
  static func values(_ query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(pair[0]), pair.count < 2 ? "" : String(pair[1]).removingPercentEncoding ?? "")
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static let longest = 4096
}
