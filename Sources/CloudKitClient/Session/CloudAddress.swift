package import CloudRecords
import CloudWire
import Foundation

/// Where a container is: a server, and what lies on it.
package struct CloudAddress: Hashable, Sendable {
  /// Scheme, host and port, such as `https://cloud.example.com`, without a slash at its end.
  package let server: String
  package let container: ContainerAddress

  package init(server: String, container: ContainerAddress) {
    self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
    self.container = container
  }

  /// The path of an operation on a database, which is what a server's key signs.
  func path(_ endpoint: Endpoint, _ scope: DatabaseScope) -> String {
    "/database/1/\(Self.encoded(container.container))/\(container.environment.rawValue)/\(scope.name)/\(endpoint.rawValue)"
  }

  /// The path of an operation with a device's token.
  func devicePath(_ endpoint: DeviceEndpoint) -> String {
    "/device/1/\(Self.encoded(container.container))/\(container.environment.rawValue)/\(endpoint.rawValue)"
  }

  /// An address that the server gave, which may leave out what it has in common with the server's own.
  func absolute(_ address: String) -> String { address.hasPrefix("/") ? server + address : address }

  /// A text as it stands in a part of a path, or in a value behind the question mark.
  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
