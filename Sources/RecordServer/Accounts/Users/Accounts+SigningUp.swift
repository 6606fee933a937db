package import CloudRecords
import Cryptography

extension Accounts {
  /// Creates an account for a person who signs up.
  ///
  /// - Parameters:
  ///   - invitation: The invitation code that the person typed. It is required and consumed if
  ///     `settings.signUp` is `.invited` and no administrator creates the account.
  ///   - address: The network address of the person; nil if an administrator creates the account.
  /// - Throws: `EXISTS` if the name is taken, `BAD_REQUEST` for an invalid name or password,
  ///   `ACCESS_DENIED` for an invalid invitation, `THROTTLED`.
  package func signUp(
    name typed: String, password: String, nameComponents: UserIdentity.NameComponents? = nil,
    isDiscoverable: Bool = false, invitation typedCode: String? = nil, from address: String?
  ) async throws(CloudError) -> Account {
    try attempts.take(nil, from: address, at: now)
    let mustBeInvited = address != nil && settings.signUp == .invited
    // This is checked first, so that a person without a code does not learn which names are taken.
    let code = mustBeInvited ? try await invitation(typed: typedCode) : nil
    let name = try SignInName(typed)
    let password = try checked(password)
    let isTaken = try await read { transaction in
      try AccountDirectory.account(named: name, in: transaction) != nil
    }
    if isTaken { throw AccountDirectory.nameIsTaken(name) }
    let isTrusted = address == nil || settings.trustsNewAddresses
    var account = Account(
      identifier: Hexadecimal.text(settings.randomBytes(16)), name: name.text,
      nameComponents: nameComponents,
      created: now, disabled: nil, hasProvenAddress: isTrusted && name.emailAddress != nil,
      password: try await passwords.hash(of: password))
    account.isDiscoverable = isDiscoverable
    let (made, time) = (account, now)
    try await write { transaction in
      if let code { try Self.use(code, at: time, in: transaction) }
      try AccountDirectory.add(made, named: name, in: transaction)
    }
    return made
  }

  /// Validates a new password, and returns its bytes.
  func checked(_ password: String) throws(CloudError) -> [UInt8] {
    guard password.count >= settings.minimumPasswordCharacters else {
      throw CloudError(
        .badRequest,
        "The password is shorter than \(settings.minimumPasswordCharacters) characters.")
    }
    guard password.utf8.count <= Self.maximumPasswordBytes else {
      throw CloudError(
        .badRequest, "The password is longer than \(Self.maximumPasswordBytes) bytes.")
    }
    return Array(password.utf8)
  }

  /// More than a person types, and still cheap to hash.
  static let maximumPasswordBytes = 1_024
}
