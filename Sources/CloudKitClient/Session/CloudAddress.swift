package import CloudRecords
import CloudWire

/// The address of a container: its server, and its identifier and environment there.
package struct CloudAddress: Hashable, Sendable {
  /// The scheme, host and port without a trailing slash, such as `https://cloud.example.com`.
  package let server: String
  package let container: ContainerAddress
  /// The path prefix of all database requests.
  private let databases: String

  package init(server: String, container: ContainerAddress) {
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.container = container
    databases =
      "/database/1/\(Self.encoded(container.container))/\(container.environment.rawValue)/"
  }

  /// The path of a database request, which is also a part of what a server-to-server key signs.
  func path(_ endpoint: Endpoint, _ scope: DatabaseScope) -> String {
    databases + scope.name + "/" + endpoint.rawValue
  }

  /// The path of a request for push tokens.
  func devicePath(_ endpoint: DeviceEndpoint) -> String {
    "/device/1/\(Self.encoded(container.container))/\(container.environment.rawValue)/\(endpoint.rawValue)"
  }

  /// The absolute form of a URL that the server sent, which may be a path only.
  func absolute(_ address: String) -> String { address.hasPrefix("/") ? server + address : address }

  /// The prefix of share URLs.
  ///
  /// Apple's share URLs are on another host than its records.
  package var shareAddress: String {
    server == Self.appleServer ? "https://www.icloud.com/share/" : server + "/share/"
  }

  private static let appleServer = "https://api.apple-cloudkit.com"

  /// A text, percent-encoded for a path component or a query value.
  static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value + UInt8(ascii: value < 10 ? "0" : "7")
  }
}
