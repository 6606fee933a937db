/// The credentials of a container's requests, resolved from the configuration and the stored
/// accounts.
package struct CallerResolution: Hashable, Sendable {
  package var credentials: CloudCredentials
  /// The user record name, if it is known without a request.
  package var userRecordName: String?
  /// The key under which renewed tokens are stored; nil without a user.
  package var key: TokenKey?

  /// Resolves the caller.
  ///
  /// | configuration | caller |
  /// |---|---|
  /// | none, a server key | the same, never a user |
  /// | a development user | that user |
  /// | an API token | the current account; without one, the app alone |
  /// | an API token and a user's token | that user, with the newest token from the server |
  package init(_ configured: CloudCredentials, _ stored: StoredAccounts) {
    credentials = configured
    switch configured {
    case .none, .serverKey: break
    case .developmentUser(let name): key = .configured(DigestText.of("development user \(name)"))
    case .program(let apiToken):
      guard let account = stored.currentAccount else { return }
      credentials = .user(apiToken: apiToken, webAuthToken: account.webAuthToken)
      userRecordName = account.userRecordName
      key = .account(account.userRecordName)
    case .user(let apiToken, let given):
      let digest = DigestText.of(given)
      key = .configured(digest)
      guard let successor = stored.successors.first(where: { $0.given == digest }) else { return }
      credentials = .user(apiToken: apiToken, webAuthToken: successor.webAuthToken)
    }
  }

  /// Whether both are the same user, possibly with different tokens.
  func isSameUser(as other: CallerResolution) -> Bool { key == other.key }
}
