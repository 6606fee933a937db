/// What proves to the server who asks.
package enum CloudCredentials: Hashable, Sendable {
  /// Nothing; a server that wants proof says where the user can sign in.
  case none
  /// The token of the program alone: what everybody may do with the public database.
  case program(apiToken: String)
  /// The token of the program, and that of a user who is signed in.
  case user(apiToken: String, webAuthToken: String)
  /// A development user, which only a server on this machine takes without proof.
  case developmentUser(String)
  /// The key of another server, in PEM: the public database only.
  case serverKey(identifier: String, privateKey: String)

  /// The token of the program, where it has one.
  var apiToken: String? {
    switch self {
    case .none, .developmentUser, .serverKey: nil
    case .program(let token), .user(let token, _): token
    }
  }

  /// Whether requests are those of a user.
  package var isOfUser: Bool {
    switch self {
    case .user, .developmentUser: true
    case .none, .program, .serverKey: false
    }
  }

  /// The token of the user, where one is signed in.
  package var webAuthToken: String? {
    if case .user(_, let token) = self { token } else { nil }
  }

  /// The same program and user with the token that the server gave in exchange for the old one.
  func renewed(_ webAuthToken: String) -> CloudCredentials {
    guard case .user(let apiToken, _) = self else { return self }
    return .user(apiToken: apiToken, webAuthToken: webAuthToken)
  }
}
