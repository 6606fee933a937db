public import Foundation

extension CKContainer.Configuration {
  /// A container on a server of this machine, in its development environment, as a user that is
  /// only named.
  ///
  /// Parhelion's addition. Nothing else is needed: the server that `parhelion serve` starts without
  /// options makes the container and the user when it first hears of them, and asks for no token.
  ///
  /// ```swift
  /// CKContainer.configure(.development("iCloud.com.example.notes", user: "ada"))
  /// ```
  ///
  /// Two words are two users, and two processes that use one word are two devices of one user.
  /// Invite `bob` to a share by the address `bob@development.invalid`.
  ///
  /// - Warning: The user is not proven. A server takes it from programs on its own machine only,
  ///   and never in production.
  ///
  /// - Parameters:
  ///   - containerIdentifier: The name of the container, such as `iCloud.com.example.notes`.
  ///   - user: One word of letters, digits, dots, dashes and underscores.
  ///   - server: The server, if it does not listen at port 8080.
  public static func development(
    _ containerIdentifier: String, user: String, server: URL = developmentServer
  ) -> CKContainer.Configuration {
    CKContainer.Configuration(
      containerIdentifier: containerIdentifier, server: server, environment: .development,
      credentials: .developmentUser(user))
  }

  /// Where `parhelion serve` listens if it is not told otherwise: `http://127.0.0.1:8080`.
  ///
  /// Parhelion's addition.
  public static let developmentServer: URL = {
    guard let url = URL(string: "http://127.0.0.1:8080") else {
      preconditionFailure("The address is well formed.")
    }
    return url
  }()
}
