/// Who asks, as far as the credentials of a request prove it.
package enum Caller: Hashable, Sendable {
  /// An application without a user: an API token alone.
  case anonymous
  /// A user who signed in.
  case user(String)
  /// A server with a key of its own, which acts in the public database under a name of its own.
  case server(String)

  /// The user record name that the caller's changes carry.
  package var userRecordName: String? {
    switch self {
    case .anonymous: nil
    case .user(let name), .server(let name): name
    }
  }
}
