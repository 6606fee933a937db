import CloudRecords
import Cryptography
import Foundation
import RecordServer
import RecordServerHTTP
import Synchronization
import Testing

/// An administrator who makes every described request and prepares its data.
final class ExampleAdministrator: Sendable {
  private let testService: TestService
  private let key: Mutex<String>

  /// A container that may be erased.
  private static let container = ContainerAddress(
    container: "iCloud.com.example.other", environment: .development)

  init(_ testService: TestService, key: String) {
    self.testService = testService
    self.key = Mutex(key)
  }

  /// The header field of a request.
  var field: String { "Authorization: Bearer \(key.withLock(\.self))\r\n" }

  /// Reads the new key after it was requested.
  func takeNewKey() async throws {
    let new = try await testService.accounts.replaceAdministratorKey()
    key.withLock { $0 = new }
  }

  /// The described body, adapted to existing data.
  func body(for operation: DescribedOperation) async throws -> String {
    var example = try #require(operation.example)
    let token = try await testService.accounts.createAPIToken(for: Self.container)
    example = example.replacing(TestService.container.container, with: Self.container.container)
    let pem = SignaturePrivateKey().publicPEM
    switch operation.path {
    case "/admin/1/users/add": try await removeGrace()
    case "/admin/1/tokens/revoke": example = #"{"identifier": "\#(token.token.identifier)"}"#
    case "/admin/1/keys/revoke":
      let key = try await testService.accounts.addServerKey(publicKey: pem, for: Self.container)
      example = #"{"identifier": "\#(key.identifier)"}"#
    case "/admin/1/keys/add":
      let body = ["container": Self.container.container, "publicKey": pem]
      example = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    case "/admin/1/roles/grant", "/admin/1/roles/revoke":
      try await addGrace()
      let schema = "DEFINE SCHEMA CREATE ROLE Librarian;"
      _ = try await testService.accounts.server.importSchema(
        Array(schema.utf8), into: Self.container.container)
    case let path where path.hasPrefix("/admin/1/users/") || path.hasPrefix("/admin/1/sessions/"):
      try await addGrace()
    default: break
    }
    return example
  }

  private static let grace = "grace@example.com"

  private var hasGrace: Bool {
    get async throws {
      try await testService.accounts.accounts().contains { $0.name == Self.grace }
    }
  }

  /// Adds the user that the operations need.
  private func addGrace() async throws {
    guard try await !hasGrace else { return }
    _ = try await testService.accounts.signUp(
      name: Self.grace, password: TestService.password, from: nil)
  }

  private func removeGrace() async throws {
    guard try await hasGrace else { return }
    try await testService.accounts.remove(accountNamed: Self.grace)
  }
}
