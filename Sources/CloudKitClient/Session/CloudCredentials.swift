/// The credentials of requests.
package enum CloudCredentials: Hashable, Sendable {
  /// No credentials. A server that requires authentication responds with its sign-in page's URL.
  case none
  /// The app's API token: anonymous access to the public database.
  case program(apiToken: String)
  /// The app's API token and a signed-in user's web auth token.
  case user(apiToken: String, webAuthToken: String)
  /// A development user. Only a local server accepts it without authentication.
  case developmentUser(String)
  /// A server-to-server key in PEM: the public database only.
  case serverKey(identifier: String, privateKey: String)

  /// The app's API token, if there is one.
  var apiToken: String? {
    switch self {
    case .none, .developmentUser, .serverKey: nil
    case .program(let token), .user(let token, _): token
    }
  }

  /// Whether requests are sent as a user.
  package var isOfUser: Bool {
    switch self {
    case .user, .developmentUser: true
    case .none, .program, .serverKey: false
    }
  }

  /// The user's web auth token, if a user is signed in.
  package var webAuthToken: String? {
    if case .user(_, let token) = self { token } else { nil }
  }

  /// The same credentials with the web auth token that replaces the current one.
  func renewed(_ webAuthToken: String) -> CloudCredentials {
    guard case .user(let apiToken, _) = self else { return self }
    return .user(apiToken: apiToken, webAuthToken: webAuthToken)
  }
}
