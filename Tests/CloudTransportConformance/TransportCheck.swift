package import CloudTransport
package import Foundation
import Testing

/// One thing that every transport must do with the real server behind it, to be run with each of
/// them.
///
/// ```swift
/// @Test(arguments: TransportCheck.all) func `The transport conforms`(check: TransportCheck) async throws {
///   try await check.run(in: …)
/// }
/// ```
package struct TransportCheck: Sendable {
  /// What the transport must do, as a sentence.
  package let sentence: String

  private let body: @Sendable (CloudUnderTest) async throws -> Void

  init(_ sentence: String, _ body: @escaping @Sendable (CloudUnderTest) async throws -> Void) {
    self.sentence = sentence
    self.body = body
  }

  /// Runs the check with a cloud that has nothing in it.
  package func run(in cloud: CloudUnderTest) async throws { try await body(cloud) }

  /// The suite.
  package static let all = sending + files + push + endings
}

extension TransportCheck: CustomTestStringConvertible {
  package var testDescription: String { sentence }
}

/// A server and a transport that leads to it.
package struct CloudUnderTest: Sendable {
  package let transport: any CloudTransport
  /// Scheme and host, and the port where there is one.
  package let address: String
  /// The container and its environment, as they stand in addresses.
  package let container: String
  package let apiToken: String
  /// A folder for the test's files.
  package let folder: URL
  /// Makes an account and signs in; gives the web token.
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

  /// A client whose user has signed in.
  func user(_ name: String = "ada") async throws -> Client {
    Client(cloud: self, webToken: try await signIn(name))
  }

  /// A client without a user.
  var nobody: Client { Client(cloud: self, webToken: nil) }

  /// A file with contents that tell their places.
  func file(_ name: String, count: Int) throws -> (path: String, contents: Data) {
    let contents = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let file = folder.appendingPathComponent(name)
    try contents.write(to: file)
    return (file.path, contents)
  }
}
