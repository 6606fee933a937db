package import CloudTransport
package import Foundation
import Testing

/// One requirement on every transport, checked against the real server.
///
/// ```swift
/// @Test(arguments: TransportCheck.all)
/// func `The transport conforms`(check: TransportCheck) async throws {
///   try await check.run(in: …)
/// }
/// ```
package struct TransportCheck: Sendable {
  /// The requirement as a sentence.
  package let sentence: String

  private let body: @Sendable (CloudUnderTest) async throws -> Void

  init(_ sentence: String, _ body: @escaping @Sendable (CloudUnderTest) async throws -> Void) {
    self.sentence = sentence
    self.body = body
  }

  /// Runs the check with an empty cloud.
  package func run(in cloud: CloudUnderTest) async throws { try await body(cloud) }

  /// All checks.
  package static let all = sending + files + push + endings
}

extension TransportCheck: CustomTestStringConvertible {
  package var testDescription: String { sentence }
}

/// A server and a transport to it.
package struct CloudUnderTest: Sendable {
  package let transport: any CloudTransport
  /// The scheme, the host and the port if there is one.
  package let address: String
  /// The container and its environment, as in addresses.
  package let container: String
  package let apiToken: String
  /// A folder for the test's files.
  package let folder: URL
  /// Creates an account and signs in.
  ///
  /// Returns the web token.
  package let signIn: @Sendable (String) async throws -> String

  package init(
    transport: any CloudTransport, address: String, container: String, apiToken: String,
    folder: URL,
    signIn: @escaping @Sendable (String) async throws -> String
  ) {
    self.transport = transport
    self.address = address
    self.container = container
    self.apiToken = apiToken
    self.folder = folder
    self.signIn = signIn
  }

  /// A client of a signed-in user.
  func user(_ name: String = "ada") async throws -> Client {
    Client(cloud: self, webToken: try await signIn(name))
  }

  /// A client without a user.
  var anonymous: Client { Client(cloud: self, webToken: nil) }

  /// A file whose contents encode their positions.
  func file(_ name: String, count: Int) throws -> (path: String, contents: Data) {
    let contents = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let file = folder.appendingPathComponent(name)
    try contents.write(to: file)
    return (file.path, contents)
  }
}
