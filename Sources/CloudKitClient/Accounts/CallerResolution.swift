/// Who asks a container's server: what a configuration and the accounts of the machine come to.
package struct CallerResolution: Hashable, Sendable {
  package var credentials: CloudCredentials
  /// The user record name, where it is known without asking.
  package var userRecordName: String?
  /// Under what a renewed token is kept; nil where there is no user.
  package var key: TokenKey?

  /// Decides who asks.
  ///
  /// | configuration | who |
  /// |---|---|
  /// | nothing, a server's key | these, and never a user |
  /// | a development user | that user, by its word |
  /// | the program | the account in use; without one, the program alone |
  /// | a user by a token | that user, with the newest token that the server gave for it |
  package init(_ configured: CloudCredentials, _ stored: StoredAccounts) {
    credentials = configured
    switch configured {
    case .none, .serverKey: break
    case .developmentUser(let word): key = .given(DigestText.of("development user \(word)"))
    case .program(let apiToken):
      guard let account = stored.currentAccount else { return }
      credentials = .user(apiToken: apiToken, webAuthToken: account.webAuthToken)
      userRecordName = account.userRecordName
      key = .account(account.userRecordName)
    case .user(let apiToken, let given):
      let digest = DigestText.of(given)
      key = .given(digest)
      guard let successor = stored.successors.first(where: { $0.given == digest }) else { return }
      credentials = .user(apiToken: apiToken, webAuthToken: successor.webAuthToken)
    }
  }

  /// Whether it is the same user, be it with another token.
  func isSameUser(as other: CallerResolution) -> Bool { key == other.key }
}
