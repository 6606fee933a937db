package import CloudRecords
import Cryptography

extension Accounts {
  /// Signs a person in to a container.
  ///
  /// The error and the duration are the same whether the name is unknown, the password is wrong, or
  /// the account is disabled.
  ///
  /// - Parameters:
  ///   - isKept: Whether the person chose to stay signed in.
  ///   - address: The network address of the person.
  /// - Throws: `AUTHENTICATION_FAILED`; `THROTTLED` after too many attempts for the name or the
  ///   address.
  package func signIn(
    name: String, password: String, to container: ContainerAddress, isKept: Bool = false,
    from address: String?
  ) async throws(CloudError) -> StartedSession {
    let account = try await verifiedAccount(name: name, password: password, from: address)
    return try await startSession(of: account, in: container, isKept: isKept)
  }

  /// Changes an account's password, and ends all of its sessions.
  package func changePassword(
    ofAccount name: String, from old: String, to new: String, address: String?
  ) async throws(CloudError) {
    let account = try await verifiedAccount(name: name, password: old, from: address)
    try await setPassword(of: account, to: new) { $0.password == account.password }
  }

  /// Ends all sessions of an account, given its password.
  package func signOutEverywhere(name: String, password: String, from address: String?)
    async throws(CloudError)
  {
    try await endSessions(
      of: try await verifiedAccount(name: name, password: password, from: address))
  }

  /// The account with a name and password.
  ///
  /// - Parameter address: The network address of the person.
  package func verifiedAccount(name typed: String, password: String, from address: String?)
    async throws(CloudError) -> Account
  {
    // An invalid name gives the same error as an unknown one.
    let name = try? SignInName(typed)
    try attempts.take(name, from: address, at: now)
    let known = try await read { transaction in
      try name.flatMap { try AccountDirectory.account(named: $0, in: transaction) }
    }
    let isShort = password.utf8.count <= Self.maximumPasswordBytes
    let bytes = isShort ? Array(password.utf8) : []
    let isRight: Bool
    do throws(CloudError) {
      isRight = try await passwords.verify(bytes, isShort ? known?.password : nil)
    } catch {
      // The server is busy, and the password may be right.
      attempts.giveBack(name, from: address)
      throw error
    }
    guard isRight, let known, known.disabled == nil else { throw Self.wrongPassword }
    attempts.giveBack(name, from: address)
    guard known.password.needsRenewal(at: settings.passwordCost) else { return known }
    if let renewed = try await renewed(known, password: bytes) { return renewed }
    return try await verifiedAccount(name: typed, password: password, from: address)
  }

  /// Rehashes a password; returns nil if the account's password or hash changed meanwhile.
  private func renewed(_ account: Account, password: [UInt8]) async throws(CloudError) -> Account? {
    let hash = try await passwords.hash(of: password)
    return try await write { transaction in
      guard var current = try AccountDirectory.account(account.identifier, in: transaction),
        current.password == account.password
      else { return nil }
      current.password = hash
      try AccountDirectory.save(current, in: transaction)
      return current
    }
  }

  static let wrongPassword = CloudError(.authenticationFailed, "The name or the password is wrong.")
}
