/// The caller of a request, as proven by its credentials.
package enum Caller: Hashable, Sendable {
  /// An application without a user, identified by an API token.
  case anonymous
  /// A signed-in user.
  case user(String)
  /// A server with its own key and user record name, which acts in the public database.
  case server(String)

  /// The user record name in the caller's changes.
  package var userRecordName: String? {
    switch self {
    case .anonymous: nil
    case .user(let name), .server(let name): name
    }
  }
}
