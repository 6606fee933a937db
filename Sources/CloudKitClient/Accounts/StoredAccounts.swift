/// The accounts that have signed in to a container on this machine.
package struct StoredAccounts: Hashable, Sendable {
  package struct Account: Hashable, Sendable {
    package let userRecordName: String
    /// The user's name or address, if the server provides it.
    package var name: String?
    package var webAuthToken: String

    package init(userRecordName: String, name: String? = nil, webAuthToken: String) {
      self.userRecordName = userRecordName
      self.name = name
      self.webAuthToken = webAuthToken
    }
  }

  /// The newest token that replaced a token from the configuration.
  ///
  /// The configured token expires soon after it was replaced. Without the successor, the app could
  /// not authenticate again after a restart.
  package struct Successor: Hashable, Sendable {
    /// The digest of the configured token.
    var given: String
    var webAuthToken: String
  }

  /// The accounts, in the order of signing in.
  package var accounts: [Account] = []
  /// The user record name of the current account; nil if no account is current.
  package var current: String?
  /// The successors of configured tokens, the newest last.
  var successors: [Successor] = []

  package init() {}

  package var currentAccount: Account? { current.flatMap { account($0) } }

  package func account(_ userRecordName: String) -> Account? {
    accounts.first { $0.userRecordName == userRecordName }
  }

  // MARK: Changes

  /// Adds or updates an account, and makes it the current one.
  package mutating func signIn(_ account: Account) {
    if let index = accounts.firstIndex(where: { $0.userRecordName == account.userRecordName }) {
      accounts[index] = account
    } else {
      accounts.append(account)
    }
    current = account.userRecordName
  }

  /// Removes an account.
  ///
  /// If it was the current one, no account is current afterwards.
  package mutating func signOut(_ userRecordName: String) {
    accounts.removeAll { $0.userRecordName == userRecordName }
    if current == userRecordName { current = nil }
  }

  /// Stores the newest token of a session, unless an account's stored token comes from elsewhere.
  ///
  /// - Parameter tokens: The session's tokens, the newest last.
  package mutating func renew(_ key: TokenKey, _ tokens: [String]) {
    guard let newest = tokens.last else { return }
    switch key {
    case .account(let name):
      // If the account has signed out or in again meanwhile, the stored state stays.
      guard let index = accounts.firstIndex(where: { $0.userRecordName == name }),
        tokens.contains(accounts[index].webAuthToken)
      else { return }
      accounts[index].webAuthToken = newest
    case .configured(let digest):
      successors.removeAll { $0.given == digest }
      successors.append(Successor(given: digest, webAuthToken: newest))
      successors.removeFirst(max(0, successors.count - AccountLimits.keptSuccessors))
    }
  }
}

/// The key under which a token is stored.
package enum TokenKey: Hashable, Sendable {
  /// An account that signed in, by its user record name.
  case account(String)
  /// A token of the configuration, by its digest.
  case configured(String)
}
