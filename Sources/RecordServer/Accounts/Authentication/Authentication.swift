package import CloudRecords

/// Who asks, as far as it is proven.
package struct Authentication: Hashable, Sendable {
  package let caller: Caller
  package let container: ContainerAddress
  package let realm: Realm
  /// The identifier of the session that a web token belongs to.
  package var session: String?
  /// The web token that the response carries, for the requests that follow: the one that came, or
  /// its successor.
  package var webToken: String?
  /// Where somebody can sign in, if that is what is missing.
  package var redirectURL: String?
  /// The signature that the request was good for, once.
  var taken: UsedSignatures.Mark?

  /// An error as the client is told.
  package func directing(_ error: CloudError) -> CloudError { error.directing(to: redirectURL) }

  /// Refuses what has no user, for what needs one.
  package func requireUser() throws(CloudError) {
    switch caller {
    case .user: return
    case .anonymous:
      throw directing(CloudError(.authenticationRequired, "This needs a user who has signed in."))
    case .server: throw CloudError(.accessDenied, "A server's key is no user.")
    }
  }
}

extension CloudError {
  /// The error as a client is told: one that can be mended by signing in says where.
  func directing(to address: String?) -> CloudError {
    guard code == .authenticationRequired, redirectURL == nil else { return self }
    var error = self
    error.redirectURL = address
    return error
  }
}
