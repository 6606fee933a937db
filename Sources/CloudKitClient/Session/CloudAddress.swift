package import CloudRecords
import CloudWire

/// Where a container is: a server, and what lies on it.
package struct CloudAddress: Hashable, Sendable {
  /// Scheme, host and port, such as `https://cloud.example.com`, without a slash at its end.
  package let server: String
  package let container: ContainerAddress
  /// What the paths of all operations on databases begin with.
  private let databases: String

  package init(server: String, container: ContainerAddress) {
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.container = container
    databases =
      "/database/1/\(Self.encoded(container.container))/\(container.environment.rawValue)/"
  }

  /// The path of an operation on a database, which is what a server's key signs.
  func path(_ endpoint: Endpoint, _ scope: DatabaseScope) -> String {
    databases + scope.name + "/" + endpoint.rawValue
  }

  /// The path of an operation with a device's token.
  func devicePath(_ endpoint: DeviceEndpoint) -> String {
    "/device/1/\(Self.encoded(container.container))/\(container.environment.rawValue)/\(endpoint.rawValue)"
  }

  /// An address that the server gave, which may leave out what it has in common with the server's
  /// own.
  func absolute(_ address: String) -> String { address.hasPrefix("/") ? server + address : address }

  /// What the addresses of shares begin with: those of Apple's are elsewhere than its records.
  package var shareAddress: String {
    server == Self.appleServer ? "https://www.icloud.com/share/" : server + "/share/"
  }

  private static let appleServer = "https://api.apple-cloudkit.com"

  /// A text as it stands in a part of a path, or in a value behind the question mark.
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
