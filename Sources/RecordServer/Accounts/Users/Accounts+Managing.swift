package import CloudRecords

/// Account management by operators. Each account is identified by its sign-in name.
extension Accounts {
  /// All accounts, by name.
  package func accounts() async throws(CloudError) -> [Account] {
    try await read { transaction in
      try AccountDirectory.all(in: transaction).sorted { $0.name < $1.name }
    }
  }

  package func account(named name: String) async throws(CloudError) -> Account {
    let name = try SignInName(name)
    return try await read { transaction in try AccountDirectory.existing(name, in: transaction) }
  }

  /// The user record name of an account in a container.
  package func userRecordName(of account: Account, in container: String) -> String {
    secret.userRecordName(ofAccount: account.identifier, in: container)
  }

  /// The sign-in names of a container's users, by user record name.
  func namesOfUsers(in container: String) async throws(CloudError) -> [String: String] {
    let names = try await accounts().map { (userRecordName(of: $0, in: container), $0.name) }
    return Dictionary(names) { first, _ in first }
  }

  /// Changes an account's password, and ends all of its sessions.
  package func setPassword(ofAccount name: String, to password: String) async throws(CloudError) {
    try await setPassword(of: try await account(named: name), to: password) { _ in true }
  }

  /// Changes an account's password, and ends all of its sessions.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` if the account is gone, or fails the check after hashing.
  func setPassword(
    of account: Account, to password: String, if isStillMeant: @escaping @Sendable (Account) -> Bool
  ) async throws(CloudError) {
    let hash = try await passwords.hash(of: try checked(password))
    let secret = secret
    let changes = try await writeEverywhere { transaction in
      guard var current = try AccountDirectory.account(account.identifier, in: transaction),
        isStillMeant(current)
      else {
        throw Self.wrongPassword
      }
      current.password = hash
      try AccountDirectory.save(current, in: transaction)
      return try SessionDirectory.endAll(of: current, named: secret, in: transaction)
    }
    publish(changes)
  }

  /// Disables an account, which ends its sessions and prevents sign-in.
  package func disable(accountNamed name: String) async throws(CloudError) {
    let time = now
    try await change(name) { $0.disabled = $0.disabled ?? time }
  }

  /// Enables a disabled account.
  package func enable(accountNamed name: String) async throws(CloudError) {
    try await change(name) { $0.disabled = nil }
  }

  /// Changes the person's name, in every container where they are a user.
  package func rename(
    accountNamed name: String, to nameComponents: UserIdentity.NameComponents?
  ) async throws(CloudError) {
    try await change(name) { $0.nameComponents = nameComponents }
  }

  /// Sets whether the account's address is proven.
  package func setAddressProven(_ isProven: Bool, ofAccountNamed name: String)
    async throws(CloudError)
  {
    let name = try SignInName(name)
    if isProven, name.emailAddress == nil {
      throw CloudError(.badRequest, "“\(name.text)” is not an e-mail address.")
    }
    try await change(name.text) { $0.hasProvenAddress = isProven }
  }

  /// Sets whether others can find the person.
  package func setDiscoverable(_ isDiscoverable: Bool, accountNamed name: String)
    async throws(CloudError)
  {
    try await change(name) { $0.isDiscoverable = isDiscoverable }
  }

  /// Removes an account.
  ///
  /// Its databases stay, since they may be shared, and no other account gets the same user record
  /// names. Its users in all containers, their records, devices and subscriptions are removed.
  package func remove(accountNamed name: String) async throws(CloudError) {
    let name = try SignInName(name)
    let (secret, time) = (secret, now)
    let changes = try await writeEverywhere { transaction in
      let account = try AccountDirectory.existing(name, in: transaction)
      var changes = try SessionDirectory.endAll(of: account, named: secret, in: transaction)
      for (realm, container) in try AccountDirectory.realms(of: account, in: transaction) {
        let userRecordName = secret.userRecordName(ofAccount: account.identifier, in: container)
        try UserDirectory(realm: realm).forget(userRecordName, in: transaction)
        try UserRecord.remove(of: userRecordName, in: realm, at: time, transaction)
        for scope in DatabaseScope.allCases {
          let subscriptions = SubscriptionStore(realm: realm, scope: scope, user: userRecordName)
          try subscriptions.removeAll(of: userRecordName, in: transaction)
          changes.append(.subscriptions(realm, scope, user: userRecordName))
        }
      }
      try AccountDirectory.remove(account, named: name, in: transaction)
      return changes
    }
    publish(changes)
  }

  private func change(_ name: String, _ body: @escaping @Sendable (inout Account) -> Void)
    async throws(CloudError)
  {
    let name = try SignInName(name)
    let secret = secret
    let changes = try await writeEverywhere { transaction -> [ListeningChange] in
      var account = try AccountDirectory.existing(name, in: transaction)
      body(&account)
      try AccountDirectory.save(account, in: transaction)
      for (realm, container) in try AccountDirectory.realms(of: account, in: transaction) {
        let userRecordName = secret.userRecordName(ofAccount: account.identifier, in: container)
        try AccountDirectory.introduce(
          account, as: userRecordName, in: realm, container, transaction)
      }
      guard account.disabled != nil else { return [] }
      return try SessionDirectory.endAll(of: account, named: secret, in: transaction)
    }
    publish(changes)
  }
}
