package import CloudRecords
import Cryptography

extension Accounts {
  /// Makes an account for somebody who asks for one.
  ///
  /// - Parameters:
  ///   - invitation: The invitation code that the person typed, which is used up; only if `signUp`
  ///     is
  ///   `.invited`.
  ///   - address: The network address that the person comes from; nil where an administrator makes
  ///   the account.
  /// - Throws: `EXISTS` where somebody has the name, `BAD_REQUEST` for a name or password that will
  ///   not do, `ACCESS_DENIED` for an invitation that is not good, `THROTTLED`.
  package func signUp(
    name typed: String, password: String, nameComponents: UserIdentity.NameComponents? = nil,
    isDiscoverable: Bool = false, invitation typedCode: String? = nil, from address: String?
  ) async throws(CloudError) -> Account {
    if let address { try attemptsByAddress.take(address, at: now) }
    let mustBeInvited = address != nil && settings.signUp == .invited
    // First of all: a person without a code does not learn which names are taken.
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

  /// The bytes of a password that may be used.
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

  /// More than anybody types, and little work to hash.
  static let maximumPasswordBytes = 1_024
}
