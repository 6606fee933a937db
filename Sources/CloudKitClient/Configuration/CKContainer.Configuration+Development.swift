public import Foundation

extension CKContainer.Configuration {
  /// A configuration for a local development server and a user who is named but not authenticated.
  ///
  /// Parhelion's addition. The server that `parhelion serve` starts without options creates the
  /// container and the user on first use, and requires no token.
  ///
  /// ```swift
  /// CKContainer.configure(.development("iCloud.com.example.notes", user: "ada"))
  /// ```
  ///
  /// Different user names are different users. Two processes with the same user name are two
  /// devices of one user. Invite `bob` to a share by the address `bob@development.invalid`.
  ///
  /// - Warning: A server accepts such a user from local programs only, and never in production.
  ///
  /// - Parameters:
  ///   - containerIdentifier: The container's identifier, such as `iCloud.com.example.notes`.
  ///   - user: A word of letters, digits, dots, dashes and underscores.
  ///   - server: The server's URL, if it does not listen on port 8080.
  public static func development(
    _ containerIdentifier: String, user: String, server: URL = developmentServer
  ) -> CKContainer.Configuration {
    CKContainer.Configuration(
      containerIdentifier: containerIdentifier, server: server, environment: .development,
      credentials: .developmentUser(user))
  }

  /// The default address of `parhelion serve`: `http://127.0.0.1:8080`.
  ///
  /// Parhelion's addition.
  public static let developmentServer: URL = {
    guard let url = URL(string: "http://127.0.0.1:8080") else {
      preconditionFailure("The URL is well formed.")
    }
    return url
  }()
}
