package import CloudRecords
import Cryptography

/// A development user of one container.
struct DevelopmentUser: Hashable, Sendable {
  let container: ContainerAddress
  let name: DevelopmentUserName
}

/// The account of a development user in a container.
struct KnownDevelopmentUser: Hashable, Sendable {
  let realm: Realm
  let userRecordName: String
}

extension Accounts {
  /// Authenticates a request that names a development user.
  ///
  /// The name is not verified: the calling code decides whether a request may name a development
  /// user. The container and the account are created on first use.
  ///
  /// - Throws: `ACCESS_DENIED` outside the development environment, and for an account that is
  ///   disabled or has a password.
  package func authenticate(
    developmentUser name: DevelopmentUserName, in container: ContainerAddress
  ) async throws(CloudError) -> Authentication {
    guard container.environment == .development else {
      throw CloudError(
        .accessDenied, "Development users exist in the development environment only.")
    }
    let user = DevelopmentUser(container: container, name: name)
    let known = try await developmentUsers.value(for: user, at: now) {
      () async throws(CloudError) in
      try await find(user)
    }
    guard let known else {
      throw CloudError(.internalError, "The development user was not created.")
    }
    return Authentication(
      caller: .user(known.userRecordName), container: container, realm: known.realm)
  }

  private func find(_ user: DevelopmentUser) async throws(CloudError) -> KnownDevelopmentUser? {
    let realm = try await server.makeRealm(of: user.container)
    let (container, name, secret, time) = (user.container.container, user.name, secret, now)
    let made = developmentAccount(name)
    let userRecordName = try await writeEverywhere { transaction in
      let known = try AccountDirectory.account(named: name.account, in: transaction)
      if known == nil { try AccountDirectory.add(made, named: name.account, in: transaction) }
      let account = known ?? made
      guard account.disabled == nil else {
        throw CloudError(.accessDenied, "The account \(account.name) is disabled.")
      }
      // The name alone is not enough for an account with a password.
      guard account.password == Self.noPassword else {
        throw CloudError(
          .accessDenied,
          "The account \(account.name) has a password: sign in with it, or name another user.")
      }
      let userRecordName = secret.userRecordName(ofAccount: account.identifier, in: container)
      try AccountDirectory.introduce(account, as: userRecordName, in: realm, container, transaction)
      try UserRecord.make(of: [userRecordName], in: realm, at: time, transaction)
      return userRecordName
    }
    return KnownDevelopmentUser(realm: realm, userRecordName: userRecordName)
  }

  private func developmentAccount(_ name: DevelopmentUserName) -> Account {
    var components = UserIdentity.NameComponents()
    components.givenName = name.word
    var account = Account(
      identifier: Hexadecimal.text(settings.randomBytes(16)), name: name.account.text,
      nameComponents: components,
      created: now, disabled: nil, hasProvenAddress: true, password: Self.noPassword)
    account.isDiscoverable = true
    return account
  }

  /// A hash that no password matches.
  private static let noPassword = PasswordHash(text: "")
}
