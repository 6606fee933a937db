import CloudKitClient
import CloudRecords
import Foundation
import ParhelionCommands
import RecordServer

/// A user who has signed in to an application, on a server that the tool started.
package struct OwnAccount: Codable, Hashable, Sendable {
  /// The identifier of the application's container.
  ///
  /// A process binds each identifier to one server. The identifiers are unique, so that one process
  /// can use several servers.
  package let containerIdentifier: String
  /// The application's token in requests.
  package let programToken: String
  /// The user's token in requests; it is not renewed, so that all clients can share it.
  package let userToken: String

  package init(containerIdentifier: String, programToken: String, userToken: String) {
    (self.containerIdentifier, self.programToken, self.userToken) = (
      containerIdentifier, programToken, userToken
    )
  }

  /// The address of the application's container, with its environment.
  var container: ContainerAddress { Self.container(containerIdentifier) }

  private static func container(_ identifier: String) -> ContainerAddress {
    ContainerAddress(container: identifier, environment: .development)
  }

  /// Creates an application and an account in the server's folder.
  static func make(in folder: ServerFolder) async throws -> OwnAccount {
    let identifier = "iCloud.com.example.measured-\(UUID().uuidString.lowercased())"
    let container = container(identifier)
    return try await folder.withAccounts { accounts in
      let token = try await accounts.createAPIToken(for: container)
      let account = try await accounts.signUp(
        name: "measured", password: UUID().uuidString, from: nil)
      let session = try await accounts.startSession(of: account, in: container, isKept: true)
      return OwnAccount(
        containerIdentifier: identifier, programToken: token.text, userToken: session.webToken)
    }
  }

  /// Creates other users' accounts for the same application, in the server's folder.
  func others(_ count: Int, in folder: ServerFolder) async throws -> [OwnAccount] {
    try await folder.withAccounts { accounts in
      var others: [OwnAccount] = []
      for number in 0..<count {
        let account = try await accounts.signUp(
          name: "measured-\(number)", password: UUID().uuidString, from: nil)
        let session = try await accounts.startSession(of: account, in: container, isKept: true)
        others.append(
          OwnAccount(
            containerIdentifier: containerIdentifier, programToken: programToken,
            userToken: session.webToken))
      }
      return others
    }
  }

  /// Binds the container to the server at a local port, for the client library, and returns it.
  func cloudContainer(port: UInt16) -> CKContainer {
    CKContainer.configure(configuration(port: port))
    return CKContainer(identifier: containerIdentifier)
  }

  /// The container at a local port, independent of those of other users in this process.
  func separateContainer(port: UInt16) -> CKContainer {
    CKContainer(ContainerBinding(configuration(port: port)))
  }

  private func configuration(port: UInt16) -> CKContainer.Configuration {
    guard let server = URL(string: "http://127.0.0.1:\(port)") else {
      preconditionFailure("An address of numbers is one.")
    }
    return CKContainer.Configuration(
      containerIdentifier: containerIdentifier, server: server,
      credentials: .user(apiToken: programToken, webAuthToken: userToken), accountStorage: .memory)
  }
}
