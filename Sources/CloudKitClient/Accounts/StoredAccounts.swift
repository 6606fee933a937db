/// Who has signed in to a container on this machine, as a credential store keeps it.
package struct StoredAccounts: Hashable, Sendable {
  package struct Account: Hashable, Sendable {
    package let userRecordName: String
    /// What a person calls the account, where the server says it.
    package var name: String?
    package var webAuthToken: String

    package init(userRecordName: String, name: String? = nil, webAuthToken: String) {
      self.userRecordName = userRecordName
      self.name = name
      self.webAuthToken = webAuthToken
    }
  }

  /// The newest token of a user whom the configuration names by a token.
  ///
  /// The one of the configuration is dead soon after the server has given another: without this, a
  /// program could not start again with it.
  package struct Successor: Hashable, Sendable {
    /// The digest of the configuration's token.
    var given: String
    var webAuthToken: String
  }

  /// In the order in which they signed in.
  package var accounts: [Account] = []
  /// The user record name of the account that is in use; nil where nobody is signed in.
  package var current: String?
  /// The latest last.
  var successors: [Successor] = []

  package init() {}

  package var currentAccount: Account? { current.flatMap { account($0) } }

  package func account(_ userRecordName: String) -> Account? {
    accounts.first { $0.userRecordName == userRecordName }
  }

  // MARK: Changes

  /// Signs somebody in, and makes the account the current one.
  package mutating func signIn(_ account: Account) {
    if let place = accounts.firstIndex(where: { $0.userRecordName == account.userRecordName }) {
      accounts[place] = account
    } else {
      accounts.append(account)
    }
    current = account.userRecordName
  }

  /// Forgets an account; where it was the current one, nobody is signed in afterwards.
  package mutating func signOut(_ userRecordName: String) {
    accounts.removeAll { $0.userRecordName == userRecordName }
    if current == userRecordName { current = nil }
  }

  /// Keeps the newest of a row of tokens, unless somebody else has changed what is kept.
  ///
  /// - Parameter row: The tokens of one session, the newest last.
  package mutating func renew(_ key: TokenKey, _ row: [String]) {
    guard let newest = row.last else { return }
    switch key {
    case .account(let name):
      // Who has signed out meanwhile, or in anew, is left as is.
      guard let place = accounts.firstIndex(where: { $0.userRecordName == name }),
        row.contains(accounts[place].webAuthToken)
      else { return }
      accounts[place].webAuthToken = newest
    case .given(let digest):
      successors.removeAll { $0.given == digest }
      successors.append(Successor(given: digest, webAuthToken: newest))
      successors.removeFirst(max(0, successors.count - AccountLimits.keptSuccessors))
    }
  }
}

/// Under what a token is kept.
package enum TokenKey: Hashable, Sendable {
  /// An account that signed in, by its user record name.
  case account(String)
  /// A token of the configuration, by its digest.
  case given(String)
}
