package import CloudRecords

/// The authenticated caller of a request.
package struct Authentication: Hashable, Sendable {
  package let caller: Caller
  package let container: ContainerAddress
  package let realm: Realm
  /// The identifier of the session that a web token belongs to.
  package var session: String?
  /// The web token for the response, which the next requests use: the current one, or its
  /// successor.
  package var webToken: String?
  /// The address of the sign-in page, for errors that signing in would resolve.
  ///
  /// It is nil without an API token, and if the server has no such address.
  package var redirectURL: String?
  /// The signature that the request consumed.
  var taken: UsedSignatures.Mark?

  /// Adds the address of the sign-in page to an error that signing in would resolve.
  package func directing(_ error: CloudError) -> CloudError { error.directing(to: redirectURL) }

  /// Throws if there is no user.
  package func requireUser() throws(CloudError) {
    switch caller {
    case .user: return
    case .anonymous:
      throw directing(CloudError(.authenticationRequired, "This needs a user who has signed in."))
    case .server: throw CloudError(.accessDenied, "A server's key is not a user.")
    }
  }
}

extension CloudError {
  /// Adds the address of the sign-in page to errors that signing in would resolve.
  func directing(to address: String?) -> CloudError {
    guard code == .authenticationRequired, redirectURL == nil else { return self }
    var error = self
    error.redirectURL = address
    return error
  }
}
