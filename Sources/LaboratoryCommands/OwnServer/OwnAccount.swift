import CloudKitClient
import CloudRecords
import Foundation
import ParhelionCommands
import RecordServer

/// Somebody who has signed in to an application of a server that the tool started.
package struct OwnAccount: Codable, Hashable, Sendable {
  /// The identifier of the application's container.
  ///
  /// Which server an identifier stands for is one setting of a whole process. Each server's is a
  /// different one, so that several can be used side by side.
  package let containerIdentifier: String
  /// What requests carry for the program.
  package let programToken: String
  /// What they carry for the user; it is not renewed, so that all clients can share it.
  package let userToken: String

  package init(containerIdentifier: String, programToken: String, userToken: String) {
    (self.containerIdentifier, self.programToken, self.userToken) = (
      containerIdentifier, programToken, userToken
    )
  }

  /// The application's container, in the environment that it uses.
  var container: ContainerAddress { Self.container(containerIdentifier) }

  private static func container(_ identifier: String) -> ContainerAddress {
    ContainerAddress(container: identifier, environment: .development)
  }

  /// Makes an application and an account beside the server.
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

  /// Makes accounts of other people for the same application, beside the server.
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

  /// Binds the container to the server at a port of this machine, for the client library, and gives
  /// it.
  func cloudContainer(port: UInt16) -> CKContainer {
    guard let server = URL(string: "http://127.0.0.1:\(port)") else {
      preconditionFailure("An address of numbers is one.")
    }
    CKContainer.configure(
      CKContainer.Configuration(
        containerIdentifier: containerIdentifier, server: server,
        credentials: .user(apiToken: programToken, webAuthToken: userToken), accountStorage: .memory
      ))
    return CKContainer(identifier: containerIdentifier)
  }
}
